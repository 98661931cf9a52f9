import type { ClientOptions, Logger, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stubbed, wireQuestion } from '../support/stubs.ts';

const noon = Date.UTC(2026, 10, 28, 12);
const day = 24 * 3_600_000;
beforeEach(() => void vi.useFakeTimers({ now: noon }));
afterEach(() => void vi.useRealTimers());

const seconds = (date: string): string => `@${Date.parse(date) / 1000}`;
const past = { deprecation: seconds('2026-10-01T00:00:00Z') };
const sunset = { sunset: 'Fri, 01 Jan 2027 00:00:00 GMT' };

/** A logger that keeps its warnings, and a client of a service whose responses have these headers. */
function warned(headers: Record<string, string>, options: Partial<ClientOptions> = {}, status = 200) {
  const lines: string[] = [];
  const ignore = (): void => undefined;
  const warn = (message: string): void => void lines.push(message);
  const logger: Logger = { debug: ignore, info: ignore, error: ignore, warn };
  const response = () => Response.json(wireQuestion, { status, headers });
  const { sellerClient, sent } = stubbed([response], { logger, maxRetries: 0, ...options });
  const told = (): string[] => lines.filter((line) => / is deprecated|will be deprecated|switched off/.test(line));
  return { seller: sellerClient, told, sent, logger };
}

const get = (client: SellerClient, question_id = 42): PromiseLike<unknown> =>
  client.questions.get({ question_id }).then(undefined, () => undefined);

const remedy = 'Its response says so: look for a later version of this package, or for its successor';
const what = 'GET /questions/{question_id}';

describe('what a response says of the end of its endpoint is one warning', () => {
  test.each<readonly [Record<string, string>, string]>([
    [past, `${what} is deprecated since 2026-10-01. ${remedy}`],
    [sunset, `${what} will be switched off on 2027-01-01. ${remedy}`],
    [
      { ...past, ...sunset },
      `${what} is deprecated since 2026-10-01 and will be switched off on 2027-01-01. ${remedy}`,
    ],
    [{ deprecation: seconds('2027-03-01T10:00:00Z') }, `${what} will be deprecated on 2027-03-01. ${remedy}`],
    [{ sunset: 'Sun, 25 Oct 2026 00:00:00 GMT' }, `${what} was to be switched off on 2026-10-25. ${remedy}`],
    // The drafts of RFC 9745.
    [{ deprecation: 'true' }, `${what} is deprecated. ${remedy}`],
    [{ deprecation: '?1' }, `${what} is deprecated. ${remedy}`],
    [{ deprecation: 'Thu, 01 Oct 2026 00:00:00 GMT' }, `${what} is deprecated since 2026-10-01. ${remedy}`],
  ])('%j', async (headers, line) => {
    const { seller, told } = warned(headers);
    await get(seller);
    expect(told()).toEqual([line]);
  });

  test.each<Record<string, string>>([
    {},
    { deprecation: '' },
    { deprecation: 'false' },
    { deprecation: '?0' },
    { deprecation: '@soon' },
    { deprecation: `@${'9'.repeat(30)}` },
    { sunset: 'soon' },
    { sunset: '-5' },
    { sunset: 'APP_USR-secret' },
  ])('nothing is said by %j', async (headers) => {
    const { seller, told } = warned(headers);
    await get(seller);
    expect(told()).toEqual([]);
  });

  test.each([200, 404, 410, 429, 503])('also with the status %i', async (status) => {
    const { seller, told } = warned(past, {}, status);
    await get(seller);
    expect(told()).toHaveLength(1);
  });
});

describe('it is told once per endpoint and day', () => {
  test('however many calls there are, also at once', async () => {
    const { seller, told, sent } = warned(past);
    await Promise.all(Array.from({ length: 20 }, (_, id) => get(seller, id)));
    await get(seller);
    expect(sent).toHaveLength(21);
    expect(told()).toHaveLength(1);
  });

  test('each endpoint has its own', async () => {
    const { seller, told } = warned(past);
    await get(seller);
    await seller.request('GET /orders/{order_id}', { order_id: 1 });
    await seller.request('GET /orders/{order_id}', { order_id: 2 });
    expect(told()).toHaveLength(2);
  });

  test('the next day it is told again', async () => {
    const { seller, told } = warned(past);
    await get(seller);
    vi.advanceTimersByTime(day - 1);
    await get(seller);
    expect(told()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await get(seller);
    await get(seller);
    expect(told()).toHaveLength(2);
  });

  test.each([-365, -2, 2, 365])('a clock that is set by %i days tells it once, and goes on by days', async (days) => {
    const { seller, told } = warned(past);
    await get(seller);
    vi.setSystemTime(Date.now() + days * day);
    await get(seller);
    await get(seller);
    expect(told()).toHaveLength(2);
    vi.advanceTimersByTime(day);
    await get(seller);
    expect(told()).toHaveLength(3);
  });

  test('a clock that is set by an hour tells nothing anew', async () => {
    const { seller, told } = warned(past);
    await get(seller);
    for (const hours of [-1, 2, -1]) {
      vi.setSystemTime(Date.now() + hours * 3_600_000);
      await get(seller);
    }
    expect(told()).toHaveLength(1);
  });

  test('a second client tells it too; one that is derived for another seller does not', async () => {
    const { seller, told, logger } = warned(past);
    await get(seller);
    await get(seller.withOptions({ accessToken: 'token-2' }));
    expect(told()).toHaveLength(1);
    await get(warned(past, { logger }).seller);
    expect(told()).toHaveLength(2);
  });

  test('one that is derived with another logger tells that one', async () => {
    const { seller, told } = warned(past);
    const other = warned(past);
    await get(seller);
    await get(seller.withOptions({ logger: other.logger }));
    expect([told().length, other.told().length]).toEqual([1, 1]);
  });

  test('a program that writes ids into its lines gets at most 500 warnings a day', async () => {
    const { seller, told } = warned(past);
    for (let id = 1; id <= 600; id += 1) await seller.request(`GET /orders/${id}`);
    expect(told()).toHaveLength(500);
    vi.advanceTimersByTime(day);
    await seller.request('GET /orders/600');
    expect(told()).toHaveLength(501);
  });
});

test.each<readonly [string, () => void]>([
  [
    'throws',
    () => {
      throw new Error('full');
    },
  ],
  ['rejects', async () => Promise.reject(new Error('full'))],
])('a logger that %s fails no call', async (_, warn) => {
  const ignore = (): void => undefined;
  const { sellerClient } = stubbed([() => Response.json(wireQuestion, { headers: past })], {
    logger: { debug: ignore, info: ignore, error: ignore, warn },
  });
  expect(await sellerClient.questions.get({ question_id: 42 })).toMatchObject({ id: 42 });
});

test('without a logger nothing is kept, and the headers are in the response', async () => {
  const { sellerClient } = stubbed([() => Response.json(wireQuestion, { headers: past })]);
  const { response } = await sellerClient.questions.get({ question_id: 42 }).withResponse();
  expect(response.headers.get('deprecation')).toBe(past.deprecation);
});
