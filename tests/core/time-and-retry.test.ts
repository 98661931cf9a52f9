import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ConnectionError,
  ForbiddenError,
  InvalidInputError,
  OutcomeUnknownError,
  RequestAbortedError,
  TimeoutError,
} from 'marketplace-seller-sdk';
import type { CallEvent, CallOptions, ClientOptions, ServerError } from 'marketplace-seller-sdk';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';
import type { Step } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ok = (): Response => Response.json(wireQuestion);
const status = (code: number, headers: Record<string, string> = {}) => new Response('{}', { status: code, headers });
const never = (): Promise<Response> => new Promise(() => {});

describe('retries', () => {
  const transient: [string, Step][] = [
    ['a reset', networkFault('ECONNRESET')],
    ['a refused connection', networkFault('ECONNREFUSED')],
    ['408', status(408)],
    ['425', status(425)],
    ['429', status(429)],
    ['500', status(500)],
    ['502', status(502)],
    ['503', status(503)],
    ['504', status(504)],
    ['503 with Retry-After', status(503, { 'retry-after': '1' })],
    ['silence', never],
  ];

  test.each(transient)('a read survives %s twice', async (_, fault) => {
    const { sellerClient } = stubbed([fault, fault, ok], { timeoutMs: 1000 });
    const { response } = await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }).withResponse());
    expect(response.attempts).toBe(3);
    expect(response.durationMs).toBeGreaterThan(0);
  });

  test.each(transient)('an idempotent write survives %s', async (_, fault) => {
    const { sellerClient } = stubbed([fault, () => new Response(null, { status: 204 })], { timeoutMs: 1000 });
    await advanceUntilSettled(sellerClient.flex.items.enable({ site_id: 'MLA', item_id: 'MLA1' }));
  });

  test.each([
    ['a reset', 1, networkFault('ECONNRESET')],
    ['a refused connection', 3, networkFault('ECONNREFUSED')],
    ['a name that is not found', 3, networkFault('ENOTFOUND')],
    ['408', 1, status(408)],
    ['429', 3, status(429)],
    ['500', 1, status(500)],
    ['502', 1, status(502)],
    ['503', 1, status(503)],
    ['503 with Retry-After', 1, status(503, { 'retry-after': '1' })],
    ['504', 1, status(504)],
    ['silence', 1, never],
  ] as [string, number, Step][])('a write after %s is sent %i times', async (_, times, fault) => {
    const { sellerClient, sent } = stubbed([fault], { timeoutMs: 1000 });
    const error = await errorOf(advanceUntilSettled(sellerClient.questions.answer({ question_id: 1, text: 'Yes.' })));
    expect(sent).toHaveLength(times);
    expect(error).toMatchObject({ attempts: times });
  });

  test.each([400, 401, 403, 404, 409, 410, 422, 501])('a %i is not retried', async (code) => {
    const { sellerClient, sent } = stubbed([status(code)]);
    await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })));
    expect(sent).toHaveLength(1);
  });

  test('a documented error that is transient is retried, also for a write', async () => {
    const locked = Response.json({ message: 'another change of this item is under way' }, { status: 409 });
    const { sellerClient, sent } = stubbed([locked, () => new Response(null, { status: 204 })]);
    await advanceUntilSettled(sellerClient.flex.items.enable({ site_id: 'MLA', item_id: 'MLA1' }));
    expect(sent).toHaveLength(2);
  });

  test('maxRetries is an option of the client and of a call', async () => {
    const { sellerClient, sent } = stubbed([status(500)], { maxRetries: 4 });
    await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })));
    expect(sent).toHaveLength(5);
    await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }, { maxRetries: 0 })));
    expect(sent).toHaveLength(6);
  });

  test('delays grow with jitter: at most half a second, then until four seconds have passed', async () => {
    const waits: number[] = [];
    const { sellerClient } = stubbed([status(500)], {
      tracing: { observe: (event) => event.type === 'wait' && waits.push(event.waitMs) },
    });
    for (let round = 0; round < 4; round += 1)
      await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })));
    const [first, second] = [waits.filter((_, n) => n % 2 === 0), waits.filter((_, n) => n % 2 === 1)];
    expect(Math.max(...first)).toBeLessThanOrEqual(500);
    expect(Math.max(...second)).toBeLessThanOrEqual(4500);
    expect(Math.min(...second.map((wait, round) => wait + first[round]!))).toBeGreaterThanOrEqual(4000);
    expect(new Set(waits).size).toBe(waits.length);
  });

  test('the retry budget keeps an outage from multiplying requests', async () => {
    const { sellerClient, sent } = stubbed([status(500)]);
    for (let call = 0; call < 100; call += 1)
      await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })));
    expect(sent.length).toBe(100 + 100);
    const derived = sellerClient.withOptions({ timeoutMs: 1 });
    await errorOf(advanceUntilSettled(derived.questions.get({ question_id: 1 })));
    expect(sent.length).toBe(201);
  });

  test('the retry budget: a success pays back its retries, or a fifth of one, up to a hundred', async () => {
    let failures = 0;
    const { sellerClient, sent } = stubbed([() => (failures-- > 0 ? status(500) : ok())]);
    /** Makes calls of which each fails as often as it is sent, or that often. */
    const requests = async (calls: number, failuresEach = Infinity): Promise<number> => {
      const before = sent.length;
      for (let call = 0; call < calls; call += 1) {
        failures = failuresEach;
        await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })).catch(() => undefined);
      }
      return sent.length - before;
    };
    await requests(20, 0);
    // Of the hundred retries, 98 are used, then the two of a success, which come back.
    expect(await requests(49)).toBe(49 + 98);
    expect(await requests(1, 2)).toBe(3);
    expect(await requests(2)).toBe(2 + 2);
    await requests(4, 0);
    expect(await requests(1)).toBe(1);
    await requests(1, 0);
    expect(await requests(2)).toBe(2 + 1);
  });

  test('the retry budget: a retry after a 429 that pauses all calls costs nothing', async () => {
    const down = Array.from({ length: 150 }, () => status(500));
    const { sellerClient, sent } = stubbed([...down, status(429, { 'retry-after': '1' }), ok]);
    for (let call = 0; call < 50; call += 1)
      await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })));
    await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }));
    expect(sent).toHaveLength(152);
  });

  test('the retry budget gets nothing for a call that was repeated with a new token', async () => {
    let answers = [status(500)];
    const tokens = { accessToken: ({ rejected = 'token-0' }) => Promise.resolve(`${rejected}+`) };
    const { sellerClient, sent } = stubbed(
      [() => (answers.length > 1 ? answers.shift()! : answers[0]!.clone())],
      tokens,
    );
    const get = (): Promise<unknown> => advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }));
    for (let call = 0; call < 50; call += 1) await errorOf(get());
    answers = [status(401), ok()];
    await get();
    answers = [status(500)];
    const before = sent.length;
    await errorOf(get());
    expect(sent.length - before).toBe(1);
  });

  test('maxRetryDelayMs limits the delay before a retry', async () => {
    const { sellerClient, sent } = stubbed([status(503, { 'retry-after': '5' })], { maxRetryDelayMs: 4000 });
    expect(
      await errorOf<ServerError>(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }))),
    ).toMatchObject({
      retryAfterMs: 5000,
      attempts: 1,
    });
    expect(sent).toHaveLength(1);
  });
});

