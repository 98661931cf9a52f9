import { byId, h, onSubmit, selectOf, setOptions, showList } from './dom.js';
import { quoted } from './requests.js';
import { act, copy } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

export function startConnect() {
  const url = byId('base-url');
  url.textContent = location.origin;
  url.addEventListener('click', () => void copy(location.origin, 'the base URL'));
  byId('reset').addEventListener('click', () => void act('POST', 'reset', {}, 'Reset to the initial state'));
  onSubmit(byId('issue'), ({ user_id, application_id, minutes }) => {
    const token = { user_id: Number(user_id), application_id: Number(application_id) };
    void act('POST', 'tokens', { ...token, expires_in: minutes === '' ? null : Number(minutes) * 60 }, 'Issued');
  });
}

/** @param {Snapshot} state */
export function showConnect({ users, items, tokens }) {
  const sells = (/** @type {number} */ id) => items.some(({ seller_id }) => seller_id === id);
  showList(
    byId('user-list'),
    users.map((user) => ({
      user,
      isSeller: sells(user.user_id),
      tokens: tokens.filter(({ user_id }) => user_id === user.user_id),
    })),
    ({ user }) => user.user_id,
    ({ user: { user_id, nickname }, isSeller, tokens: own }) =>
      h(
        'article',
        { class: 'card' },
        h(
          'div',
          { class: 'heading' },
          h('p', { class: 'about' }, h('strong', {}, nickname), isSeller ? ' (seller)' : ' (buyer)'),
          h('span', { class: 'small mono' }, user_id),
        ),
        own.length === 0
          ? h('p', { class: 'small' }, 'No valid token')
          : h('ul', { class: 'rows' }, ...own.map((each) => drawToken(each, nickname))),
      ),
  );
  setOptions(
    selectOf(byId('issue'), 'user_id'),
    users.map(({ user_id, nickname }) => ({ value: user_id, label: nickname })),
  );
  showTry(users.find(({ user_id }) => sells(user_id)) ?? users[0]);
}

/**
 * @param {Snapshot['tokens'][number]} bearer
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
