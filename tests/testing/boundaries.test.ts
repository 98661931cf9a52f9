import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Account } from 'marketplace-seller-sdk/testing';
import { beforeEach, expect, test } from 'vitest';

// The fake at its boundaries: the first and the last moment of a period, two sellers, and the second time of an action.

let marketplace: FakeMarketplace;
let seller: Account;
beforeEach(() => {
  marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
  seller = marketplace.addUser({ user_id: 7 });
  marketplace.addItem({ item_id: 'MLA1', seller_id: 7 });
});

const ask = (at: string, from = marketplace.addUser(), item_id = 'MLA1') =>
  marketplace.clock.at(at, () => marketplace.ask({ from, item_id, text: at }));

const [first, last, next] = ['2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.000Z'];

test.each<[Record<string, string>, string[]]>([
  [{ date_to: '2026-03-01' }, [first, last]],
  [{ date_to: '2026-03-02T00:00:00.000Z' }, [first, last]],
  [{ date_to: '2026-03-01T23:59:59.999Z' }, [first]],
  [{ date_from: '2026-03-01' }, [first, last, next]],
  [{ date_from: '2026-03-01T00:00:00.001Z' }, [last, next]],
  [{ date_from: '2026-03-02' }, [next]],
  [{ date_from: '2026-03-01', date_to: '2026-03-01' }, [first, last]],
])('a search with %j finds what was asked in that period', async (filters, expected) => {
  for (const at of [first, last, next]) ask(at);
  const search = marketplace.clientFor(seller).questions.search({ seller_id: 7, filters });
  expect((await search.toArray({ max: 9 })).map(({ text }) => text).toSorted()).toEqual(expected);
});

test('of several questions of a buyer about an item, the earliest counts for the response time, also if it was added last', async () => {
  const from = marketplace.addUser();
  const [late, early] = ['2026-03-02T11:00:00Z', '2026-03-02T10:00:00Z'].map((at) => ask(at, from));
  marketplace.clock.at('2026-03-02T11:30:00Z', () => {
    for (const each of [late, early]) marketplace.questions.answer(each!.id, 'Yes.');
  });
  const { total } = await marketplace.clientFor(seller).questions.responseTime({ user_id: 7 });
  expect(total?.response_time).toBe(90);
});

test('a seller sees how many questions of a user they have answered, and not those of another seller', async () => {
  const other = marketplace.addUser({ user_id: 8 });
  marketplace.addItem({ item_id: 'MLA2', seller_id: 8 });
  const from = marketplace.addUser();
  const own = [ask(first, from), ask(last, from)];
  const foreign = ask(next, from, 'MLA2');
  marketplace.questions.answer(own[0]!.id, 'Yes.');
  const answeredFor = async (account: Account, question_id: number) =>
    (await marketplace.clientFor(account).questions.get({ question_id })).from?.answered_questions;
  expect(await answeredFor(seller, own[1]!.id)).toBe(1);
  expect(await answeredFor(other, foreign.id)).toBe(0);
  marketplace.questions.answer(own[1]!.id, 'Yes.');
  expect(await answeredFor(seller, own[1]!.id)).toBe(2);
  expect(await answeredFor(other, foreign.id)).toBe(0);
});

test('a user who is blocked twice is blocked since the first time, and after an unblocking since the next', async () => {
  const { user_id } = marketplace.addUser();
  const blacklist = marketplace.clientFor(seller).questions.blacklist;
  const since = async () => (await blacklist.list({ seller_id: 7 }).first())?.blocked_at;
  const at = (time: string, run: () => void) => marketplace.clock.at(time, run);
  at(first, () => marketplace.questions.block(user_id, 7));
  const before = await since();
  at(next, () => marketplace.questions.block(user_id, 7));
  expect(await since()).toBe(before);
  marketplace.questions.unblock(user_id, 7);
  expect(await since()).toBeUndefined();
  at(next, () => marketplace.questions.block(user_id, 7));
  expect(await since()).not.toBe(before);
});

test.each([
  ['active', 'DELETED'],
  ['closed', 'DELETED'],
  ['under_review', 'DELETED'],
] as const)('a question that was deleted stays so on an item that is %s', (status, expected) => {
  const { id } = ask(first);
  marketplace.questions.delete(id);
  marketplace.items.change('MLA1', { status });
  expect(marketplace.questions.statusOf(marketplace.questions.getOrThrow(id))).toBe(expected);
});

test('a clock that ran ahead follows the machine after a reset', () => {
  const running = new FakeMarketplace();
  running.clock.set('2030-01-01T00:00:00Z');
  running.clock.run();
  running.reset();
  expect(Math.abs(running.clock.ms - Date.now())).toBeLessThan(86_400_000);
});

test.each([
  ['2026-03-02T12:00:00.000Z', 1],
  ['2026-03-02T12:00:00.001Z', 0],
  ['2026-03-01T00:00:00.000Z', 1],
  ['2026-02-28T23:59:59.999Z', 0],
])('a window of two days to noon counts a contact at %s %i times', async (at, expected) => {
  marketplace.contacts.record('phone_view', { item_id: 'MLA1' }, { at });
  const { phoneViews } = marketplace.clientFor(seller).contacts;
  const ending = '2026-03-02T12:00:00.000Z';
  const window = await phoneViews.windowOfItem({ item_id: 'MLA1', last: 2, unit: 'day', ending });
  expect(window.total).toBe(expected);
});

test.each([
  ['2026-02-16T12:00:00.001Z', true],
  ['2026-02-16T12:00:00.000Z', false],
])('of the response time at noon, a question of %s, 14 days before, counts: %s', async (at, counts) => {
  const { id } = ask(at);
  marketplace.clock.at('2026-02-16T13:00:00Z', () => void marketplace.questions.answer(id, 'Yes.'));
  const { total } = await marketplace.clientFor(seller).questions.responseTime({ user_id: 7 });
  expect(total?.response_time).toBe(counts ? 60 : 0);
});