describe('the wait before a retry', () => {
  afterEach(() => void vi.restoreAllMocks());

  /** The waits between the requests of a read that always fails like this. */
  async function waits(fault: Step, random: number, options: Partial<ClientOptions>): Promise<number[]> {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    const sentAt: number[] = [];
    const step: Step = (request, turn) => {
      sentAt.push(performance.now());
      if (fault instanceof Error) throw fault;
      return typeof fault === 'function' ? fault(request, turn) : fault.clone();
    };
    const { sellerClient } = stubbed([step], options);
    await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })));
    return sentAt.slice(1).map((at, index) => at - sentAt[index]!);
  }
  const after = (seconds: string): Response => status(503, { 'retry-after': seconds });

  test.each<readonly [string, Step, number, Partial<ClientOptions>, number[]]>([
    ['random', status(501), 0.1, {}, []],
    ['random', status(408), 0.1, {}, [50, 100]],
    ['four seconds in all before the last retry of a read', status(500), 0.1, {}, [50, 4000]],
    ['the usual one before a single retry', status(503), 0.1, { maxRetries: 1 }, [50]],
    ['the usual one where the deadline is sooner', status(503), 0.1, { deadlineMs: 4400 }, [50, 100]],
    ['half a second at the most, which doubles', status(500), 1, { maxRetries: 4 }, [500, 1000, 2000, 4000]],
    ['maxRetryDelayMs at the most', status(500), 1, { maxRetryDelayMs: 700 }, [500, 700]],
    ['the same after a reset', networkFault('ECONNRESET'), 0.5, {}, [250, 500]],
    ['half of it at the least after a Retry-After of 0', after('0'), 0, { deadlineMs: 4400 }, [250, 500]],
    ['three quarters of it on average after a Retry-After of 0', after('0'), 0.5, { deadlineMs: 4400 }, [375, 750]],
    ['no shorter Retry-After than half a second', after('0.4'), 0, { deadlineMs: 4400 }, [250, 500]],
    ['a Retry-After of half a second', after('0.5'), 0, {}, [500, 500]],
    ['a Retry-After of two seconds', after('2'), 1, {}, [2000, 2000]],
    ['a Retry-After as long as maxRetryDelayMs', after('5'), 1, { maxRetryDelayMs: 5000 }, [5000, 5000]],
    ['no Retry-After that is longer', after('5.001'), 1, { maxRetryDelayMs: 5000 }, []],
    ['a second at the least after a 429, which doubles', status(429), 0, {}, [1000, 2000]],
    ['maxRetryDelayMs at the most after a 429', status(429), 0, { maxRetryDelayMs: 700 }, [700, 700]],
    ['a Retry-After of a 429', status(429, { 'retry-after': '3' }), 1, {}, [3000, 3000]],
    ['half a second after a 429 with a Retry-After of 0', status(429, { 'retry-after': '0' }), 0, {}, [500, 1000]],
  ])('is %s', async (_, fault, random, options, expected) => {
    expect((await waits(fault, random, options)).map(Math.round)).toEqual(expected);
  });

  test.each([
    [2000, 1],
    [2001, 2],
  ])('does not begin where the deadline of %i ms would end it: %i requests', async (deadlineMs, times) => {
    const { sellerClient, sent } = stubbed([after('2')], { maxRetries: 1 });
    const error = await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }, { deadlineMs })));
    expect(error).toMatchObject({ status: 503, attempts: times });
    expect(sent).toHaveLength(times);
  });

  test.each<readonly [string, Response, Partial<ClientOptions>, boolean]>([
    [
      'after a 429 with a Retry-After, also without a retry',
      status(429, { 'retry-after': '3' }),
      { maxRetries: 0 },
      true,
    ],
    ['before the retry of a 429 without one', status(429), { maxRetries: 1 }, true],
    ['after a 429 without both', status(429), { maxRetries: 0 }, true],
    ['not after a 503', after('3'), { maxRetries: 0 }, false],
    ['not after a 503 beyond maxRetryDelayMs', after('3'), { maxRetryDelayMs: 2000 }, false],
  ])('holds up the other calls %s', async (_, fault, options, isPaused) => {
    const sentAt: Record<string, number> = {};
    const step: Step = ({ url }) => {
      sentAt[new URL(url).pathname] ??= performance.now();
      return fault.clone();
    };
    const { sellerClient } = stubbed([step], options);
    const first = sellerClient.questions.get({ question_id: 1 }).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(10);
    const second = sellerClient.questions.get({ question_id: 2 }, { maxRetries: 0 }).catch(() => undefined);
    await advanceUntilSettled(Promise.all([first, second]));
    const pausedMs = (sentAt['/questions/2'] ?? Infinity) - (sentAt['/questions/1'] ?? Infinity);
    expect(pausedMs > 20).toBe(isPaused);
  });

  test('a write after a 501 was not carried out', async () => {
    const { sellerClient, sent } = stubbed([status(501)]);
    const error = await errorOf(advanceUntilSettled(sellerClient.questions.answer({ question_id: 1, text: 'Yes.' })));
    expect(error).toMatchObject({ status: 501, outcomeUnknown: false });
    expect(sent).toHaveLength(1);
  });
});

