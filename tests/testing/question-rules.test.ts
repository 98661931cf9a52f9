import type { Account } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { buyer, marketplace, request, seller, serveShop } from '../support/fake-shop.ts';

// Questions of the fake: when they were asked, by whom, in what state they are, and how fast they are answered.

serveShop();

const askAt = (at: string, from = marketplace.addUser(), item_id = 'MLA1') =>
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
  for (const at of [first, last, next]) askAt(at);
  const search = marketplace.clientFor(seller).questions.search({ seller_id: 7, filters });
  expect((await search.toArray({ max: 9 })).map(({ text }) => text).toSorted()).toEqual(expected);
});

test('of several questions of a buyer about an item, the earliest counts for the response time, also if it was added last', async () => {
  const from = marketplace.addUser();
  const [late, early] = ['2026-03-02T11:00:00Z', '2026-03-02T10:00:00Z'].map((at) => askAt(at, from));
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
  const own = [askAt(first, from), askAt(last, from)];
  const foreign = askAt(next, from, 'MLA2');
  marketplace.questions.answer(own[0]!.id, 'Yes.');
  const answeredFor = async (account: Account, question_id: number) =>
    (await marketplace.clientFor(account).questions.get({ question_id })).from?.answered_questions;
  expect(await answeredFor(seller, own[1]!.id)).toBe(1);
  expect(await answeredFor(other, foreign.id)).toBe(0);
  marketplace.questions.answer(own[1]!.id, 'Yes.');
  expect(await answeredFor(seller, own[1]!.id)).toBe(2);
  expect(await answeredFor(other, foreign.id)).toBe(0);
});

test.each([
  ['2026-02-16T12:00:00.001Z', true],
  ['2026-02-16T12:00:00.000Z', false],
])('of the response time at noon, a question of %s, 14 days before, counts: %s', async (at, counts) => {
  const { id } = askAt(at);
  marketplace.clock.at('2026-02-16T13:00:00Z', () => void marketplace.questions.answer(id, 'Yes.'));
  const { total } = await marketplace.clientFor(seller).questions.responseTime({ user_id: 7 });
  expect(total?.response_time).toBe(counts ? 60 : 0);
});

describe('questions', () => {
  const ask = (text: string) => marketplace.ask({ from: buyer, item_id: 'MLA1', text });
  const search = async (query: string): Promise<string[]> =>
    (
      (await request(`GET /questions/search?item=MLA1${query}`)).body as { questions: { text: string }[] }
    ).questions.map(({ text }) => text);

  test.each([
    ['', ['c', 'b', 'a']],
    ['&sort_fields=date_created', ['a', 'b', 'c']],
    ['&sort_fields=date_created&sort_types=ASC', ['a', 'b', 'c']],
    ['&sort_fields=date_created&sort_types=DESC', ['c', 'b', 'a']],
    ['&sort_fields=seller_id&sort_types=DESC', ['c', 'b', 'a']],
  ])('of one moment are found in the order of their ids, by %j', async (query, expected) => {
    for (const text of ['a', 'b', 'c']) ask(text);
    expect(await search(query)).toEqual(expected);
  });

  test.each([
    ['', ['open']],
    ['&status=UNANSWERED', ['open']],
    ['&status=unanswered', ['open']],
    ['&status=DELETED', ['']],
    ['&status=unanswered,deleted', ['', 'open']],
  ])('that are deleted are found only by their status: %j', async (query, expected) => {
    ask('open');
    marketplace.questions.delete(ask('deleted').id);
    expect(await search(query)).toEqual(expected);
  });

  test.each([
    [60, null],
    [61, 3],
    [119, 3],
    [120, 4],
    [27 * 60 + 59, 29],
    [28 * 60, 30],
    [40 * 60, 30],
  ])('answered after %i minutes forecast %j percent more sales', async (minutes, percent) => {
    const { id } = marketplace.clock.at('2026-02-23T13:00:00Z', () => ask('a'));
    marketplace.clock.at(new Date(Date.parse('2026-02-23T13:00:00Z') + minutes * 60_000), () =>
      marketplace.questions.answer(id, 'Yes.'),
    );
    const record = await marketplace.clientFor(seller).questions.responseTime({ user_id: 7 });
    expect(record.weekdays_working_hours).toEqual({ response_time: minutes, sales_percent_increase: percent });
  });

  test('the response time is computed once a day of the site, and anew on the next', async () => {
    const total = async (): Promise<unknown> =>
      (await marketplace.clientFor(seller).questions.responseTime({ user_id: 7 })).total?.response_time;
    const answeredAfter = (minutes: number): void => {
      const { id } = marketplace.ask({ from: marketplace.addUser(), item_id: 'MLA1', text: 'New?' });
      marketplace.clock.advance({ minutes });
      marketplace.questions.answer(id, 'Yes.');
    };
    answeredAfter(10);
    expect(await total()).toBe(10);
    answeredAfter(30);
    // Argentina is three hours behind UTC.
    marketplace.clock.set('2026-03-03T02:59:59.999Z');
    expect(await total()).toBe(10);
    marketplace.clock.set('2026-03-03T03:00:00.000Z');
    expect(await total()).toBe(20);
  });
});
