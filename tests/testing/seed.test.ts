import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import type { SeedInit } from 'marketplace-seller-sdk/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { sample } from '../../src/testing/seed/schema.js';

let marketplace: FakeMarketplace;
const people: SeedInit = {
  users: [{ user_id: 7 }, { user_id: 31 }],
  items: [{ item_id: 'MLA1', seller_id: 7 }],
};

beforeEach(() => {
  marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
});

/** What is wrong with a seed that is not accepted. */
function mistakeOf(seed: object): string {
  try {
    marketplace.seed(seed);
  } catch (error) {
    if (error instanceof FakeMarketplaceError) return error.message.replace('FakeMarketplace: ', '');
    throw error;
  }
  throw new Error('it was accepted');
}

describe('the times of a seed', () => {
  test('are those of its entries, otherwise now', () => {
    const question = { item_id: 'MLA1', from: 31, text: 'Is it new?' };
    marketplace.seed({
      ...people,
      now: '2026-03-05T12:00:00Z',
      questions: [
        question,
        { ...question, asked_at: '2026-03-01T10:00:00Z', answer: 'Yes.', answered_at: '2026-03-01T11:00:00Z' },
        { ...question, asked_at: '2026-03-01T10:00:00Z', answer: 'Yes.' },
        { ...question, answer: 'Yes.' },
      ],
      packs: [
        {
          ...{ pack_id: 900, seller_id: 7, buyer_id: 31 },
          messages: [
            { from: 'buyer', text: 'Hello', sent_at: '2026-03-01T10:00:00Z' },
            { from: 'seller', text: 'Hi' },
          ],
        },
      ],
    });
    expect(marketplace.clock.iso).toBe('2026-03-05T12:00:00.000Z');
    const at = (ms: number | undefined): string | undefined => (ms === undefined ? ms : new Date(ms).toISOString());
    expect(marketplace.questions.all.map(({ askedAt, answer }) => [at(askedAt), at(answer?.answeredAt)])).toEqual([
      ['2026-03-05T12:00:00.000Z', undefined],
      ['2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z'],
      ['2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z'],
      ['2026-03-05T12:00:00.000Z', '2026-03-05T12:00:00.000Z'],
    ]);
    expect(marketplace.messages.all.map(({ from, sentAt }) => [from, at(sentAt)])).toEqual([
      [31, '2026-03-01T10:00:00.000Z'],
      [7, '2026-03-05T12:00:00.000Z'],
    ]);
  });
});

describe('a seed that is not accepted', () => {
  test('names each wrong field, by its path', () => {
    const seed = { users: [{ user_id: 'x' }], items: [{ seller_id: 1, flex: 'yes' }] };
    expect(mistakeOf(seed).split('; ')).toEqual([
      expect.stringMatching(/^`users\.0\.user_id` takes an integer/),
      expect.stringMatching(/^`items\.0\.flex` takes /),
    ]);
  });

  test.each<[object, string]>([
    [{ blacklist: [{ seller_id: 7, user_id: 99 }] }, '`blacklist.0`: there is no user 99'],
    [{ flex: { shipments: [{ user_id: 7, driver_id: 1 }] } }, '`flex.shipments.0`: user 7 has no active subscription'],
    [{ contacts: [{ kind: 'question', item_id: 'MLA404' }] }, '`contacts.0`: there is no item MLA404'],
    [{ packs: [{ seller_id: 7, buyer_id: 7 }] }, '`packs.0`: a seller cannot buy from themselves'],
    [{ flex: { subscriptions: [{ user_id: 99 }] } }, '`flex.subscriptions.0`: there is no user 99'],
    [{ users: [{ token: ' a' }] }, '`users.0.token`: a token has only letters, digits and . ~ + / = _ -'],
    [{ users: [{ token: 'a\n' }] }, '`users.0.token`: a token has only letters'],
    [
      { questions: [{ item_id: 'MLA1', from: 31, text: 'x'.repeat(2001) }] },
      '`questions.0.text`: a question or answer has at most 2000 characters',
    ],
    [{ now: '0000-01-01T00:00:00Z' }, '`now`: a time is an ISO 8601 string from the years 1 to 9999'],
  ])('names its wrong entry: %j', (seed, mistake) => {
    expect(mistakeOf({ ...people, ...seed })).toContain(mistake);
  });
});

