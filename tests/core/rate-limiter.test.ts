import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RateLimitError } from 'marketplace-seller-sdk';
import { resolveOptions } from '../../src/core/options/client-options.js';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { TurnQueue } from '../../src/core/limits/limits.js';
import { SharedState } from '../../src/core/client/call.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';
import { waitLogger } from '../support/waits.ts';
import type { LoggedWait } from '../support/waits.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Whether a service with a limit per second takes a request now. */
type Quota = (now: number) => boolean;

const slidingWindow = (perSecond: number): Quota => {
  const granted: number[] = [];
  return (now) => {
    const isFree = granted.filter((time) => now - time < 1000).length < perSecond;
    if (isFree) granted.push(now);
    return isFree;
  };
};
const fixedWindow = (perSecond: number): Quota => {
  let [second, count] = [-1, 0];
  return (now) => {
    if (Math.floor(now / 1000) !== second) [second, count] = [Math.floor(now / 1000), 0];
    return ++count <= perSecond;
  };
};
const tokenBucket = (perSecond: number): Quota => {
  let [tokens, last] = [perSecond, 0];
  return (now) => {
    tokens = Math.min(perSecond, tokens + ((now - last) / 1000) * perSecond);
    last = now;
    const isFree = tokens >= 1;
    if (isFree) tokens -= 1;
    return isFree;
  };
};

const ok = (): Response => Response.json(wireQuestion);
const slow = (headers: Record<string, string> = {}): Response =>
  Response.json({ error: 'too_many_requests' }, { status: 429, headers });

/** A client of a service that accepts a number of requests per second and responds after a latency. */
function limited(quota: Quota, latencyMs: number, headers?: Record<string, string>): ReturnType<typeof stubbed> {
  return stubbed([
    async () => {
      const taken = quota(performance.now());
      await new Promise((resolve) => setTimeout(resolve, latencyMs));
      return taken ? ok() : slow(headers);
    },
  ]);
}