describe('timeouts and deadlines', () => {
  test('timeoutMs limits each attempt, its body included', async () => {
    const stalls = (): Response => new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array(3)) }));
    const { sellerClient, sent } = stubbed([stalls], { timeoutMs: 2000, maxRetries: 1 });
    const error = await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toBe('GET /questions/{question_id} got no response within 2000 ms');
    expect(sent).toHaveLength(2);
  });

  test('an error response whose body stalls or breaks keeps its status', async () => {
    const stalls = (): Response => new Response(new ReadableStream(), { status: 403 });
    const breaks = (): Response =>
      new Response(new ReadableStream({ pull: () => Promise.reject(new TypeError('terminated')) }), { status: 403 });
    for (const step of [stalls, breaks]) {
      const { sellerClient } = stubbed([step], { timeoutMs: 1000 });
      expect(await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })))).toBeInstanceOf(
        ForbiddenError,
      );
    }
  });

  test('deadlineMs limits the whole call, its delays included', async () => {
    const { sellerClient } = stubbed([never], { timeoutMs: 1000, deadlineMs: 2500, maxRetries: 9 });
    const started = performance.now();
    const error = await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(performance.now() - started).toBeLessThanOrEqual(2600);
  });

  test('deadlineMs ends an attempt, and says so', async () => {
    const { sellerClient, sent } = stubbed([never], { deadlineMs: 2500, maxRetries: 9 });
    const error = await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })));
    expect(error.message).toBe('GET /questions/{question_id} did not end within its deadline of 2500 ms');
    expect(error).toMatchObject({ name: 'TimeoutError', attempts: 1 });
    expect(sent).toHaveLength(1);
  });

  test('a deadline before anything was sent is a TimeoutError, not an unknown outcome', async () => {
    const { sellerClient } = stubbed([ok()], { accessToken: () => new Promise(() => {}), deadlineMs: 100 });
    const error = await errorOf(advanceUntilSettled(sellerClient.questions.answer({ question_id: 1, text: 'Yes.' })));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ attempts: 0 });
  });

  test('a timeout longer than a timer can hold means no timeout', async () => {
    const slow = (): Promise<Response> => new Promise((resolve) => setTimeout(() => resolve(ok()), 5000));
    for (const deadlineMs of [2 ** 31, 2 ** 40, Infinity]) {
      const { sellerClient, sent } = stubbed([slow], { timeoutMs: deadlineMs, deadlineMs });
      const call = advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }));
      await expect(call).resolves.toMatchObject({ id: 1 });
      expect(sent).toHaveLength(1);
    }
  });

  test.each([
    ['timeoutMs', { timeoutMs: -1 }],
    ['deadlineMs', { deadlineMs: Number.NaN }],
    ['maxRetries', { maxRetries: 1.5 }],
    ['signal', { signal: {} }],
    ['headers', { headers: { 'x-a': 'line\nbreak' } }],
    ['query', { query: 'a=1' }],
    ['accessToken', { accessToken: '' }],
  ] as unknown as [string, CallOptions][])(
    'a wrong call option %s is rejected before anything is sent',
    async (name, options) => {
      const { sellerClient, sent } = stubbed([ok()]);
      const error = await errorOf<InvalidInputError>(sellerClient.questions.get({ question_id: 1 }, options));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error.issues[0]!.path).toEqual([name]);
      expect(sent).toHaveLength(0);
    },
  );
});

