import { byId, fieldOf, onSubmit } from './dom.js';
import { fillIn, idIn, labelOfUser, startPicker } from './picker.js';
import { act } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const form = byId('sell');

export function startSale() {
  for (const name of ['seller_id', 'buyer_id']) startPicker(fieldOf(form, name), 'users');
  onSubmit(form, ({ seller_id, buyer_id, shipping }) => {
    const users = { seller_id: Number(idIn(seller_id)), buyer_id: Number(idIn(buyer_id)) };
    void act('POST', 'packs', { ...users, shipping }, 'Added the sale');
  });
}

/** @param {Snapshot} state */
export function showSale({ users }) {
  const buyer = users.findLast(({ sells }) => !sells);
  fillIn(fieldOf(form, 'seller_id'), users[0] && labelOfUser(users[0]));
  fillIn(fieldOf(form, 'buyer_id'), buyer && labelOfUser(buyer));
}
