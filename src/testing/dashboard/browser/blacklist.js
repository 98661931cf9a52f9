import { ago, byId, h, onSubmit, selectOf, setOptions, showList } from './dom.js';
import { act } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const form = byId('block-user');

export function startBlacklist() {
  onSubmit(form, ({ seller_id, user_id }) => void block(Number(seller_id), Number(user_id), true));
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
export function showBlacklist({ users, items, blacklist, now }) {
  const sells = (/** @type {number} */ id) => items.some(({ seller_id }) => seller_id === id);
  const nameOf = (/** @type {number} */ id) => users.find(({ user_id }) => user_id === id)?.nickname ?? String(id);
  const options = users.map(({ user_id, nickname }) => ({ value: user_id, label: nickname }));
  setOptions(
    selectOf(form, 'seller_id'),
    options.toSorted((a, b) => Number(sells(b.value)) - Number(sells(a.value))),
  );
  setOptions(
    selectOf(form, 'user_id'),
    options.toSorted((a, b) => Number(sells(a.value)) - Number(sells(b.value))),
  );
  byId('no-blocked').hidden = blacklist.length > 0;
  showList(
    byId('blocked-list'),
    blacklist,
    ({ seller_id, user_id }) => `${seller_id} ${user_id}`,
    ({ seller_id, user_id, since }) =>
      h(
        'li',
        {},
        h('span', { class: 'about' }, h('strong', {}, nameOf(user_id)), ` may not ask ${nameOf(seller_id)}`),
        h('span', { class: 'small' }, ago(Date.parse(now) - since)),
        h('button', { type: 'button', click: () => void block(seller_id, user_id, false) }, 'Unblock'),
      ),
  );
}
