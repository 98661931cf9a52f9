import { byId, onSubmit, selectOf, setOptions } from './dom.js';
import { act } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const form = byId('sell');

export function startSale() {
  onSubmit(form, ({ seller_id, buyer_id, shipping }) => {
    void act('POST', 'packs', { seller_id: Number(seller_id), buyer_id: Number(buyer_id), shipping }, 'Added the sale');
  });
}

/** @param {Snapshot} state */
export function showSale({ users, items }) {
  const sellers = new Set(items.map(({ seller_id }) => seller_id));
  const sellersFirst = [...users].sort((a, b) => Number(sellers.has(b.user_id)) - Number(sellers.has(a.user_id)));
  const toOption = (/** @type {Snapshot['users'][number]} */ user) => ({ value: user.user_id, label: user.nickname });
  setOptions(selectOf(form, 'seller_id'), sellersFirst.map(toOption));
  setOptions(selectOf(form, 'buyer_id'), sellersFirst.toReversed().map(toOption));
}
