import { SellerClient } from 'marketplace-seller-sdk';
import type { LimiterAttempt, ClientOptions } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cubicRate } from '../../src/core/limits/bucket.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { asAsked, errorOf, wireQuestion, receiving } from '../support/stubs.ts';

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
  const fetch = receiving(async (request) => respond(request) ?? ok(request));
  const application = new SellerClient({ baseUrl: 'https://api.test', accessToken: 'token', fetch, ...options });
  return Array.from({ length: count }, (_, n) => application.withOptions({ accessToken: `token-${n}` }));
}

const read = (client: SellerClient): Promise<unknown> => client.questions.get({ question_id: 1 }).then(() => true);

describe('a seller that got no 429', () => {
  test.each([3, 20, 300])('has all calls sent beside two of %i that are blocked for an hour', async (count) => {
    const blocked = new Set(['token-0', 'token-1']);
    const clients = sellersOf(count, (request) => (blocked.has(tokenOf(request)) ? throttled(3600) : undefined));
    const calls = clients.flatMap((client) => [read(client), read(client)]);
    const results = await advanceUntilSettled(Promise.allSettled(calls));
    expect(results.slice(4).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(results.slice(0, 4).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test.each([
    [20, 200],
    [100, 200],
    [198, 200],
  ])('has its call sent behind %i of %i that are blocked for an hour', async (blocked, count) => {
    let sent = 0;
    const clients = sellersOf(count, (request) => {
      sent += 1;
      return Number(tokenOf(request).slice('token-'.length)) < blocked ? throttled(3600) : undefined;
    });
    const results = await advanceUntilSettled(Promise.allSettled(clients.map(read)));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual(clients.map((_, n) => n >= blocked));
    expect(sent).toBe(count);
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
  const asked: Pick<LimiterAttempt, 'user' | 'group' | 'isWrite'>[] = [];
  let held = 0;
  const limiter = {
    acquire: ({ user, group, isWrite }: LimiterAttempt): void => {
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

test('a pause that begins while the limiter of the user makes a call wait, stops that call, and gives the place back', async () => {
  const sentAt: number[] = [];
  const startedAt = performance.now();
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let held = 0;
  const limiter = {
    // The second call waits in it, while the first one gets its 429.
    acquire: async (): Promise<void> => {
      if (++held === 2) await opened;
    },
    release: (): void => void (held -= 1),
  };
  const [seller] = sellersOf(
    1,
    () => {
      sentAt.push(performance.now() - startedAt);
      return sentAt.length === 1 ? throttled(5) : undefined;
    },
    { limiter },
  );
  const calls = [read(seller!), read(seller!)];
  await vi.advanceTimersByTimeAsync(100);
  open();
  await vi.advanceTimersByTimeAsync(1000);
  expect(held).toBe(0);
  expect(await advanceUntilSettled(Promise.all(calls))).toEqual([true, true]);
  expect(sentAt.length).toBe(3);
  expect(sentAt[1]).toBeGreaterThanOrEqual(5000);
});

test('concurrency is that of a token over all groups of endpoints, and a place that gets free wakes the oldest call', async () => {
  const order: string[] = [];
  let [inFlight, most] = [0, 0];
  const fetch = receiving(async (request) => {
    order.push(new URL(request.url).pathname.split('/')[1]!);
    most = Math.max(most, ++inFlight);
    await new Promise((resolve) => setTimeout(resolve, 100));
    inFlight -= 1;
    return request.url.includes('/questions/') ? ok(request) : Response.json({}, { status: 422 });
  });
  const client = new SellerClient({ baseUrl: 'https://api.test', accessToken: 'token', fetch, concurrency: 2 });
  const calls: Promise<unknown>[] = [];
  for (let round = 0; round < 3; round += 1) {
    calls.push(read(client));
    await vi.advanceTimersByTimeAsync(1);
    calls.push(errorOf(client.messages.get({ message_id: 'a' })));
    await vi.advanceTimersByTimeAsync(1);
    calls.push(errorOf(client.items.status({ ids: ['MLA1'] })));
    await vi.advanceTimersByTimeAsync(1);
  }
  await advanceUntilSettled(Promise.all(calls));
  expect(most).toBe(2);
  expect(order).toEqual([0, 1, 2].flatMap(() => ['questions', 'messages', 'items']));
});

test('of a service that takes one call every three seconds, ten calls get their response', async () => {
  let free = 0;
  const [seller] = sellersOf(1, () => {
    const now = performance.now();
    if (now < free) return throttled(Math.ceil((free - now) / 1000));
    free = now + 3000;
    return undefined;
  });
  const calls = Array.from({ length: 10 }, () => read(seller!));
  const results = await advanceUntilSettled(Promise.allSettled(calls));
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
});

describe('twenty sellers under one limit of ten per second', () => {
  const windows = ['fixed', 'sliding'] as const;
  const cases = [0, 2, 50, 300].flatMap((latencyMs) => windows.map((window) => ({ latencyMs, window })));

  test.each(cases)('60 calls, $latencyMs ms, a $window window: all succeed', async ({ latencyMs, window }) => {
    const accepted: number[] = [];
    let sent = 0;
    const fetch = receiving(async (request) => {
      const now = performance.now();
      const since = window === 'fixed' ? Math.floor(now / 1000) * 1000 : now - 999;
      const takes = accepted.filter((at) => at >= since).length < 10;
      if (takes) accepted.push(now);
      sent += 1;
      await new Promise((resolve) => setTimeout(resolve, latencyMs));
      return takes ? ok(request) : Response.json({}, { status: 429 });
    });
    const application = new SellerClient({ baseUrl: 'https://api.test', accessToken: 'token', fetch });
    const clients = Array.from({ length: 20 }, (_, n) => application.withOptions({ accessToken: `token-${n}` }));
    const results = await advanceUntilSettled(
      Promise.allSettled(Array.from({ length: 60 }, (_, n) => read(clients[n % 20]!))),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(sent).toBeLessThanOrEqual(100);
  });
});

test.each([1, 10, 200])('the curve of %i per second starts at seven tenths and is back after its plateau', (rate) => {
  const plateau = Math.cbrt((rate * 0.3) / 0.4);
  expect(cubicRate(rate, 0)).toBeCloseTo(0.7 * rate);
  expect(cubicRate(rate, plateau)).toBeCloseTo(rate);
  expect(cubicRate(rate, plateau + 1)).toBeCloseTo(rate + 0.4);
});