describe('one 429 pauses all calls of the client', () => {
  const services = { slidingWindow, fixedWindow, tokenBucket };
  const cases = Object.keys(services).flatMap((name) =>
    [2, 50, 300].flatMap((latencyMs) => [{}, { 'retry-after': '1' }].map((headers) => ({ name, latencyMs, headers }))),
  );

  test.each(cases)(
    '60 calls at once against 10 per second ($name, $latencyMs ms, $headers) take at most 100 requests',
    async ({ name, latencyMs, headers }) => {
      const { sellerClient, sent } = limited(services[name as keyof typeof services](10), latencyMs, headers);
      const started = performance.now();
      const calls = Array.from({ length: 60 }, (_, index) => sellerClient.questions.get({ question_id: index + 1 }));
      await advanceUntilSettled(Promise.all(calls));
      expect(sent.length).toBeLessThanOrEqual(100);
      expect(performance.now() - started).toBeLessThan(15_000);
    },
  );

  test('calls are sent in the order in which they were made, retries first', async () => {
    const order: string[] = [];
    let isLimited = false;
    const { sellerClient } = stubbed([
      (request) => {
        const id = request.url.split('/').at(-1)!;
        if (id === '1' && !isLimited) {
          isLimited = true;
          return slow({ 'retry-after': '1' });
        }
        order.push(id);
        return ok();
      },
    ]);
    const first = sellerClient.questions.get({ question_id: 1 });
    await vi.advanceTimersByTimeAsync(10);
    const others = [2, 3, 4].map((question_id) => sellerClient.questions.get({ question_id }));
    await advanceUntilSettled(Promise.all([first, ...others]));
    expect(order).toEqual(['1', '2', '3', '4']);
  });

  test('a client from withOptions() waits together with its origin', async () => {
    const { sellerClient, sent } = stubbed([slow({ 'retry-after': '2' }), ok()]);
    const first = sellerClient.questions.get({ question_id: 1 });
    await vi.advanceTimersByTimeAsync(10);
    const second = sellerClient.withOptions({ timeoutMs: 5000, maxRetries: 0 }).questions.get({ question_id: 2 });
    await vi.advanceTimersByTimeAsync(1900);
    expect(sent).toHaveLength(1);
    await advanceUntilSettled(Promise.all([first, second]));
    expect(sent).toHaveLength(3);
  });

  test('a client with another token does not wait', async () => {
    const { sellerClient, sent } = stubbed([slow({ 'retry-after': '20' }), ok()]);
    const first = sellerClient.questions.get({ question_id: 1 });
    await vi.advanceTimersByTimeAsync(10);
    await sellerClient.withOptions({ accessToken: 'token-2' }).questions.get({ question_id: 2 });
    await sellerClient.questions.get({ question_id: 3 }, { accessToken: 'token-3' });
    await sellerClient.questions.get({ question_id: 4 }, { accessToken: null });
    expect(sent).toHaveLength(4);
    await advanceUntilSettled(first);
  });

  test('the logger is told the length and the reason of a wait', async () => {
    const waits: LoggedWait[] = [];
    const { sellerClient } = stubbed([slow({ 'retry-after': '2' }), Response.json({}, { status: 500 }), ok()], {
      logger: waitLogger((wait) => waits.push(wait)),
    });
    await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }).withResponse());
    expect(waits).toMatchObject([
      { endpoint: 'questions.get', attempt: 2, reason: 'rate limit' },
      { attempt: 3, reason: 'fault' },
    ]);
    expect(waits[0]!.waitMs).toBeGreaterThan(1990);
  });

  test('a retry, which is sent first, is told that it waits for the pause only', async () => {
    const waits: LoggedWait[] = [];
    const { sellerClient } = stubbed([(_, turn) => (turn === 21 ? slow({ 'retry-after': '1' }) : ok())], {
      logger: waitLogger((wait) => waits.push(wait)),
    });
    for (let n = 0; n < 20; n += 1) await sellerClient.questions.get({ question_id: 1 });
    const calls = Array.from({ length: 20 }, (_, n) => sellerClient.questions.get({ question_id: n + 1 }));
    await advanceUntilSettled(Promise.all(calls));
    const [retry] = waits.filter(({ attempt }) => attempt === 2);
    const others = waits.filter(({ attempt }) => attempt === 1).map(({ waitMs }) => waitMs);
    expect(retry?.waitMs).toBeCloseTo(1000, -2);
    expect(others.length).toBeGreaterThan(5);
    expect(others.at(-1)! - others[0]!).toBeGreaterThan(200);
  });

  test('an aborted call leaves the queue, and the next one is sent', async () => {
    const { sellerClient, sent } = stubbed([slow({ 'retry-after': '2' }), ok()]);
    const first = sellerClient.questions.get({ question_id: 1 });
    await vi.advanceTimersByTimeAsync(10);
    const controller = new AbortController();
    const aborted = errorOf(sellerClient.questions.get({ question_id: 2 }, { signal: controller.signal }));
    const third = sellerClient.questions.get({ question_id: 3 });
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError', attempts: 0, outcomeUnknown: false });
    await advanceUntilSettled(Promise.all([first, third]));
    expect(sent.map(({ url }) => url.split('/').at(-1))).toEqual(['1', '1', '3']);
  });

  test('a wait that is longer than the deadline is not started', async () => {
    const { sellerClient, sent } = stubbed([slow({ 'retry-after': '10' })], { deadlineMs: 5000 });
    const error = await errorOf<RateLimitError>(
      advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }).withResponse()),
    );
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.retryAfterMs).toBe(10_000);
    expect(sent).toHaveLength(1);
  });

  test('a call without retries rejects with its 429', async () => {
    const { sellerClient, sent } = stubbed([slow()], { maxRetries: 0 });
    const get = (): Promise<RateLimitError> => errorOf(sellerClient.questions.get({ question_id: 1 }));
    expect(await advanceUntilSettled(get())).toBeInstanceOf(RateLimitError);
    expect(await advanceUntilSettled(get())).toBeInstanceOf(RateLimitError);
    expect(sent).toHaveLength(2);
  });

  test('a minute without a 429 lifts the limit', async () => {
    const limiter = slidingWindow(10);
    let isLimited = true;
    const { sellerClient } = stubbed([() => (!isLimited || limiter(performance.now()) ? ok() : slow())]);
    const burst = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 40 }, () => sellerClient.questions.get({ question_id: 1 })));
    await advanceUntilSettled(burst());
    isLimited = false;
    await vi.advanceTimersByTimeAsync(70_000);
    const started = performance.now();
    await advanceUntilSettled(burst());
    expect(performance.now() - started).toBeLessThan(100);
  });
});

