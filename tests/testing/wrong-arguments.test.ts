import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import { expect, test } from 'vitest';

/** Calls as JavaScript code can write them. */
const wrong: Readonly<Record<string, (fake: never, pack: never) => unknown>> = {
  'buyerWrites() without a text': (fake: FakeMarketplace, pack) => fake.buyerWrites({ pack } as never),
  'buyerWrites() without a pack': (fake: FakeMarketplace) => fake.buyerWrites({ text: 'a' } as never),
  'buyerWrites() without anything': (fake: FakeMarketplace) => fake.buyerWrites(undefined as never),
  'a file with bytes in place of content': (fake: FakeMarketplace, pack) =>
    fake.buyerWrites({ pack, text: 'a', files: [{ filename: 'a', bytes: new Uint8Array(1) }] } as never),
  'a file without content': (fake: FakeMarketplace, pack) =>
    fake.buyerWrites({ pack, text: 'a', files: [{ filename: 'a' }] } as never),
  'ask() without a user': (fake: FakeMarketplace) => fake.ask({ item_id: 'MLA1', text: 'a' } as never),
  'ask() without a text': (fake: FakeMarketplace) => fake.ask({ from: { user_id: 7 }, item_id: 'MLA1' } as never),
  'addItem() without anything': (fake: FakeMarketplace) => fake.addItem(undefined as never),
  'addPack() without anything': (fake: FakeMarketplace) => fake.addPack(null as never),
  'tokenFor() without a user': (fake: FakeMarketplace) => fake.tokenFor(undefined as never),
  'clientFor() with an id': (fake: FakeMarketplace) => fake.clientFor(7 as never),
  'endGrant() with an id': (fake: FakeMarketplace) => fake.accounts.endGrant(7 as never),
};

test.each(Object.entries(wrong))('%s is a FakeMarketplaceError, and nothing is added', (_, call) => {
  const fake = new FakeMarketplace();
  for (const user_id of [7, 8]) fake.addUser({ user_id });
  fake.addItem({ seller_id: 7, item_id: 'MLA1' });
  const pack = fake.addPack({ seller_id: 7, buyer_id: 8 });
  expect(() => call(fake as never, pack as never)).toThrow(FakeMarketplaceError);
  expect([fake.messages.all.length, fake.attachments.all.length, fake.questions.all.length]).toEqual([0, 0, 0]);
});