describe('an abort ends a call at once', () => {
  test.each([
    ['before the call', () => ok(), -1],
    ['while it is sent', never, 10],
    ['in a backoff', status(500), 10],
    ['in a body', () => new Response(new ReadableStream()), 10],
    ['in the body of an error response', () => new Response(new ReadableStream(), { status: 403 }), 10],
  ] as [string, Step, number][])('%s', async (_, step, afterMs) => {
    const accessToken = vi.fn(() => 'token-1');
    // A delay before a retry may be nearly 0.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { sellerClient, sent } = stubbed([step], { maxRetries: 9, accessToken });
    const controller = new AbortController();
    const reason = new Error('enough');
    if (afterMs < 0) controller.abort(reason);
    const call = errorOf(sellerClient.questions.get({ question_id: 1 }, { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(Math.max(afterMs, 0));
    controller.abort(reason);
    const error = await call;
    expect(error).toBeInstanceOf(RequestAbortedError);
    const attempts = afterMs < 0 ? 0 : 1;
    expect(error).toMatchObject({ name: 'AbortError', cause: reason, attempts, outcomeUnknown: false });
    const when = afterMs < 0 ? ' before it was sent' : '';
    expect(error.message).toBe(`GET /questions/{question_id} was aborted by the caller${when}`);
    expect(sent).toHaveLength(attempts);
    expect(accessToken).toHaveBeenCalledTimes(attempts);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('in an observer, before the request is sent', async () => {
    const controller = new AbortController();
    const observe = ({ type }: CallEvent): void => {
      if (type === 'attempt') controller.abort();
    };
    const { sellerClient, sent } = stubbed([ok()], { tracing: { observe } });
    const error = await errorOf(sellerClient.questions.get({ question_id: 1 }, { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(sent).toHaveLength(0);
  });

  test('of which the reason is the first one: an abort after the deadline changes nothing', async () => {
    const controller = new AbortController();
    const { sellerClient } = stubbed([never], { deadlineMs: 100 });
    const call = errorOf(sellerClient.questions.get({ question_id: 1 }, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 100);
    expect(await advanceUntilSettled(call)).toBeInstanceOf(TimeoutError);
  });

  test('once: a call that waited for its turn gives its place back once', async () => {
    const { sellerClient, sent } = stubbed([never], { concurrency: 1, maxRetries: 0, timeoutMs: 60_000 });
    const controllers = [1, 2].map(() => new AbortController());
    const ends = controllers.map(({ signal }) => errorOf(sellerClient.questions.get({ question_id: 1 }, { signal })));
    for (const controller of controllers) {
      await vi.advanceTimersByTimeAsync(10);
      controller.abort();
    }
    await Promise.all(ends);
    for (const question_id of [2, 3]) sellerClient.questions.get({ question_id }).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(10);
    expect(sent).toHaveLength(3);
    await vi.runAllTimersAsync();
  });

  test('a fetch that ignores its signal is abandoned, and its late body is cancelled', async () => {
    const canceled = vi.fn();
    let answer: (response: Response) => void = () => {};
    const { sellerClient } = stubbed([() => new Promise((resolve) => (answer = resolve))], {
      timeoutMs: 100,
      maxRetries: 0,
    });
    await errorOf(advanceUntilSettled(sellerClient.questions.get({ question_id: 1 })));
    answer(new Response(new ReadableStream({ cancel: canceled })));
    await vi.advanceTimersByTimeAsync(1);
    expect(canceled).toHaveBeenCalledTimes(1);
  });
});

describe('contract 8: a finished call leaves nothing behind', () => {
  test('200 calls on one signal leave no listener and no timer', async () => {
    const { signal } = new AbortController();
    let mostListeners = 0;
    const ends = [
      () => Promise.resolve(ok()),
      () => Promise.resolve(status(404)),
      () => Promise.reject(networkFault('ECONNRESET')),
      () => Promise.resolve(new Response('<html>')),
    ];
    let turn = 0;
    const fetch = (): Promise<Response> => {
      mostListeners = Math.max(mostListeners, getEventListeners(signal, 'abort').length);
      return ends[(turn += 1) % ends.length]!();
    };
    const { sellerClient } = stubbed([]);
    const calm = sellerClient.withOptions({ fetch, deadlineMs: 60_000, maxRetries: 0 });
    for (let round = 0; round < 4; round += 1) {
      const calls = Array.from({ length: 50 }, () =>
        calm.questions.get({ question_id: 1 }, { signal }).catch(() => undefined),
      );
      await Promise.all(calls);
    }
    expect(turn).toBe(200);
    expect(mostListeners).toBeGreaterThan(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('middleware', () => {
  test('middleware wraps each attempt, the first one outermost', async () => {
    const seen: string[] = [];
    const skin =
      (name: string) =>
      async (
        { endpoint, attempt, request }: { endpoint: { path: string }; attempt: number; request: Request },
        next: (request: Request) => Promise<Response>,
      ) => {
        seen.push(`${name} ${endpoint.path} ${attempt}`);
        const changed = new Request(request, {
          headers: { ...Object.fromEntries(request.headers), [`x-${name}`]: '1' },
        });
        const response = await next(changed);
        seen.push(`${name} ${response.status}`);
        return response;
      };
    const { sellerClient, sent } = stubbed([status(500), ok()], { middleware: [skin('outer'), skin('inner')] });
    await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }));
    expect(seen.slice(0, 4)).toEqual([
      'outer /questions/{question_id} 1',
      'inner /questions/{question_id} 1',
      'inner 500',
      'outer 500',
    ]);
    expect(sent[1]!.headers.get('x-inner')).toBe('1');
    expect(seen).toHaveLength(8);
  });

  test('an error thrown before next() rejects the call as it is, without a retry', async () => {
    const open = new Error('circuit open');
    const { sellerClient, sent } = stubbed([ok()], { middleware: [() => Promise.reject(open)] });
    expect(await errorOf(sellerClient.questions.answer({ question_id: 1, text: 'Yes.' }))).toBe(open);
    expect(sent).toHaveLength(0);
  });

  test('an error thrown after next() leaves the outcome of a write unknown', async () => {
    const { sellerClient } = stubbed([ok()], {
      middleware: [
        async ({ request }, next) => {
          await next(request);
          throw new Error('broken skin');
        },
      ],
    });
    const error = await errorOf(sellerClient.questions.answer({ question_id: 1, text: 'Yes.' }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.cause).toBeInstanceOf(ConnectionError);
  });
});

describe('a host with several addresses', () => {
  const fault = (...codes: readonly string[]): Error =>
    new TypeError('fetch failed', {
      cause: new AggregateError(codes.map((code) => Object.assign(new Error(code), { code }))),
    });
  const answered = (): Response => Response.json({ ...wireQuestion, answer: { text: 'Yes' } });

  test('a write that no address accepted was never sent, and is retried', async () => {
    const { sellerClient, sent } = stubbed([fault('ECONNREFUSED', 'EHOSTUNREACH'), answered]);
    await advanceUntilSettled(sellerClient.questions.answer({ question_id: 42, text: 'Yes' }));
    expect(sent).toHaveLength(2);
  });

  test('a write that one address may have accepted has an unknown outcome', async () => {
    const { sellerClient, sent } = stubbed([fault('ECONNREFUSED', 'ECONNRESET'), answered]);
    const error = await advanceUntilSettled(errorOf(sellerClient.questions.answer({ question_id: 42, text: 'Yes' })));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(sent).toHaveLength(1);
  });
});

describe('a Retry-After that is a date', () => {
  const asked = async (headers: Record<string, string>): Promise<number | undefined> => {
    const { sellerClient } = stubbed([status(503, headers)], { maxRetries: 0 });
    return (await errorOf<ServerError>(sellerClient.questions.get({ question_id: 1 }))).retryAfterMs;
  };

  test('a Retry-After date is measured by the Date header of the service, or else by the local clock', async () => {
    vi.setSystemTime('2030-01-01T00:00:00Z');
    const date = 'Sun, 01 Mar 2026 12:00:00 GMT';
    expect(await asked({ 'retry-after': 'Sun, 01 Mar 2026 12:00:20 GMT', date })).toBe(20_000);
    expect(await asked({ 'retry-after': 'Tue, 01 Jan 2030 00:00:30 GMT' })).toBe(30_000);
    expect(await asked({ 'retry-after': '86400' })).toBe(86_400_000);
    // A time instead of a duration.
    for (const nonsense of ['1795351831', '9'.repeat(400), 'Thu, 03 Jan 2030 00:00:00 GMT'])
      expect(await asked({ 'retry-after': nonsense })).toBeUndefined();
    expect(await asked({ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT', date })).toBe(0);
    expect(await asked({ 'retry-after': 'soon' })).toBeUndefined();
  });

  // Spec: RFC 9110, section 5.6.7 has these three formats.
  test.each([
    ['Sun, 01 Mar 2026 12:00:20 GMT', 20_000],
    ['Sunday, 01-Mar-26 12:00:20 GMT', 20_000],
    ['Sun Mar  1 12:00:20 2026', 20_000],
    ['Sun, 99 Mar 2026 12:00:20 GMT', undefined],
    ['Please wait 5', undefined],
    ['5 seconds', undefined],
    ['in 5', undefined],
  ])('the Retry-After "%s", in a zone that is not that of the service', async (written, ms) => {
    vi.stubEnv('TZ', 'America/Sao_Paulo');
    expect(await asked({ 'retry-after': written, date: 'Sun Mar  1 12:00:00 2026' })).toBe(ms);
    expect(await asked({ 'retry-after': written, date: 'Sun, 01 Mar 2026 12:00:00 GMT' })).toBe(ms);
  });
});

test.each([
  ['a text', 'broken', 'fetch rejected with a value that is not an error'],
  ['nothing', undefined, 'fetch rejected with a value that is not an error'],
  ['an error with a cause that is none', new TypeError('failed', { cause: 'pipe' }), 'failed'],
  ['an error with a cause without a code', new TypeError('failed', { cause: new Error('pipe') }), 'failed (pipe)'],
])('a fetch that rejects with %s is a ConnectionError', async (_, thrown, sentence) => {
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a fetch of the user may do that
  const { sellerClient } = stubbed([() => Promise.reject(thrown)], { maxRetries: 0 });
  const error = await errorOf(sellerClient.questions.get({ question_id: 1 }));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toBe(`GET /questions/{question_id} got no response: ${sentence}`);
});
