import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Account, Item } from 'marketplace-seller-sdk/testing';
import type { ResponseTime } from 'marketplace-seller-sdk';
import { beforeEach, describe, expect, test } from 'vitest';

// 2026-03-02 is a Monday. Argentina is three hours behind UTC.
const monday = (time: string): string => `2026-03-02T${time}:00-03:00`;

let marketplace: FakeMarketplace;
let seller: Account;
let item: Item;

beforeEach(() => {
  marketplace = new FakeMarketplace({ now: monday('00:00') });
  seller = marketplace.addUser();
  item = marketplace.addItem({ seller_id: seller.user_id });
});

/** Adds a question at a time, answered some minutes later, or never. */
function exchange(at: string, minutes?: number, from = marketplace.addUser(), about = item): void {
  marketplace.clock.set(at);
  const { id } = marketplace.ask({ from, item_id: about.item_id, text: 'Hello?' });
  if (minutes === undefined) return;
  marketplace.clock.advance({ minutes });
  marketplace.questions.answer(id, 'Yes.');
}

async function recordAt(now: string): Promise<ResponseTime> {
  marketplace.clock.set(now);
  return marketplace.clientFor(seller).questions.responseTime({ user_id: seller.user_id });
}

const nextMonday = '2026-03-09T10:00:00-03:00';

describe('time bands', () => {
  test.each([
    [monday('09:00'), 'weekdays_working_hours'],
    [monday('17:59'), 'weekdays_working_hours'],
    [monday('18:00'), 'weekdays_extra_hours'],
    [monday('23:59'), 'weekdays_extra_hours'],
    ['2026-03-07T00:00:00-03:00', 'weekend'],
    ['2026-03-08T23:59:00-03:00', 'weekend'],
  ] as const)('a question of %s is of %s', async (at, band) => {
    exchange(at, 30);
    expect(await recordAt(nextMonday)).toEqual({
      user_id: seller.user_id,
      total: { response_time: 30 },
      weekend: null,
      weekdays_working_hours: null,
      weekdays_extra_hours: null,
      [band]: { response_time: 30, sales_percent_increase: null },
    });
  });

  test('a question between 00:00 and 09:00 counts in the total and in no band', async () => {
    exchange(monday('08:59'), 100);
    exchange(monday('09:00'), 50);
    expect(await recordAt(nextMonday)).toMatchObject({
      total: { response_time: 75 },
      weekdays_working_hours: { response_time: 50 },
      weekdays_extra_hours: null,
    });
  });

  test("bands use the local time of the seller's site", async () => {
    const mexican = marketplace.addUser({ site_id: 'MLM' });
    const theirs = marketplace.addItem({ seller_id: mexican.user_id });
    // 12:00 in Argentina is 09:00 in Mexico, and 11:59 is not yet.
    exchange(monday('12:00'), 10, undefined, theirs);
    exchange(monday('11:59'), 20, undefined, theirs);
    marketplace.clock.set(nextMonday);
    const record = await marketplace.clientFor(mexican).questions.responseTime({ user_id: mexican.user_id });
    expect(record).toMatchObject({ total: { response_time: 15 }, weekdays_working_hours: { response_time: 10 } });
  });

  test('bands follow daylight saving time', async () => {
    const chilean = marketplace.addUser({ site_id: 'MLC' });
    const theirs = marketplace.addItem({ seller_id: chilean.user_id });
    // 12:30 UTC is 09:30 in the summer of Santiago, and 08:30 in its winter.
    exchange('2026-01-05T12:30:00Z', 10, undefined, theirs);
    marketplace.clock.set('2026-01-06T12:00:00Z');
    const client = marketplace.clientFor(chilean);
    const { user_id } = chilean;
    expect(await client.questions.responseTime({ user_id })).toMatchObject({
      weekdays_working_hours: { response_time: 10 },
    });
    exchange('2026-07-06T12:30:00Z', 20, undefined, theirs);
    marketplace.clock.set('2026-07-07T12:00:00Z');
    expect(await client.questions.responseTime({ user_id })).toMatchObject({
      total: { response_time: 20 },
      weekdays_working_hours: null,
    });
  });
});

