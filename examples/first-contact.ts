// Writes to a buyer who has not written yet, with an option of the action guide. Then writes again,
// through the channel that is open.
// node examples/first-contact.ts
import {
  CapExhaustedError,
  NoChannelError,
  deliveryPromise,
  moderationOf,
  moderationReasonOf,
} from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A fake marketplace where a buyer has just bought something. With a real one, only `seller` is different.
const marketplace = new FakeMarketplace();
const { user_id } = marketplace.addUser();
const buyer = marketplace.addUser();
const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id, shipping: 'flex' });
const pack_id = pack.pack_id ?? pack.order_ids[0] ?? 0;
const seller = marketplace.clientFor(user_id);

for (const { id, type, cap_available } of (await seller.actionGuide.options({ pack_id })).options) {
  console.log(`${id} (${type ?? 'unknown'}): ${cap_available ?? 0} left`);
}

// The compiler knows the fields of each option. This option needs a template and hours.
await seller.actionGuide.send({ pack_id, ...deliveryPromise({ from: 9, to: 13 }) });
try {
  await seller.actionGuide.send({ pack_id, ...deliveryPromise({ from: 14, to: 18 }) });
} catch (error) {
  if (!(error instanceof CapExhaustedError)) throw error;
  console.log('A delivery promise can be sent only once.');
}

// If moderation rejects a message, the call still succeeds. Only the seller sees the message.
const message = { pack_id, user_id, to: { user_id: buyer.user_id }, text: 'Call me at +54 11 4321-5678' };
const first = await seller.messages.contact(message);
if (moderationOf(first.message) === 'rejected')
  console.log(`Rejected (${moderationReasonOf(first.message) ?? 'no reason given'})`);

const again = { ...message, text: 'Your parcel leaves today.' };
try {
  await seller.messages.contact(again);
} catch (error) {
  if (!(error instanceof NoChannelError)) throw error;
  console.log(`Not sent: ${error.reason}`);
}

marketplace.buyerWrites({ pack, text: 'When does it arrive?' });
const { channel } = await seller.messages.contact(again);
console.log(`Sent through the ${channel}`);
