import { byId, h, showList } from './dom.js';
import { quoted } from './requests.js';
import { act, copy } from './server.js';

/** @typedef {import('../../dashboard/snapshot.js').Snapshot} Snapshot */

export function startConnect() {
  const url = byId('base-url');
  url.textContent = location.origin;
  url.addEventListener('click', () => void copy(location.origin, 'the base URL'));
  byId('reset').addEventListener('click', () => void act('POST', 'reset', {}, 'Reset to the initial state'));
}

/** @param {Snapshot} state */
export function showConnect({ users, items }) {
  showList(
    byId('user-list'),
    users,
    ({ user_id }) => user_id,
    ({ user_id, nickname, token }) =>
      h(
        'article',
        { class: 'card' },
        h(
          'div',
          { class: 'heading' },
          h(
            'p',
            { class: 'about' },
            h('strong', {}, nickname),
            items.some((item) => item.seller_id === user_id) ? ' (seller)' : ' (buyer)',
          ),
          h('span', { class: 'small mono' }, user_id),
        ),
        token === null
          ? h('p', { class: 'small' }, 'No token')
          : h(
              'div',
              { class: 'line' },
              h('code', { class: 'token' }, token),
              h(
                'button',
                {
                  type: 'button',
                  'aria-label': `Copy the token of ${nickname}`,
                  click: () => void copy(token, `the token of ${nickname}`),
                },
                'Copy',
              ),
            ),
      ),
  );
  showTry(users.find(({ user_id }) => items.some((item) => item.seller_id === user_id)) ?? users[0]);
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