describe('the average', () => {
  test('the average is in whole minutes', async () => {
    exchange(monday('10:00'), 10);
    exchange(monday('11:00'), 15);
    expect(await recordAt(nextMonday)).toMatchObject({ total: { response_time: 13 } });
  });

  test("only a buyer's first question on an item counts", async () => {
    const buyer = marketplace.addUser();
    const other = marketplace.addItem({ seller_id: seller.user_id });
    exchange(monday('10:00'), 10, buyer);
    exchange(monday('11:00'), 600, buyer);
    expect(await recordAt(monday('23:00'))).toMatchObject({ total: { response_time: 10 } });
    exchange('2026-03-03T10:00:00-03:00', 30, buyer, other);
    expect(await recordAt(nextMonday)).toMatchObject({ total: { response_time: 20 } });
  });

  test('questions of the last 14 days count, and a later question does not replace an older first one', async () => {
    const buyer = marketplace.addUser();
    exchange(monday('10:00'), 10, buyer);
    expect(await recordAt('2026-03-16T09:59:00-03:00')).toMatchObject({ total: { response_time: 10 } });
    exchange('2026-03-16T10:00:00-03:00', 30);
    expect(await recordAt('2026-03-17T10:00:00-03:00')).toMatchObject({ total: { response_time: 30 } });
    exchange('2026-03-17T11:00:00-03:00', 50, buyer);
    expect(await recordAt('2026-03-18T10:00:00-03:00')).toMatchObject({ total: { response_time: 30 } });
  });

  test('without a question in the last 14 days the total is 0 and there are no bands', async () => {
    exchange(monday('10:00'), 10);
    expect(await recordAt('2026-04-30T10:00:00-03:00')).toEqual({
      user_id: seller.user_id,
      total: { response_time: 0 },
      weekend: null,
      weekdays_working_hours: null,
      weekdays_extra_hours: null,
    });
  });

  test('an unanswered question counts as answered now, or after one week at most', async () => {
    exchange(monday('10:00'));
    expect(await recordAt(monday('11:40'))).toMatchObject({ total: { response_time: 100 } });
    expect(await recordAt('2026-03-03T10:00:00-03:00')).toMatchObject({ total: { response_time: 24 * 60 } });
    expect(await recordAt('2026-03-09T10:00:00-03:00')).toMatchObject({ total: { response_time: 7 * 24 * 60 } });
    expect(await recordAt('2026-03-14T10:00:00-03:00')).toMatchObject({ total: { response_time: 7 * 24 * 60 } });
  });

  test('deleted and banned questions do not count', async () => {
    exchange(monday('10:00'), 10);
    exchange(monday('11:00'), 500);
    const { id } = marketplace.questions.all.at(-1)!;
    marketplace.questions.ban(id);
    expect(await recordAt(nextMonday)).toMatchObject({ total: { response_time: 10 } });
  });
});

describe('the forecast', () => {
  test.each([
    [60, null],
    [61, 3],
    [180, 5],
    [6000, 30],
  ])('the forecast for a response time of %i minutes is %s', async (minutes, sales_percent_increase) => {
    exchange(monday('10:00'), minutes);
    expect(await recordAt('2026-03-10T10:00:00-03:00')).toMatchObject({
      weekdays_working_hours: { response_time: minutes, sales_percent_increase },
    });
  });
});

test('the record is refreshed once a day, when the day of the site begins', async () => {
  exchange(monday('10:00'), 10);
  expect(await recordAt(monday('20:00'))).toMatchObject({ total: { response_time: 10 } });
  exchange(monday('21:00'), 20);
  // Past midnight in UTC, not in Argentina.
  expect(await recordAt(monday('23:59'))).toMatchObject({ total: { response_time: 10 } });
  expect(await recordAt('2026-03-03T00:00:00-03:00')).toMatchObject({ total: { response_time: 15 } });
});