describe('concurrency', () => {
  test('concurrency limits the requests in flight', async () => {
    let [underWay, most] = [0, 0];
    const { sellerClient, sent } = stubbed(
      [
        async () => {
          most = Math.max(most, (underWay += 1));
          await new Promise((resolve) => setTimeout(resolve, 10));
          underWay -= 1;
          return ok();
        },
      ],
      { concurrency: 3 },
    );
    await advanceUntilSettled(
      Promise.all(Array.from({ length: 20 }, () => sellerClient.questions.get({ question_id: 1 }))),
    );
    expect(most).toBe(3);
    expect(sent).toHaveLength(20);
  });

  /** A service that records the questions it is asked for; the response to question 1 takes five seconds. */
  function slowAtFirst(options?: { concurrency: number }) {
    const order: number[] = [];
    const { sellerClient } = stubbed(
      [
        async (request) => {
          const id = Number(request.url.split('/').at(-1));
          order.push(id);
          await new Promise((resolve) => setTimeout(resolve, id === 1 ? 5000 : 10));
          return ok();
        },
      ],
      options,
    );
    return { sellerClient, order };
  }

  test('a call that only its own limit stops does not delay the calls of other clients', async () => {
    const { sellerClient, order } = slowAtFirst();
    const gentle = sellerClient.withOptions({ concurrency: 1 });
    const calls = [
      gentle.questions.get({ question_id: 1 }),
      gentle.questions.get({ question_id: 2 }),
      sellerClient.questions.get({ question_id: 3 }),
      sellerClient.withOptions({ concurrency: 2 }).questions.get({ question_id: 4 }),
    ];
    await vi.advanceTimersByTimeAsync(1000);
    // Each client loads `fetch` for its first request; which is first is not promised.
    expect(order.toSorted()).toEqual([1, 3, 4]);
    await advanceUntilSettled(Promise.all(calls));
    expect(order.slice(3)).toEqual([2]);
  });

  test('the requests of clients without the limit do not count for it', async () => {
    const { sellerClient, order } = slowAtFirst();
    const slow = sellerClient.questions.get({ question_id: 1 });
    await vi.advanceTimersByTimeAsync(10);
    await advanceUntilSettled(
      sellerClient.withOptions({ concurrency: 1 }).questions.get({ question_id: 2 }).withResponse(),
    );
    expect(order).toEqual([1, 2]);
    await advanceUntilSettled(slow);
  });

  test('clients with the same limit share it, in the order of their calls', async () => {
    const { sellerClient, order } = slowAtFirst({ concurrency: 1 });
    const calls = [1, 2, 3, 4].map((question_id) => {
      const timeoutMs = 7000 + question_id;
      return sellerClient.withOptions({ concurrency: 1, timeoutMs }).questions.get({ question_id });
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(order).toEqual([1]);
    await advanceUntilSettled(Promise.all(calls));
    expect(order).toEqual([1, 2, 3, 4]);
  });

  test('a limited client is served in its turn while another one keeps the service busy', async () => {
    const { sellerClient, order } = slowAtFirst();
    const busy = (from: number): Promise<unknown>[] =>
      Array.from({ length: 100 }, (_, index) => sellerClient.questions.get({ question_id: from + index }));
    const gentle = sellerClient.withOptions({ concurrency: 1 });
    const calls = [...busy(100), gentle.questions.get({ question_id: 2 }), ...busy(200)];
    await advanceUntilSettled(Promise.all(calls));
    expect(order.indexOf(2)).toBeLessThanOrEqual(100);
  });

  test('after a 429 calls of all clients are sent in the order in which they were made', async () => {
    const order: string[] = [];
    const { sellerClient } = stubbed([
      (request) => {
        order.push(request.url.split('/').at(-1)!);
        return order.length === 1 ? slow({ 'retry-after': '1' }) : ok();
      },
    ]);
    const first = sellerClient.questions.get({ question_id: 1 });
    await vi.advanceTimersByTimeAsync(10);
    const others = [1, 4, 2, 4].map((concurrency, index) =>
      sellerClient.withOptions({ concurrency }).questions.get({ question_id: index + 2 }),
    );
    await vi.advanceTimersByTimeAsync(900);
    expect(order).toEqual(['1']);
    await advanceUntilSettled(Promise.all([first, ...others]));
    expect(order).toEqual(['1', '1', '2', '3', '4', '5']);
  });

  test('a fault and an abort free their slot', async () => {
    const { sellerClient } = stubbed(
      [() => Promise.reject(new TypeError('fetch failed')), () => new Promise<Response>(() => {}), ok()],
      { concurrency: 1, maxRetries: 0 },
    );
    const controller = new AbortController();
    const lost = errorOf(sellerClient.questions.get({ question_id: 1 }));
    const aborted = errorOf(sellerClient.questions.get({ question_id: 2 }, { signal: controller.signal }));
    const last = sellerClient.questions.get({ question_id: 3 });
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    await advanceUntilSettled(Promise.all([lost, aborted, last]));
    await expect(last).resolves.toMatchObject({ id: 3 });
  });
});

describe('a limiter of the user', () => {
  test('acquire() is called before each attempt, and release() with its result', async () => {
    const seen: unknown[] = [];
    const lost = networkFault('ECONNRESET');
    const { sellerClient } = stubbed([slow({ 'retry-after': '1' }), lost, ok()], {
      limiter: {
        acquire: ({ endpoint, attempt, host }) => void seen.push(['enter', endpoint.name, attempt, host]),
        release: ({ attempt, status, host, retryAfterMs }) =>
          void seen.push(['leave', attempt, host, status, retryAfterMs]),
      },
    });
    await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }).withResponse());
    expect(seen).toEqual([
      ['enter', 'questions.get', 1, 'api.test'],
      ['leave', 1, 'api.test', 429, 1000],
      ['enter', 'questions.get', 2, 'api.test'],
      ['leave', 2, 'api.test', undefined, undefined],
      ['enter', 'questions.get', 3, 'api.test'],
      ['leave', 3, 'api.test', 200, undefined],
    ]);
  });

  test('an acquire() that rejects fails the call unsent, with its reason', async () => {
    const reason = { msBeforeNext: 5000 };
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- limiters reject with plain results
    const { sellerClient, sent } = stubbed([ok()], { limiter: { acquire: () => Promise.reject(reason) } });
    const error = await errorOf(sellerClient.questions.answer({ question_id: 1, text: 'Yes.' }));
    expect(error).toMatchObject({ name: 'ConnectionError', cause: reason, attempts: 0 });
    expect(sent).toHaveLength(0);
  });

  test('an abort ends a hanging acquire() through its signal', async () => {
    let reason: unknown;
    const { sellerClient } = stubbed([ok()], {
      limiter: {
        acquire: ({ signal }) => {
          signal.addEventListener('abort', () => void (reason = signal.reason));
          return new Promise(() => {});
        },
      },
    });
    const controller = new AbortController();
    const call = errorOf(sellerClient.questions.get({ question_id: 1 }, { signal: controller.signal }));
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortError' });
    expect(reason).toMatchObject({ name: 'AbortError' });
  });

  test('a release() that throws does not fail the call', async () => {
    const { sellerClient } = stubbed([ok()], {
      limiter: {
        acquire: () => {},
        release: () => {
          throw new Error('not my day');
        },
      },
    });
    await expect(sellerClient.questions.get({ question_id: 1 })).resolves.toMatchObject({ id: 1 });
  });
});

