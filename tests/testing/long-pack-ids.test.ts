import type { ApiError } from 'marketplace-seller-sdk';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { PackId } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { controlled } from '../support/control-calls.ts';

/** 2^53 is 9007199254740992: a number beyond it is not the next one. */
const ids: readonly PackId[] = ['9007199254740993', '18446744073709551615', '20000123456789012345'];

function withPacks(...pack_ids: readonly PackId[]) {
  const marketplace = new FakeMarketplace();
  for (const user_id of [7, 8]) marketplace.addUser({ user_id });
  const packs = pack_ids.map((pack_id) =>
    marketplace.addPack({ pack_id, seller_id: 7, buyer_id: 8, shipping: 'flex' }),
  );
  return { marketplace, packs, seller: marketplace.clientFor({ user_id: 7 }) };
}

describe.each(ids)('a pack with the id %s', (pack_id) => {
  test('is written to, and read, as the client sends it', async () => {
    const { marketplace, packs, seller } = withPacks(pack_id, '9007199254740994');
    const [pack] = packs;
    if (!pack) throw new Error('unreachable');
    marketplace.buyerWrites({ pack, text: 'Hello?' });
    await seller.messages.send({ pack_id, user_id: 7, to: { user_id: 8 }, text: 'Hi' });
    const texts = await seller.messages.conversation({ pack_id, user_id: 7 }).toArray();
    expect(texts.map(({ text }) => text)).toEqual(['Hi', 'Hello?']);
    expect((await seller.actionGuide.options({ pack_id })).options.length).toBeGreaterThan(0);
    expect(marketplace.messages.of(pack).map(({ text }) => text)).toEqual(['Hello?', 'Hi']);
    expect(marketplace.packs.getOrThrow(pack_id)).toMatchObject({ pack_id });
    const other = seller.messages.conversation({ pack_id: '9007199254740994', user_id: 7 });
    expect(await other.toArray()).toEqual([]);
  });

  test('is announced, shown and changed', async () => {
    const { control, end } = await controlled();
    expect(await control('POST', 'packs', { pack_id, seller_id: 1001, buyer_id: 1002 })).toMatchObject({
      body: { pack: pack_id },
    });
    expect(await control('POST', 'messages', { pack: pack_id, from: 'buyer', text: 'Hello?' })).toMatchObject({
      status: 200,
    });
    const { conversations } = (await control('GET', 'state')).body as {
      conversations: { pack: PackId; messages: object[] }[];
    };
    expect(conversations.find(({ pack }) => pack === pack_id)?.messages).toMatchObject([{ text: 'Hello?' }]);
    await end();
  });
});

test('the digits of a smaller id are that id', () => {
  const { marketplace, packs } = withPacks('2000000000000001');
  expect(packs[0]?.pack_id).toBe(2_000_000_000_000_001);
  expect(marketplace.packs.get('2000000000000001')).toBe(marketplace.packs.get(2_000_000_000_000_001));
});

test.each(['', '0', '-1', '1.5', '1e20', 'abc', '007', '123456789012345678901', 2 ** 53, 0])(
  '%s is no id of a pack',
  (pack_id) => {
    expect(() => withPacks(pack_id)).toThrow(FakeMarketplaceError);
  },
);

test('a pack that does not exist is rejected as a smaller one is', async () => {
  const { seller } = withPacks();
  const statuses = ['9007199254740993', '900'].map((pack_id) =>
    Promise.resolve(seller.messages.conversation({ pack_id, user_id: 7 }).toArray()).then(
      () => 200,
      (error: unknown) => (error as ApiError).status,
    ),
  );
  expect(new Set(await Promise.all(statuses)).size).toBe(1);
});
