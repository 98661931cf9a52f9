// Writes to a buyer first, by a reason of the action guide; and again, by whichever road is open.
// node examples/first-contact.ts
import {
  CapExhaustedError,
  NoChannelError,
  deliveryPromise,
  isModerated,
  moderationReasonOf,
} from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A marketplace in memory on which a buyer has just bought; with a real one, only `seller` would differ.
const marketplace = new FakeMarketplace();
const { user_id } = marketplace.addUser();
const buyer = marketplace.addUser();
const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id, shipping: 'flex' });
const pack_id = pack.pack_id ?? pack.order_ids[0] ?? 0;
const seller = marketplace.clientFor({ user_id });

for (const { id, type, cap_available } of (await seller.actionGuide.options({ pack_id })).options) {
  console.log(`${id} (${type ?? 'unknown'}): ${cap_available ?? 0} left`);
}

// The compiler knows which fields an option takes; this one takes a template and hours.
await seller.actionGuide.send({ pack_id, ...deliveryPromise({ from: 9, to: 13 }) });
try {
  await seller.actionGuide.send({ pack_id, ...deliveryPromise({ from: 14, to: 18 }) });
} catch (error) {
  if (!(error instanceof CapExhaustedError)) throw error;
  console.log('The promise was made: once is what the option takes.');
}

// A message that moderation rejects is a success of the call: nobody but the seller sees it.
const message = { pack_id, user_id, to: { user_id: buyer.user_id }, text: 'Call me at +54 11 4321-5678' };
const first = await seller.messages.contact(message);
if (isModerated(first.message)) console.log(`Rejected (${moderationReasonOf(first.message) ?? 'no reason given'})`);

const again = { ...message, text: 'Your parcel leaves today.' };
try {
  await seller.messages.contact(again);
} catch (error) {
  if (!(error instanceof NoChannelError)) throw error;
  console.log(`Not now: ${error.reason}`);
}

marketplace.buyerWrites({ pack, text: 'When does it arrive?' });
const { channel } = await seller.messages.contact(again);
console.log(`Sent by the ${channel}`);
