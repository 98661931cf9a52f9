import type { Snapshot } from '../snapshot.js';
import { button, fold, form, list, noteOf, submit } from './parts.js';
import type { Fields } from './parts.js';
import { buyerIn, idIn, userField } from './picker.js';
import { html } from './preact.js';
import type { VNode } from './preact.js';
import { post } from './server.js';
import { ago } from './texts.js';

/** The users who may not ask a seller. */
export function blacklist(state: Snapshot): VNode {
  const add = ({ seller_id, user_id }: Fields): Promise<boolean> =>
    block(Number(idIn(seller_id)), Number(idIn(user_id)), true);
  const seller = userField('Seller', 'seller_id', state.users[0]);
  const user = userField('Blocked user', 'user_id', buyerIn(state));
  const drawn = state.blacklist.map((blocked) => drawBlocked(blocked, state));
  const content = html`
    ${form('line', add, seller, user, submit('Block', ''))}
    ${drawn.length === 0 && html`<p class="small">No user is blocked.</p>`}
    ${list('blocked', noteOf('blacklist', state), false, drawn, 'ul', 'rows')}
  `;
  return fold('Blacklist', content, { id: 'blacklist' });
}

function drawBlocked(blocked: Snapshot['blacklist'][number], { now }: Snapshot): VNode {
  const { seller_id, user_id, seller, nickname, since } = blocked;
  return html`
    <li key="${seller_id} ${user_id}">
      <span class="about"><strong>${nickname}</strong> may not ask ${seller}</span>
      <span class="small">${ago(Date.parse(now) - since)}</span>
      ${button('Unblock', () => block(seller_id, user_id, false))}
    </li>
  `;
}

function block(seller_id: number, user_id: number, blocked: boolean): Promise<boolean> {
  return post('blacklist', { seller_id, user_id, blocked }, blocked ? 'Blocked' : 'Unblocked');
}