describe('tokens of single calls', () => {
  const question_id = 42;

  test('each token has its own rate limit, which is kept while it matters', async () => {
    const { sellerClient, sent } = stubbed([
      (request) =>
        request.headers.get('authorization') === 'Bearer busy'
          ? slow({ 'retry-after': '2' })
          : Response.json(wireQuestion),
    ]);
    const error = await errorOf(sellerClient.questions.get({ question_id }, { accessToken: 'busy', maxRetries: 0 }));
    expect(error).toBeInstanceOf(RateLimitError);
    // Far more tokens than are remembered, and none of them waits for the busy one.
    for (let n = 0; n < 600; n += 1) await sellerClient.questions.get({ question_id }, { accessToken: `seller-${n}` });
    expect(sent).toHaveLength(601);
    const again = sellerClient.questions.get({ question_id }, { accessToken: 'busy', maxRetries: 0 });
    const outcome = errorOf(again);
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent).toHaveLength(601);
    await vi.advanceTimersByTimeAsync(2000);
    expect(sent).toHaveLength(602);
    expect(await outcome).toBeInstanceOf(RateLimitError);
  });

  test('the token of the client shares its rate limit, however it is passed', async () => {
    const { sellerClient, sent } = stubbed([slow({ 'retry-after': '60' })], { maxRetries: 0 });
    await errorOf(sellerClient.questions.get({ question_id }));
    const error = await errorOf(sellerClient.questions.get({ question_id }, { accessToken: 'token-1' }));
    expect(error).toMatchObject({ name: 'RateLimitError', attempts: 0 });
    expect(sent).toHaveLength(1);
  });

  test('a random 429 with a long Retry-After pauses its own token only, whatever the 429 before was about', async () => {
    let reply = slow;
    const { sellerClient, sent } = stubbed([() => reply()]);
    const get = (accessToken: string): PromiseLike<unknown> =>
      sellerClient.questions.get({ question_id }, { accessToken, maxRetries: 0 });
    // Two tokens get a 429, so the second one is about the application.
    await errorOf(get('other'));
    await errorOf(get('own'));
    reply = ok;
    for (let n = 0; n < 30; n += 1) await advanceUntilSettled(get('own'));
    reply = () => slow({ 'retry-after': '60' });
    expect(await errorOf(get('own'))).toMatchObject({ retryAfterMs: 60_000, attempts: 1 });
    reply = ok;
    const before = sent.length;
    await get('other');
    expect(await errorOf(get('own'))).toMatchObject({ name: 'RateLimitError', attempts: 0 });
    expect(sent).toHaveLength(before + 1);
  });

  /** Makes calls with more tokens than are remembered, so that the rate limits that are not in use are forgotten. */
  async function callWithManyTokens({ sellerClient }: ReturnType<typeof stubbed>): Promise<void> {
    for (let n = 0; n < 600; n += 1)
      await sellerClient.questions.get({ question_id: 1 }, { accessToken: `seller-${n}` });
  }

  test('a call that waits for its token, or before a retry, keeps its rate limit in use', async () => {
    let [underWay, most] = [0, 0];
    const hanging = async (): Promise<Response> => {
      most = Math.max(most, (underWay += 1));
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      underWay -= 1;
      return ok();
    };
    const isFirst = (request: Request, turn: number): boolean => turn === 1 && request.url.endsWith('/42');
    const service = stubbed([
      (request, turn) => {
        if (isFirst(request, turn)) return Response.json({}, { status: 500, headers: { 'retry-after': '5' } });
        return request.url.endsWith('/42') ? hanging() : ok();
      },
    ]);
    const accessToken = async (): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, 5000));
      return 'token-2';
    };
    for (const options of [{}, { accessToken }]) {
      most = 0;
      const client = service.sellerClient.withOptions({ concurrency: 1, ...options });
      const first = client.questions.get({ question_id });
      await vi.advanceTimersByTimeAsync(10);
      await callWithManyTokens(service);
      const second = client.questions.get({ question_id });
      await advanceUntilSettled(Promise.all([first, second]));
      expect(most).toBe(1);
    }
  });

  test('a pause of several minutes is not forgotten', async () => {
    let retryAfter = '300';
    const service = stubbed([
      ({ url }) => (url.endsWith('/42') && retryAfter ? slow({ 'retry-after': retryAfter }) : ok()),
    ]);
    const { sellerClient } = service;
    for (let n = 0; n < 30; n += 1) await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }));
    expect(await errorOf(sellerClient.questions.get({ question_id }))).toMatchObject({ attempts: 1 });
    retryAfter = '';
    await vi.advanceTimersByTimeAsync(100_000);
    await callWithManyTokens(service);
    expect(await errorOf(sellerClient.questions.get({ question_id }))).toMatchObject({ attempts: 0 });
  });

  test('idle rate limits are forgotten when there are 500, and not before', () => {
    const baseUrl = 'https://api.test';
    const shared = new SharedState(resolveOptions({ baseUrl, accessToken: 'token-1' }));
    const turnQueueOf = (token: string): TurnQueue => {
      const turnQueue = shared.limits.of(token, endpoints.questions.get, Infinity);
      turnQueue.leave();
      return turnQueue;
    };
    const turnQueues = Array.from({ length: 500 }, (_, n) => turnQueueOf(`seller-${n}`));
    expect(new Set(turnQueues).size).toBe(500);
    expect(turnQueueOf('seller-0')).toBe(turnQueues[0]);
    turnQueueOf('one more');
    expect(turnQueueOf('seller-0')).not.toBe(turnQueues[0]);
  });
});
