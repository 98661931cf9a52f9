import { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, test } from 'vitest';
import { sample } from '../../src/testing/seed/sample.js';
import { isSame, verifyTape } from '../../src/testing/tape/replay.js';
import type { Verified } from '../../src/testing/tape/replay.js';
import { seedOfTape } from '../../src/testing/tape/seed-of-tape.js';
import type { TapeExchange } from '../../src/testing/tape/tape.js';
import { tapingOf } from '../support/taping.ts';

const now = '2030-03-04T12:00:00Z';
const [seller_id, pack_id] = [1001, 2_000_000_000_000_001];

/** Records a day of the sample, which has more in it than the tape shows. */
async function recorded(
  use: (seller: SellerClient, buyer: SellerClient) => Promise<unknown>,
  prepare: (marketplace: FakeMarketplace) => unknown = () => undefined,
): Promise<TapeExchange[]> {
  const marketplace = new FakeMarketplace({ now });
  marketplace.seed(sample(Date.parse(now)));
  prepare(marketplace);
  const recorder = await tapingOf(marketplace);
  const client = (accessToken: string): SellerClient =>
    new SellerClient({ baseUrl: 'https://proxy.test', accessToken, fetch: recorder.fetch, maxRetries: 0 });
  await use(client('SELLER-TOKEN'), client('BUYER-TOKEN'));
  return recorder.tape();
}

async function verifiedOnSeed(tape: readonly TapeExchange[]): Promise<Verified[]> {
  const marketplace = new FakeMarketplace();
  marketplace.seed(seedOfTape(tape));
  return verifyTape(tape, marketplace);
}

const different = (results: readonly Verified[]): unknown[] => results.filter((each) => !isSame(each));

test('a fake with the seed of a tape responds as on the tape', async () => {
  const tape = await recorded(async (seller, buyer) => {
    await seller.questions.search({ seller_id }).toArray();
    const open = await seller.questions.search({ seller_id, filters: { status: 'UNANSWERED' } }).first();
    await seller.questions.answer({ question_id: open!.id, text: 'Sí.' });
    await seller.questions.answer({ question_id: open!.id, text: 'Sí.' }).catch(() => undefined);
    const asked = await buyer.questions.ask({ item_id: 'MLA600000001', text: '¿De qué color?' });
    await seller.questions.get({ question_id: Number(asked?.id) });
    await seller.questions.search({ seller_id }).toArray();
    await seller.messages.conversation({ pack_id, user_id: seller_id }).toArray();
    await seller.messages.send({ pack_id, user_id: seller_id, to: { user_id: 1002 }, text: 'Mañana.' });
    await seller.messages.conversation({ pack_id, user_id: seller_id }).toArray();
    await seller.actionGuide.options({ pack_id });
    await seller.messages.conversation({ pack_id: pack_id + 1, user_id: seller_id }).toArray();
    await seller.flex.subscriptions({ site_id: 'MLA', user_id: seller_id });
    await seller.flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA600000001' });
    await seller.flex.items.disable({ site_id: 'MLA', item_id: 'MLA600000001' });
    await seller.items.status({ ids: ['MLA600000003', 'MLA600000001'] });
    const period = { date_from: '2030-02-01', date_to: '2030-03-05' };
    await seller.contacts.phoneViews.ofItem({ item_id: 'MLA600000001', ...period });
    await seller.contacts.phoneViews.windowOfItem({ item_id: 'MLA600000001', last: 2, unit: 'day' });
  });
  expect(different(await verifiedOnSeed(tape))).toEqual([]);
  expect(tape.length).toBeGreaterThan(15);
});

test('a seed has what only a search, a list of hours or an option shows', async () => {
  const other_pack = pack_id + 7;
  const tape = await recorded(
    async (seller) => {
      await seller.sites.search({ site_id: 'MLA', q: 'a' }).toArray();
      await seller.sites.search({ site_id: 'MLA', q: 'nothing like it' }).toArray();
      await seller.flex.subscriptions({ site_id: 'MLA', user_id: seller_id });
      await seller.flex.configuration({ site_id: 'MLA', user_id: seller_id, service_id: 10_001 });
      await seller.messages.conversation({ pack_id: other_pack, user_id: seller_id }).toArray();
      await seller.actionGuide.send({ pack_id: other_pack, option_id: 'OTHER', text: 'Hola' });
    },
    (marketplace) => marketplace.addPack({ pack_id: other_pack, seller_id, buyer_id: 1002 }),
  );
  expect(different(await verifiedOnSeed(tape))).toEqual([]);
});

test('a seed has the state before the tape, and nothing that the tape has made', async () => {
  const tape = await recorded(async (seller, buyer) => {
    const asked = await buyer.questions.ask({ item_id: 'MLA600000001', text: 'New?' });
    await seller.questions.answer({ question_id: 5_000_000_002, text: 'Yes.' });
    await seller.questions.search({ seller_id }).toArray();
    await seller.questions.get({ question_id: Number(asked?.id) });
    await seller.messages.send({ pack_id, user_id: seller_id, to: { user_id: 1002 }, text: 'Sent.' });
    await seller.messages.conversation({ pack_id, user_id: seller_id }).toArray();
  });
  const { questions = [], packs = [] } = seedOfTape(tape);
  expect(questions.map(({ answer }) => answer !== undefined)).toEqual([true, false, false]);
  expect(packs.map(({ messages = [] }) => messages.map(({ from }) => from))).toEqual([['buyer', 'seller']]);
  expect(different(await verifiedOnSeed(tape))).toEqual([]);
});

test('a seed has values in the case that it takes, and none that it does not take', async () => {
  const tape = await recorded(
    async (seller) => {
      await seller.items.status({ ids: ['MLA600000003', 'MLA600000001'] });
      await seller.flex.subscriptions({ site_id: 'MLA', user_id: seller_id });
    },
    ({ settings, items }) => {
      settings.odd = { kinds: ['letter-case'] };
      items.change('MLA600000001', { status: 'paused' });
    },
  );
  const [{ response }, ...others] = tape as [TapeExchange, ...TapeExchange[]];
  const value = (response.value as object[]).map((entry, index) => (index === 0 ? { status: 'gone' } : entry));
  const { items = [], flex } = seedOfTape([{ ...tape[0]!, response: { ...response, value } }, ...others]);
  expect(items.map(({ status }) => status)).toEqual([undefined, 'paused']);
  expect(flex?.subscriptions).toMatchObject([{ mode: 'FLEX', status: 'in' }]);
});

test('the response to a question shows whose item it is about', async () => {
  const tape = await recorded((_, buyer) => buyer.questions.ask({ item_id: 'MLA600000001', text: 'New?' }));
  expect(different(await verifiedOnSeed(tape))).toEqual([]);
});

test('a difference because of a pack that the fake does not have says so', async () => {
  const tape = await recorded((seller) => seller.messages.conversation({ pack_id, user_id: seller_id }).toArray());
  const marketplace = new FakeMarketplace();
  marketplace.addItem({ seller_id: marketplace.addUser().user_id });
  const [result] = await verifyTape(tape, marketplace);
  expect(result!.lacks).toMatch(/^the fake has no pack that stands for \d+; `fake seed-from` makes a seed with it$/);
});

test('a seed of nothing is empty', () => {
  expect(seedOfTape([])).toEqual({ now: undefined });
});
