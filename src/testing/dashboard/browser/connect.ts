import type { Snapshot } from '../snapshot.js';
import {
  useFinder,
  button,
  card,
  field,
  fold,
  form,
  heading,
  list,
  submit,
  idIn,
  userField,
  joined,
  quoted,
} from './parts.js';
import type { PanelProps, Fields } from './parts.js';
import { html, type VNode } from './preact.js';
import { copy, post } from './server.js';

type User = Snapshot['users'][number];

/** The users with their tokens. */
export function Connect({ state }: PanelProps): VNode {
  const { entries, note, field: search } = useFinder('users', state);
  const line = curlOf(state.users[0]);
  return html`
    ${heading(html`<h2>Connect</h2>`, search)}
    <p class="lead">
      Configure your program with the base URL and one of these tokens. They are valid on this server only.
    </p>
    ${list('user', note, false, entries.map(drawUser))} ${issueForm(state)}
    <h3>Try it</h3>
    <div id="try" class="card">
      <pre tabindex="0">${line}</pre>
      ${button('Copy', () => copy(line, 'the curl line'))}
    </div>
  `;
}

function issueForm({ users }: Snapshot): VNode {
  const issue = ({ user_id, application_id, minutes }: Fields): unknown => {
    const token = { user_id: Number(idIn(user_id)), application_id: Number(application_id) };
    return post('tokens', { ...token, expires_in: minutes === '' ? null : Number(minutes) * 60 }, 'Issued');
  };
  const fields = html`
    <div class="row">
      ${userField('User', 'user_id', users[0])}
      ${field('Application', 'application_id', { type: 'number', min: 1, defaultValue: 500, required: true })}
      ${field('Valid for minutes', 'minutes', { type: 'number', min: 1, placeholder: 'forever' })}
    </div>
  `;
  return fold('Issue a token', form('form', issue, fields, submit('Issue')), { id: 'issue' });
}

function drawUser({ user_id, nickname, sells, tokens }: User): VNode {
  return card(
    { key: user_id },
    html`<strong>${nickname}</strong> ${sells ? '(seller)' : '(buyer)'}`,
    html`<span class="small mono">${user_id}</span>`,
    tokens.length === 0
      ? html`<p class="small">No valid token</p>`
      : html`<ul class="rows">
          ${tokens.map((each) => drawToken(each, nickname))}
        </ul>`,
  );
}

function drawToken({ token, application_id, expiresAt }: User['tokens'][number], nickname: string): VNode {
  const facts = [
    application_id === null ? 'no application' : `application ${application_id}`,
    expiresAt !== null && `until ${new Date(expiresAt).toISOString().slice(0, 19)}Z`,
  ];
  const quiet = (label: string, click: () => unknown): VNode =>
    button(label, click, { class: 'quiet', 'aria-label': `${label} the token of ${nickname}` });
  return html`
    <li key=${token}>
      <div class="about">
        <code>${token}</code>
        <p class="small">${joined(facts, ', ')}</p>
      </div>
      <div class="actions">
        ${quiet('Copy', () => copy(token, `the token of ${nickname}`))}
        ${quiet('Expire', () => post('expired-tokens', { token }, 'The token is expired'))}
        ${quiet('Revoke', () => post('revoked-tokens', { token }, 'The token is revoked'))}
      </div>
    </li>
  `;
}

/** A command that calls the marketplace, as the first user if there is one. */
function curlOf(user: User | undefined): string {
  if (!user) return `curl ${quoted(`${location.origin}/currencies`)}`;
  const search = `${location.origin}/questions/search?seller_id=${user.user_id}`;
  return `curl -H ${quoted(`Authorization: Bearer ${user.token ?? ''}`)} ${quoted(search)}`;
}
