import { ago, byId, fieldOf, h, onSubmit, showList } from './dom.js';
import { showCount } from './finder.js';
import { fillIn, idIn, labelOfUser, startPicker } from './picker.js';
import { act } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const form = byId('block-user');

export function startBlacklist() {
  for (const name of ['seller_id', 'user_id']) startPicker(fieldOf(form, name), 'users');
  onSubmit(form, ({ seller_id, user_id }) => void block(Number(idIn(seller_id)), Number(idIn(user_id)), true));
}

/**
 * @param {number} seller_id
 * @param {number} user_id
 * @param {boolean} blocked
 */
function block(seller_id, user_id, blocked) {
  return act('POST', 'blacklist', { seller_id, user_id, blocked }, blocked ? 'Blocked' : 'Unblocked');
}

/** @param {Snapshot} state */
export function showBlacklist(state) {
  const { users, blacklist, now } = state;
  showCount('blacklist', state);
  fillIn(fieldOf(form, 'seller_id'), users[0] && labelOfUser(users[0]));
  const buyer = users.findLast(({ sells }) => !sells);
  fillIn(fieldOf(form, 'user_id'), buyer && labelOfUser(buyer));
  byId('no-blocked').hidden = blacklist.length > 0;
  showList(
    byId('blocked-list'),
    blacklist,
    ({ seller_id, user_id }) => `${seller_id} ${user_id}`,
    ({ seller_id, user_id, seller, nickname, since }) =>
      h(
        'li',
        {},
        h('span', { class: 'about' }, h('strong', {}, nickname), ` may not ask ${seller}`),
        h('span', { class: 'small' }, ago(Date.parse(now) - since)),
        h('button', { type: 'button', click: () => void block(seller_id, user_id, false) }, 'Unblock'),
      ),
  );
}
