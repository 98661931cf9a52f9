import { byId, fieldOf, h, onSubmit, showList } from './dom.js';
import { startFinder } from './finder.js';
import { fillIn, idIn, labelOfUser, startPicker } from './picker.js';
import { quoted } from './requests.js';
import { act, copy } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const form = byId('issue');
const finder = startFinder('users', (users) => showList(byId('user-list'), users, ({ user_id }) => user_id, drawUser));

export function startConnect() {
  const url = byId('base-url');
  url.textContent = location.origin;
  url.addEventListener('click', () => void copy(location.origin, 'the base URL'));
  byId('reset').addEventListener('click', () => void act('POST', 'reset', {}, 'Reset to the initial state'));
  startPicker(fieldOf(form, 'user_id'), 'users');
  onSubmit(form, ({ user_id, application_id, minutes }) => {
    const token = { user_id: Number(idIn(user_id)), application_id: Number(application_id) };
    void act('POST', 'tokens', { ...token, expires_in: minutes === '' ? null : Number(minutes) * 60 }, 'Issued');
  });
}

/** @param {Snapshot} state */
export function showConnect(state) {
  const [first] = state.users;
  void finder.update(state);
  fillIn(fieldOf(form, 'user_id'), first && labelOfUser(first));
  showTry(first);
}

/** @param {Snapshot['users'][number]} user */
function drawUser({ user_id, nickname, sells, tokens }) {
  return h(
    'article',
    { class: 'card' },
    h(
      'div',
      { class: 'heading' },
      h('p', { class: 'about' }, h('strong', {}, nickname), sells ? ' (seller)' : ' (buyer)'),
      h('span', { class: 'small mono' }, user_id),
    ),
    tokens.length === 0
      ? h('p', { class: 'small' }, 'No valid token')
      : h('ul', { class: 'rows' }, ...tokens.map((each) => drawToken(each, nickname))),
  );
}

/**
 * @param {Snapshot['users'][number]['tokens'][number]} bearer
 * @param {string} nickname
 */
function drawToken({ token, application_id, expiresAt }, nickname) {
  const button = (/** @type {string} */ label, /** @type {() => void} */ click) =>
    h('button', { type: 'button', class: 'quiet', 'aria-label': `${label} the token of ${nickname}`, click }, label);
  const facts = [
    application_id === null ? 'no application' : `application ${application_id}`,
    expiresAt !== null && `until ${new Date(expiresAt).toISOString().slice(0, 19)}Z`,
  ];
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'about' },
      h('code', { class: 'token' }, token),
      h('p', { class: 'small' }, facts.filter(Boolean).join(', ')),
    ),
    h(
      'div',
      { class: 'actions' },
      button('Copy', () => void copy(token, `the token of ${nickname}`)),
      button('Expire', () => void act('POST', 'expired-tokens', { token }, 'The token is expired')),
      button('Revoke', () => void act('POST', 'revoked-tokens', { token }, 'The token is revoked')),
    ),
  );
}

/** @param {Snapshot['users'][number] | undefined} seller */
function showTry(seller) {
  const line = seller
    ? `curl -H ${quoted(`Authorization: Bearer ${seller.token ?? ''}`)} ${quoted(`${location.origin}/questions/search?seller_id=${seller.user_id}`)}`
    : `curl ${quoted(`${location.origin}/currencies`)}`;
  const box = byId('try');
  if (box.dataset.shown === line) return;
  box.dataset.shown = line;
  box.replaceChildren(
    h('pre', { tabindex: 0 }, line),
    h('button', { type: 'button', click: () => void copy(line, 'the curl line') }, 'Copy'),
  );
}
