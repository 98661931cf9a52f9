import { SellerClient } from 'marketplace-seller-sdk';
import type { AttemptInfo, ClientOptions } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cubicRate } from '../../src/core/limits/rate.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { asAsked, errorOf, wireQuestion } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const throttled = (seconds: number): Response =>
  Response.json({}, { status: 429, headers: { 'retry-after': String(seconds) } });
const ok = (request: Request): Promise<Response> => asAsked(request, Response.json(wireQuestion));
const tokenOf = ({ headers }: Request): string => headers.get('authorization')!.slice('Bearer '.length);

/** Clients of sellers of one application, over a service without latency. */
function sellersOf(
  count: number,
  respond: (request: Request) => Response | undefined,
  options: Partial<ClientOptions> = {},
) {
  const fetch = async (request: Request): Promise<Response> => respond(request) ?? ok(request);
  const application = new SellerClient({ baseUrl: 'https://api.test', accessToken: 'token', fetch, ...options });
  return Array.from({ length: count }, (_, n) => application.withOptions({ accessToken: `token-${n}` }));
}

const read = (client: SellerClient): Promise<unknown> => client.questions.get({ question_id: 1 }).then(() => true);

describe('a seller that got no 429', () => {
  test.each([3, 20, 1000])('has all calls sent beside two of %i that are blocked for an hour', async (count) => {
    const blocked = new Set(['token-0', 'token-1']);
    const clients = sellersOf(count, (request) => (blocked.has(tokenOf(request)) ? throttled(3600) : undefined));
    const calls = clients.flatMap((client) => [read(client), read(client)]);
    const results = await advanceUntilSettled(Promise.allSettled(calls));
    expect(results.slice(4).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(results.slice(0, 4).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('does not wait for one that is paused', async () => {
    const [paused, other] = sellersOf(2, (request) => (tokenOf(request) === 'token-0' ? throttled(20) : undefined));
    const call = errorOf(paused!.questions.get({ question_id: 1 }, { maxRetries: 0 }));
    await vi.advanceTimersByTimeAsync(10);
    const startedAt = performance.now();
    await read(other!);
    expect(performance.now() - startedAt).toBeLessThan(100);
    await call;
  });

  test('reads questions at once behind a full pool of messages', async () => {
    const [seller] = sellersOf(1, ({ url }) => (url.includes('/messages/') ? throttled(20) : undefined));
    const messages = Array.from({ length: 20 }, () =>
      errorOf(seller!.messages.get({ message_id: 'a' }, { deadlineMs: 1000 })),
    );
    await vi.advanceTimersByTimeAsync(10);
    const startedAt = performance.now();
    await read(seller!);
    expect(performance.now() - startedAt).toBeLessThan(50);
    await advanceUntilSettled(Promise.all(messages));
  });
});

describe('a storm of 429s over a service without latency loses no call', () => {
  test.each([9, 12, 20, 50])('of %i sellers, the first call of each', async (count) => {
    const seen = new Set<string>();
    const clients = sellersOf(count, (request) => {
      const isFirst = !seen.has(tokenOf(request));
      seen.add(tokenOf(request));
      return isFirst ? throttled(1) : undefined;
    });
    const results = await advanceUntilSettled(Promise.allSettled(clients.map(read)));
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  test.each([9, 20, 100])('of %i sellers, for one and a half seconds', async (count) => {
    const startedAt = performance.now();
    const clients = sellersOf(count, () => (performance.now() - startedAt < 1500 ? throttled(1) : undefined));
    const results = await advanceUntilSettled(Promise.allSettled(clients.map(read)));
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
  });
});

test('a paused call holds nothing of the limiter of the user, which is told user, group and kind', async () => {
  const asked: Pick<AttemptInfo, 'user' | 'group' | 'isWrite'>[] = [];
  let held = 0;
  const limiter = {
    acquire: ({ user, group, isWrite }: AttemptInfo): void => {
      held += 1;
      asked.push({ user, group, isWrite });
    },
    release: (): void => void (held -= 1),
  };
  let turn = 0;
  const [seller] = sellersOf(1, () => (++turn === 1 ? throttled(5) : undefined), { limiter });
  const client = seller!.withOptions({ accessToken: 'APP_USR-1-010101-abc-77' });
  const call = read(client);
  await vi.advanceTimersByTimeAsync(1000);
  expect(held).toBe(0);
  await advanceUntilSettled(call);
  expect(asked).toEqual(Array(2).fill({ user: '77', group: 'questions', isWrite: false }));
});

test.each([1, 10, 200])('the curve of %i per second starts at seven tenths and is back after its plateau', (rate) => {
  const plateau = Math.cbrt((rate * 0.3) / 0.4);
  expect(cubicRate(rate, 0)).toBeCloseTo(0.7 * rate);
  expect(cubicRate(rate, plateau)).toBeCloseTo(rate);
  expect(cubicRate(rate, plateau + 1)).toBeCloseTo(rate + 0.4);
});
