import { RateLimitError, TimeoutError } from 'marketplace-seller-sdk';
import type { CallOptions, ClientOptions, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { silentLogger } from '../support/silent.ts';
import { asAsked, errorOf, stubbed, wireQuestion } from '../support/stubs.ts';
import { waitLogger } from '../support/waits.ts';
import type { LoggedWait } from '../support/waits.ts';

// When a call has its turn: behind which others, after which pause, in how many places, and when it is not sent at all.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ok = (): Response => Response.json(wireQuestion);
const slow = (retryAfter?: number | string): Response => {
  return Response.json(
    {},
    { status: 429, headers: retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` } },
  );
};
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const idOf = ({ url }: Request): number => Number(url.split('/').at(-1));
const get = (client: SellerClient, question_id: number, options?: CallOptions): Promise<unknown> =>
  client.questions.get({ question_id }, options).then((found) => found);

/** A client, and the questions that were asked for in their order. */
function ordered(
  respond: (id: number, turn: number) => Response | Promise<Response>,
  options?: Partial<ClientOptions>,
) {
  const order: number[] = [];
  const step = (request: Request, turn: number): Response | Promise<Response> => {
    order.push(idOf(request));
    return respond(idOf(request), turn);
  };
  return { ...stubbed([step], options), order };
}

describe('one 429 pauses the calls of its seller', () => {
  test('which are then sent in the order in which they were made, by all clients, retries first', async () => {
    const { sellerClient, order } = ordered((_, turn) => (turn === 1 ? slow(1) : ok()));
    const first = get(sellerClient, 1);
    await vi.advanceTimersByTimeAsync(10);
    const others = [1, 4, 2, 4].map((concurrency, n) =>
      get(sellerClient.withOptions({ concurrency }), n + 2, { maxRetries: 0 }),
    );
    await vi.advanceTimersByTimeAsync(900);
    expect(order).toEqual([1]);
    await advanceUntilSettled(Promise.all([first, ...others]));
    expect(order).toEqual([1, 1, 2, 3, 4, 5]);
  });

  test('and not those of other tokens, or of other groups of endpoints', async () => {
    const { sellerClient, order } = ordered((id) => (id === 1 ? slow(20) : ok()));
    const first = errorOf(get(sellerClient, 1));
    await vi.advanceTimersByTimeAsync(10);
    const startedAt = performance.now();
    await get(sellerClient.withOptions({ accessToken: 'token-2' }), 2);
    await get(sellerClient, 3, { accessToken: 'token-3' });
    await get(sellerClient, 4, { accessToken: null });
    await errorOf(sellerClient.messages.get({ message_id: '5' }));
    await sellerClient.questions.hide({ question_id: 6 });
    expect(order).toHaveLength(6);
    expect(performance.now() - startedAt).toBeLessThan(50);
    await advanceUntilSettled(first);
  });

  test('however its token is passed', async () => {
    const { sellerClient, sent } = stubbed([slow(60)], { maxRetries: 0 });
    await errorOf(get(sellerClient, 1));
    const error = await errorOf(get(sellerClient, 1, { accessToken: 'token-1' }));
    expect(error).toMatchObject({ name: 'RateLimitError', attempts: 0 });
    expect(sent).toHaveLength(1);
  });

  test('a random one with a long Retry-After too, whatever the 429 before was about', async () => {
    let reply = slow;
    const { sellerClient, sent } = stubbed([() => reply()]);
    const by = (accessToken: string): Promise<unknown> => get(sellerClient, 42, { accessToken, maxRetries: 0 });
    // Two tokens get a 429, so the second one is about the application.
    await errorOf(by('other'));
    await errorOf(by('own'));
    reply = ok;
    for (let n = 0; n < 30; n += 1) await advanceUntilSettled(by('own'));
    reply = () => slow(60);
    expect(await errorOf(by('own'))).toMatchObject({ retryAfterMs: 60_000, attempts: 1 });
    reply = ok;
    const before = sent.length;
    await by('other');
    expect(await errorOf(by('own'))).toMatchObject({ name: 'RateLimitError', attempts: 0 });
    expect(sent).toHaveLength(before + 1);
  });
});

describe('a call that would wait for too long is not sent', () => {
  test('its deadline is sooner than the Retry-After, or it has no retry', async () => {
    for (const options of [{ deadlineMs: 12_000 }, { maxRetries: 0 }]) {
      const { sellerClient, sent } = stubbed([slow(20)], options);
      const error = await errorOf<RateLimitError>(advanceUntilSettled(get(sellerClient, 1)));
      expect(error).toBeInstanceOf(RateLimitError);
      expect([error.retryAfterMs, sent.length]).toEqual([20_000, 1]);
    }
  });

  test('the Retry-After is beyond the longest wait: all fail at once, until it is over', async () => {
    const { sellerClient, sent } = stubbed([slow(60), ok()], { maxRetryDelayMs: 15_000 });
    expect(await errorOf(get(sellerClient, 1))).toBeInstanceOf(RateLimitError);
    await vi.advanceTimersByTimeAsync(10_000);
    const errors = await Promise.all(Array.from({ length: 300 }, (_, n) => errorOf(get(sellerClient, n + 1))));
    expect(sent).toHaveLength(1);
    const message = 'GET /questions/{question_id} was not sent: after a 429 the service asked to wait, for 50 s more';
    for (const error of errors)
      expect(error).toMatchObject({ status: 429, attempts: 0, retryAfterMs: 50_000, message });
    await vi.advanceTimersByTimeAsync(46_000);
    await advanceUntilSettled(get(sellerClient, 1));
    expect(sent).toHaveLength(2);
  });

  test('what is left of it is told in whole milliseconds, rounded up', async () => {
    const { sellerClient } = stubbed([slow(60)], { maxRetryDelayMs: 15_000 });
    await errorOf(get(sellerClient, 1));
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + 10_000.25);
    expect(await errorOf(get(sellerClient, 1))).toMatchObject({ attempts: 0, retryAfterMs: 50_000 });
  });

  test('calls that wait for their turn already fail as well, of all clients', async () => {
    const { sellerClient, order } = ordered((id) => after(100 * id).then(() => (id === 1 ? slow(60) : ok())), {
      maxRetryDelayMs: 15_000,
    });
    const calls = [1, 1, 2, 2, 2].map((concurrency, n) => get(sellerClient.withOptions({ concurrency }), n + 1));
    const ends = await advanceUntilSettled(Promise.all(calls.map((call) => call.catch((error: unknown) => error))));
    expect(ends.map((end) => end instanceof RateLimitError)).toEqual([true, true, false, false, true]);
    expect(order).toEqual([1, 3, 4]);
  });

  test('its signal or its deadline ends it in the queue, and the next one is sent', async () => {
    const { sellerClient, order } = ordered((_, turn) => (turn === 1 ? slow(20) : ok()));
    const first = get(sellerClient, 1);
    await vi.advanceTimersByTimeAsync(10);
    const controller = new AbortController();
    const aborted = errorOf(get(sellerClient, 2, { signal: controller.signal }));
    const late = errorOf(get(sellerClient, 3, { deadlineMs: 12_000 }));
    const last = get(sellerClient, 4);
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError', attempts: 0, outcomeUnknown: false });
    await advanceUntilSettled(Promise.all([first, late, last]));
    expect(order).toEqual([1, 1, 4]);
  });

  test('all that wait are aborted, and no timer is left', async () => {
    const { sellerClient } = ordered(() => slow(20));
    const controller = new AbortController();
    const all = [1, 2, 3].map((id) => errorOf(get(sellerClient, id, { signal: controller.signal })));
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    await Promise.all(all);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('the place of one seller is given to another as soon as it is free', async () => {
  const { sellerClient, order } = ordered((id) => after(id === 1 ? 10 : 5000).then(ok));
  const clients = Array.from({ length: 9 }, (_, n) => sellerClient.withOptions({ accessToken: `token-${n}` }));
  const calls = clients.map((client, n) => get(client, n + 1));
  await vi.advanceTimersByTimeAsync(9);
  expect(order).toHaveLength(8);
  await vi.advanceTimersByTimeAsync(1);
  expect(order).toHaveLength(9);
  await advanceUntilSettled(Promise.all(calls));
});

describe('the logger is told of a wait', () => {
  test('its length and its reason', async () => {
    const waits: LoggedWait[] = [];
    const logger = waitLogger((wait) => waits.push(wait));
    const { sellerClient } = stubbed([slow(2), Response.json({}, { status: 500 }), ok()], { logger });
    await advanceUntilSettled(get(sellerClient, 1));
    expect(waits).toMatchObject([
      { endpoint: 'questions.get', attempt: 2, reason: 'rate limit' },
      { attempt: 3, reason: 'fault' },
    ]);
    expect(waits[0]!.waitMs).toBeGreaterThan(1990);
  });

  test('that of a retry, which is sent first, is the pause only', async () => {
    const waits: LoggedWait[] = [];
    const logger = waitLogger((wait) => waits.push(wait));
    const { sellerClient } = stubbed([(_, turn) => (turn === 21 ? slow(1) : ok())], { logger });
    for (let n = 0; n < 20; n += 1) await get(sellerClient, 1);
    await advanceUntilSettled(Promise.all(Array.from({ length: 20 }, (_, n) => get(sellerClient, n + 1))));
    const [retry] = waits.filter(({ attempt }) => attempt === 2);
    const others = waits.filter(({ attempt }) => attempt === 1).map(({ waitMs }) => waitMs);
    expect(retry?.waitMs).toBeCloseTo(1000, -2);
    expect(others.length).toBeGreaterThan(5);
    expect(others.at(-1)! - others[0]!).toBeGreaterThan(200);
  });
});

describe('concurrency', () => {
  /** The response to question 1 takes five seconds, others ten milliseconds. */
  const slowAtFirst = (options?: Partial<ClientOptions>) =>
    ordered((id) => after(id === 1 ? 5000 : 10).then(ok), options);

  test('is that of a token over all groups of endpoints, and a place that gets free wakes the oldest call', async () => {
    const order: string[] = [];
    let [inFlight, most] = [0, 0];
    const step = async (request: Request): Promise<Response> => {
      order.push(new URL(request.url).pathname.split('/')[1]!);
      most = Math.max(most, ++inFlight);
      await after(100);
      inFlight -= 1;
      return request.url.includes('/questions/') ? asAsked(request, ok()) : Response.json({}, { status: 422 });
    };
    const { sellerClient } = stubbed([step], { concurrency: 2 });
    const calls: Promise<unknown>[] = [];
    const kinds = [
      () => get(sellerClient, 1),
      () => errorOf(sellerClient.messages.get({ message_id: 'a' })),
      () => errorOf(sellerClient.items.status({ ids: ['MLA1'] })),
    ];
    for (const call of [...kinds, ...kinds, ...kinds]) {
      calls.push(call());
      await vi.advanceTimersByTimeAsync(1);
    }
    await advanceUntilSettled(Promise.all(calls));
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2].flatMap(() => ['questions', 'messages', 'items']));
  });

  test('of one client neither delays nor counts the calls of others', async () => {
    const { sellerClient, order } = slowAtFirst();
    const gentle = sellerClient.withOptions({ concurrency: 1 });
    const others = [sellerClient, sellerClient.withOptions({ concurrency: 2 })];
    const calls = [get(gentle, 1), get(gentle, 2), ...others.map((client, n) => get(client, n + 3))];
    await vi.advanceTimersByTimeAsync(1000);
    // Each client loads `fetch` for its first request; which is first is not promised.
    expect(order.toSorted()).toEqual([1, 3, 4]);
    await advanceUntilSettled(Promise.all(calls));
    expect(order.slice(3)).toEqual([2]);
    const unlimited = get(sellerClient, 1);
    await vi.advanceTimersByTimeAsync(10);
    await advanceUntilSettled(get(gentle, 5));
    expect(order.slice(4)).toEqual([1, 5]);
    await advanceUntilSettled(unlimited);
  });

  test('is shared by clients with the same limit, in the order of their calls', async () => {
    const { sellerClient, order } = slowAtFirst({ concurrency: 1 });
    const clientOf = (id: number): SellerClient => sellerClient.withOptions({ concurrency: 1, timeoutMs: 7000 + id });
    const calls = [1, 2, 3, 4].map((id) => get(clientOf(id), id));
    await vi.advanceTimersByTimeAsync(1000);
    expect(order).toEqual([1]);
    await advanceUntilSettled(Promise.all(calls));
    expect(order).toEqual([1, 2, 3, 4]);
  });

  test('of one gives a turn to its client while another one keeps the service busy', async () => {
    const { sellerClient, order } = slowAtFirst();
    const busy = (from: number) => Array.from({ length: 100 }, (_, index) => get(sellerClient, from + index));
    const gentle = sellerClient.withOptions({ concurrency: 1 });
    await advanceUntilSettled(Promise.all([...busy(100), get(gentle, 2), ...busy(200)]));
    expect(order.indexOf(2)).toBeLessThanOrEqual(100);
  });

  test('a fault and an abort free their place', async () => {
    const steps = [() => Promise.reject(new TypeError('fetch failed')), () => new Promise<Response>(() => {}), ok()];
    const { sellerClient } = stubbed(steps, { concurrency: 1, maxRetries: 0 });
    const controller = new AbortController();
    const lost = errorOf(get(sellerClient, 1));
    const aborted = errorOf(get(sellerClient, 2, { signal: controller.signal }));
    const last = get(sellerClient, 3);
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    await advanceUntilSettled(Promise.all([lost, aborted]));
    expect(await advanceUntilSettled(last)).toMatchObject({ id: 3 });
  });

  test('an abort frees the place that a call has just been given, but not used', async () => {
    const controller = new AbortController();
    // The place of the first call was given to the second one when the logger is told of the response.
    const logger = { ...silentLogger, debug: () => controller.abort() };
    const { sellerClient, order } = ordered(() => ok(), { concurrency: 1, logger });
    const first = get(sellerClient, 1);
    const aborted = errorOf(get(sellerClient, 2, { signal: controller.signal }));
    const last = get(sellerClient, 3);
    await advanceUntilSettled(Promise.all([first, aborted, last]));
    expect(order).toEqual([1, 3]);
  });
});

describe('calls that hang', () => {
  /** A `fetch` that never responds, except to question 1, and ends with its signal. */
  const hanging = (request: Request): Response | Promise<Response> =>
    idOf(request) === 1
      ? ok()
      : new Promise((_, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
        });

  test.each([8, 32, 100])('delay a healthy one by less than a second: %i', async (count) => {
    const waits: LoggedWait[] = [];
    const logger = waitLogger((wait) => waits.push(wait));
    const { sellerClient } = stubbed([hanging], { maxRetries: 0, logger });
    const hung = Array.from({ length: count }, (_, index) => errorOf(get(sellerClient, index + 2)));
    const startedAt = performance.now();
    await advanceUntilSettled(get(sellerClient, 1));
    expect(performance.now() - startedAt).toBeLessThan(1000);
    // A call that waits for longer than a moment reports it.
    expect(waits.some(({ reason }) => reason === 'rate limit')).toBe(count > 8);
    await advanceUntilSettled(Promise.all(hung));
  });

  test('in all places do not hold up a deadline', async () => {
    const { sellerClient } = stubbed([hanging], { maxRetries: 0, concurrency: 2, timeoutMs: 60_000 });
    const hung = [2, 3].map((id) => errorOf(get(sellerClient, id)));
    const startedAt = performance.now();
    const error = await advanceUntilSettled(errorOf(get(sellerClient, 1, { deadlineMs: 12_000 })));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(performance.now() - startedAt).toBe(12_000);
    await advanceUntilSettled(Promise.all(hung));
  });
});
