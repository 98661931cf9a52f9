import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, test, vi } from 'vitest';

/** Reads the first page of a conversation, and counts how many messages are looked up for it. */
async function lookups(length: number): Promise<number> {
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
  for (let sent = 0; sent < length; sent += 1)
    marketplace.messages.add(pack, { from: seller.user_id, text: `Message ${sent}` });
  const client = marketplace.clientFor(seller);
  const get = vi.spyOn(Map.prototype, 'get');
  const first = await client.messages
    .conversation({ pack_id: pack.pack_id ?? 0, user_id: seller.user_id, mark_as_read: false })
    .first();
  const count = get.mock.calls.filter(([key]) => typeof key === 'string' && /^[0-9a-f]{32}$/.test(key)).length;
  get.mockRestore();
  expect(first?.text).toBe(`Message ${length - 1}`);
  return count;
}

test('the first page of a conversation of 20,000 messages looks up as many as that of a short one', async () => {
  expect(await lookups(20_000)).toBe(await lookups(30));
});

test('every store has all its entries', () => {
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const item = marketplace.addItem({ seller_id: seller.user_id });
  const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
  const message = marketplace.buyerWrites({ pack, text: 'Hi', files: [{ filename: 'a.txt', content: 'x' }] });
  marketplace.viewPhone(item);
  expect(marketplace.messages.all).toEqual([message]);
  expect(marketplace.attachments.all).toEqual(message.files);
  expect(marketplace.contacts.all).toMatchObject([{ kind: 'phone_view', item_id: item.item_id }]);
});