test('the sample has something to show for each part of the dashboard, all of it before now', () => {
  const { ms: now } = marketplace.clock;
  marketplace.seed(sample(now));
  const { accounts, contacts, flex, items, messages, packs, questions } = marketplace;
  expect(accounts.all.map(({ nickname, site_id }) => `${nickname} ${site_id}`)).toEqual([
    ...['MATE_AND_CO MLA', 'LUCIA MLA', 'TOMAS MLA'],
  ]);
  expect(items.all.map(({ status }) => status)).toEqual(['active', 'active', 'paused']);
  expect(items.all.map((item) => flex.isEnabled(item))).toEqual([true, false, false]);
  expect(questions.all.map(({ askedAt }) => (now - askedAt) / 60_000)).toEqual([190, 47, 6, 40, 30, 20]);
  expect(questions.all.flatMap(({ answer }) => (answer ? [(now - answer.answeredAt) / 60_000] : []))).toEqual([162]);
  expect(messages.all.map(({ sentAt }) => (now - sentAt) / 60_000)).toEqual([31, 24, 75]);
  for (const { text } of [...questions.all, ...messages.all]) expect(text).toMatch(/\w/);
  for (const { title } of items.all) expect(title).toMatch(/\w/);
  expect(packs.all.map(({ blockedBy }) => blockedBy)).toEqual([null, 'blocked_by_cancelled_order', null]);
  expect(flex.shipments).toMatchObject([{ user_id: 1001, driver_id: 77 }]);
  expect(contacts.all.map(({ at, times }) => [(now - at) / 60_000, times])).toEqual([[90, 4]]);
});

describe('the settings of a seed', () => {
  test.each<[object, string]>([
    [{ conversationPageSize: 0 }, '`settings.conversationPageSize`: an integer from 1 to 1000'],
    [{ maxPageSize: 1001 }, '`settings.maxPageSize`: an integer from 1 to 1000'],
    [{ optionLockMs: -1 }, '`settings.optionLockMs`: an integer from 0 to 60000'],
    [{ maxIds: 201 }, '`settings.maxIds`: an integer from 1 to 200'],
    [{ odd: { share: 0.5 } }, '`settings.odd` is not a field here'],
  ])('are in their range, not %j', (settings, mistake) => {
    expect(mistakeOf({ settings })).toContain(mistake);
  });

  test('may be the least and the most', () => {
    for (const settings of [
      { conversationPageSize: 1, maxPageSize: 1, optionLockMs: 0, maxIds: 1, capPerOption: 0 },
      { conversationPageSize: 1000, maxPageSize: 1000, optionLockMs: 60_000, maxIds: 200, capPerOption: 1000 },
    ]) {
      marketplace.seed({ settings });
      expect(marketplace.settings).toMatchObject(settings);
    }
  });

  test('that are left out stay; `null` means that files never expire', () => {
    const { attachmentLifetimeMs } = marketplace.settings;
    marketplace.seed({ settings: { maxIds: 7 } });
    marketplace.seed({ settings: { capPerOption: 2 } });
    expect(marketplace.settings).toMatchObject({ attachmentLifetimeMs, maxIds: 7, capPerOption: 2 });
    marketplace.seed({ settings: { attachmentLifetimeMs: null } });
    expect(marketplace.settings.attachmentLifetimeMs).toBe(Infinity);
    marketplace.seed({ settings: { attachmentLifetimeMs: 5 } });
    expect(marketplace.settings.attachmentLifetimeMs).toBe(5);
  });
});

describe('the faults of a seed', () => {
  const currencies = (): Promise<Response> => marketplace.fetch(new Request(`${marketplace.baseUrl}/currencies`));

  test('are injected, with headers as texts; `false` is the same as nothing', async () => {
    marketplace.seed({
      faults: [
        { status: 429, headers: { 'retry-after': 3 }, endpoint: 'currencies.list', stall: false, truncate: false },
      ],
    });
    const response = await currencies();
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
    expect((await currencies()).status).toBe(200);
  });

  test('may cut a response', async () => {
    const whole = await (await currencies()).text();
    marketplace.seed({ faults: [{ truncate: true, endpoint: 'currencies.list' }] });
    const cut = await currencies()
      .then((response) => response.text())
      .catch(() => '');
    expect(cut.length).toBeLessThan(whole.length);
  });

  const unsendable =
    'the fault cannot be sent: `status` is from 200 to 599, 204 and 304 have no `body`, `headers` are HTTP headers';
  test.each<[object, string]>([
    [{ status: 204, body: {} }, unsendable],
    [{ status: 503, headers: { 'a b': 'c' } }, unsendable],
    [{ status: 503, endpoint: 'questions.fly' }, 'there is no endpoint "questions.fly"'],
  ])('can be sent, not %j', (fault, mistake) => {
    expect(mistakeOf({ faults: [fault] })).toContain(mistake);
  });
});
