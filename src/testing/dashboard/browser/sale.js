import { byId, setOptions } from './dom.js';
import { act } from './server.js';

/** @typedef {import('../../dashboard/snapshot.js').Snapshot} Snapshot */

const form = /** @type {HTMLFormElement} */ (byId('sell'));
const field = (/** @type {string} */ name) => /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));

export function startSale() {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const [seller_id, buyer_id] = [Number(field('seller_id').value), Number(field('buyer_id').value)];
    void act('POST', 'packs', { seller_id, buyer_id, shipping: field('shipping').value }, 'Added the sale');
  });
}

/** @param {Snapshot} state */
export function showSale({ users, items }) {
  const sellers = new Set(items.map(({ seller_id }) => seller_id));
  const sellersFirst = [...users].sort((a, b) => Number(sellers.has(b.user_id)) - Number(sellers.has(a.user_id)));
  const toOption = (/** @type {Snapshot['users'][number]} */ user) => ({ value: user.user_id, label: user.nickname });
  setOptions(field('seller_id'), sellersFirst.map(toOption));
  setOptions(field('buyer_id'), sellersFirst.toReversed().map(toOption));
}
