import { ConfigurationError } from 'marketplace-seller-sdk';
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
  'clientFor() with a text': (fake: FakeMarketplace) => fake.clientFor('7' as never),
  'endGrant() with a text': (fake: FakeMarketplace) => fake.accounts.endGrant('7' as never),
};

test.each(Object.entries(wrong))('%s is a FakeMarketplaceError, and nothing is added', (_, call) => {
  const fake = new FakeMarketplace();
  for (const user_id of [7, 8]) fake.addUser({ user_id });
  fake.addItem({ seller_id: 7, item_id: 'MLA1' });
  const pack = fake.addPack({ seller_id: 7, buyer_id: 8 });
  expect(() => call(fake as never, pack as never)).toThrow(FakeMarketplaceError);
  expect([fake.messages.all.length, fake.attachments.all.length, fake.questions.all.length]).toEqual([0, 0, 0]);
});

/** Values that JavaScript code can pass by mistake. */
const values: readonly unknown[] = [undefined, null, 7, -1, NaN, 'x', '', true, {}, [], [null], { user_id: 'x' }];

/** Methods that start a server, and those that only the fake itself calls. */
const servers = ['listen', 'fetch', 'handlers'];
const listeners = ['onStatusChange', 'onChange', 'onAttempt', 'onApplied'];
const left = [
  ...servers,
  ...listeners,
  'pageFor',
  'isFirst',
  'draft',
  'unreadCount',
  'addSent',
  'handlerOf',
  'checkpoint',
];

type Method = readonly [name: string, call: (...given: unknown[]) => unknown];

/** The methods of a marketplace and of its parts. */
function methodsOf(fake: FakeMarketplace): Method[] {
  const parts = ['accounts', 'items', 'packs', 'questions', 'messages', 'flex', 'contacts', 'attachments'] as const;
  const others = ['notifications', 'faults', 'rateLimiter', 'clock', 'operations', 'records', 'requests'] as const;
  const all = [fake, ...[...parts, ...others].map((name) => fake[name])];
  return all.flatMap((part) => {
    const own = Object.getPrototypeOf(part) as object;
    const inherited = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(own));
    const found = Object.entries({ ...inherited, ...Object.getOwnPropertyDescriptors(own) });
    return found.flatMap(([name, { value }]): Method[] => {
      if (typeof value !== 'function' || Object.hasOwn(Object.prototype, name) || left.includes(name)) return [];
      const method = value as (this: unknown, ...given: unknown[]) => unknown;
      return [[`${own.constructor.name}.${name}`, (...given) => method.apply(part, given)]];
    });
  });
}

function shop(): { fake: FakeMarketplace; known: readonly unknown[] } {
  const fake = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
  const [seller, buyer] = [fake.addUser({ user_id: 7 }), fake.addUser({ user_id: 8 })];
  const item = fake.addItem({ seller_id: 7, item_id: 'MLA1' });
  const pack = fake.addPack({ seller_id: 7, buyer_id: 8 });
  return {
    fake,
    known: [...values, seller, item, pack, fake.ask({ from: buyer, item_id: 'MLA1', text: 'a' }), 'MLA1'],
  };
}

test.each(methodsOf(new FakeMarketplace()).map(([name], index) => [name, index] as const))(
  '%s says what is wrong with its arguments, or does without',
  async (_, index) => {
    for (const [first] of shop().known.entries()) {
      const { fake, known } = shop();
      const call = methodsOf(fake)[index]![1];
      for (const [second, other] of values.entries()) {
        const given = [known[first], other, values[(first + second) % values.length]];
        const error: unknown = await Promise.resolve()
          .then(() => call(...given))
          .catch((reason: unknown) => reason);
        const isSaid = error instanceof FakeMarketplaceError || error instanceof ConfigurationError;
        if (error instanceof Error) expect([given, error, isSaid]).toEqual([given, error, true]);
      }
    }
  },
);
