import { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, test } from 'vitest';
import { isSame, verifyTape } from '../../src/testing/tape/replay.js';
import { seedOfTape } from '../../src/testing/tape/seed-of-tape.js';
import { fc } from '../support/fast-check.ts';
import { tapingOf } from '../support/taping.ts';

const now = '2030-03-04T12:00:00Z';
const sellers = [70_001, 70_002];
const buyers = [80_001, 80_002, 80_003];
const firstQuestion = 5_000_000_001;
const firstPack = 2_000_000_000_000_001;

/** A generated marketplace: its questions and packs, by the positions of their users. */
interface Content {
  readonly questions: readonly { readonly item: number; readonly from: number; readonly isAnswered: boolean }[];
  readonly packs: readonly {
    readonly seller: number;
    readonly buyer: number;
    readonly messages: number;
    readonly isBlocked: boolean;
  }[];
}

function fake({ questions, packs }: Content): FakeMarketplace {
  const marketplace = new FakeMarketplace({ now });
  for (const user_id of [...sellers, ...buyers]) marketplace.addUser({ user_id });
  for (const [index, seller_id] of [...sellers, ...sellers].entries())
    marketplace.addItem({ item_id: `MLA70000000${index}`, seller_id, title: `Item of kind ${index}` });
  for (const { item, from, isAnswered } of questions) {
    const { id } = marketplace.ask({
      from: { user_id: buyers[from]! },
      item_id: `MLA70000000${item}`,
      text: 'x?'.repeat(item * 40 + 1),
    });
    if (isAnswered) marketplace.questions.answer(id, 'Sí.');
  }
  for (const { seller, buyer, messages, isBlocked } of packs) {
    const blockedBy = isBlocked ? 'blocked_by_payment' : null;
    const pack = marketplace.addPack({
      seller_id: sellers[seller]!,
      buyer_id: buyers[buyer]!,
      blockedBy,
      shipping: 'flex',
    });
    for (let count = 0; count < messages; count += 1) marketplace.buyerWrites({ pack, text: `Mensaje ${count}` });
  }
  for (const user_id of sellers) marketplace.flex.subscribe({ user_id });
  return marketplace;
}

const content: fc.Arbitrary<Content> = fc.record({
  questions: fc.array(fc.record({ item: fc.nat(3), from: fc.nat(2), isAnswered: fc.boolean() }), { maxLength: 6 }),
  packs: fc.array(fc.record({ seller: fc.nat(1), buyer: fc.nat(2), messages: fc.nat(3), isBlocked: fc.boolean() }), {
    maxLength: 4,
  }),
});

/** One step of a day: who does what with which entry. Some entries do not exist. */
const step = fc.record({
  kind: fc.nat(17),
  seller: fc.nat(1),
  buyer: fc.nat(2),
  entry: fc.nat(6),
  text: fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
  hours: fc.nat(30),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function act(
  { kind, seller, buyer, entry, text, hours }: Step,
  marketplace: FakeMarketplace,
  clientOf: (user_id: number) => SellerClient,
): Promise<unknown> {
  const [user_id, buyer_id] = [sellers[seller]!, buyers[buyer]!];
  const [own, other] = [clientOf(user_id), clientOf(buyer_id)];
  const [question_id, pack_id, item_id] = [firstQuestion + entry, firstPack + entry, `MLA70000000${entry}`];
  const file = new Blob([text], { type: 'text/plain' });
  const place = { site_id: 'MLA', user_id, service_id: 10_001 + seller };
  const steps: readonly (() => PromiseLike<unknown>)[] = [
    () => own.questions.search({ seller_id: user_id }).toArray(),
    () => other.questions.ask({ item_id, text }),
    () => own.questions.answer({ question_id, text }),
    () => own.questions.get({ question_id }),
    () => own.questions.delete({ question_id }),
    () => own.messages.conversation({ pack_id, user_id }).toArray(),
    () => own.messages.send({ pack_id, user_id, to: { user_id: buyer_id }, text }),
    () => other.messages.send({ pack_id, user_id, from: { user_id: buyer_id }, to: { user_id }, text }),
    () => own.messages.unread(),
    () => own.actionGuide.send({ pack_id, option_id: 'OTHER', text }),
    () => own.actionGuide.options({ pack_id }),
    async () => {
      const { id } = await own.messages.upload({ site_id: 'MLA', file, filename: 'a.txt' });
      await own.messages.send({ pack_id, user_id, to: { user_id: buyer_id }, text, attachments: [id] });
      await (await other.messages.download({ site_id: 'MLA', attachment_id: id })).arrayBuffer();
    },
    () => own.questions.blacklist.add({ seller_id: user_id, user_id: buyer_id }),
    () => own.questions.blacklist.list({ seller_id: user_id }).toArray(),
    () => own.items.status({ ids: [item_id, 'MLA700000001'] }),
    () => own.flex.items.enable({ site_id: 'MLA', item_id }),
    () => own.flex.configuration(place),
    async () => {
      marketplace.clock.advance({ hours });
      await own.currencies.get({ id: 'ARS' });
    },
  ];
  return Promise.resolve(steps[kind]!()).catch(() => undefined);
}

test(
  'any day with a fake, replayed on a fake with the same content, has no difference, and gives a seed',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.boolean(),
        async (given, steps, keepsIds) => {
          const marketplace = fake(given);
          const recorder = await tapingOf(marketplace, keepsIds);
          const clients = new Map<number, SellerClient>();
          const clientOf = (user_id: number): SellerClient => {
            const options = { baseUrl: 'https://proxy.test', fetch: recorder.fetch, maxRetries: 0 };
            const client =
              clients.get(user_id) ?? new SellerClient({ ...options, accessToken: marketplace.tokenFor({ user_id }) });
            clients.set(user_id, client);
            return client;
          };
          for (const each of steps) await act(each, marketplace, clientOf);
          const results = await verifyTape(recorder.tape(), fake(given));
          expect(results.filter((each) => !isSame(each))).toEqual([]);
          new FakeMarketplace().seed(seedOfTape(recorder.tape()));
        },
      ),
      { numRuns: 15 },
    );
  },
);
