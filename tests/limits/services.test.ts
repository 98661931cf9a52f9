import { RateLimitError, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRandom } from '../../src/testing/random.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { asAsked, errorOf, receiving, wireQuestion } from '../support/stubs.ts';

// Services that limit, each in its way, and sellers of one application that call them: who gets a response, when, and with how many requests.

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockImplementation(createRandom(7));
});
afterEach(() => void vi.useRealTimers());

/** What a service makes of a request: `undefined` if it takes it. */
type Service = (token: string, now: number) => Response | undefined;

const slow = (retryAfter?: number): Response => {
  return Response.json(
    {},
    { status: 429, headers: retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` } },
  );
};
const when = (isLimited: (token: string, now: number) => boolean, retryAfter?: number): Service => {
  return (token, now) => (isLimited(token, now) ? slow(retryAfter) : undefined);
};

/** Ten a second, by three ways of counting. */
const tenPerSecond: Readonly<Record<string, (retryAfter?: number) => Service>> = {
  sliding: (retryAfter) => {
    const taken: number[] = [];
    return when((_, now) => {
      const isFull = taken.filter((time) => now - time < 1000).length >= 10;
      if (!isFull) taken.push(now);
      return isFull;
    }, retryAfter);
  },
  fixed: (retryAfter) => {
    let [second, count] = [-1, 0];
    return when((_, now) => {
      if (Math.floor(now / 1000) !== second) [second, count] = [Math.floor(now / 1000), 0];
      return ++count > 10;
    }, retryAfter);
  },
  bucket: (retryAfter) => {
    let [tokens, last] = [10, 0];
    return when((_, now) => {
      tokens = Math.min(10, tokens + (now - last) / 100);
      last = now;
      const isEmpty = tokens < 1;
      if (!isEmpty) tokens -= 1;
      return isEmpty;
    }, retryAfter);
  },
};

/** A service that takes one call every so often. */
const oneEvery = (everyMs: number, retryAfter: (leftMs: number) => number | undefined): Service => {
  let free = -Infinity;
  return (_, now) => {
    if (now < free) return slow(retryAfter(free - now));
    free = now + everyMs;
    return undefined;
  };
};

/** An application at a service that responds after a latency. */
function applicationAt(service: Service, latencyMs = 0, maxRetries = 2) {
  const sent: string[] = [];
  const fetch = receiving(async (request) => {
    const token = request.headers.get('authorization')!.slice('Bearer '.length);
    sent.push(token);
    const response = service(token, performance.now());
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    return response ?? asAsked(request, Response.json(wireQuestion));
  });
  const application = new SellerClient({ baseUrl: 'https://api.test', accessToken: 'token', fetch, maxRetries });
  /** Calls at once, by the sellers in turn: what each came to, and after how long. */
  const callsOf = async (sellers: readonly string[], count: number) => {
    const startedAt = performance.now();
    const clients = sellers.map((accessToken) => application.withOptions({ accessToken }));
    const call = async (n: number): Promise<{ error?: RateLimitError; ms: number }> => {
      const error = await clients[n % clients.length]!.questions.get({ question_id: n + 1 }).then(
        () => undefined,
        (failure: unknown) => failure as RateLimitError,
      );
      return { ...(error && { error }), ms: performance.now() - startedAt };
    };
    const ended = await Promise.all(Array.from({ length: count }, (_, n) => call(n)));
    const failed = ended.filter(({ error }) => error);
    const times = ended.map(({ ms }) => ms);
    return { ended, failed, leastMs: Math.min(...times), mostMs: Math.max(...times) };
  };
  return {
    application,
    sent,
    callsOf,
    call: (...args: Parameters<typeof callsOf>) => advanceUntilSettled(callsOf(...args)),
  };
}

const sellers = (count: number): string[] => Array.from({ length: count }, (_, n) => `seller-${n}`);
const numberOf = (token: string): number => Number(token.slice('seller-'.length));

describe('all calls get their response', () => {
  interface Row {
    readonly what: string;
    readonly service: Service;
    readonly by: number;
    readonly calls: number;
    readonly latencyMs?: number;
    /** The most requests, and the least and most time of the last response. */
    readonly most?: number;
    readonly afterMs?: number;
    readonly withinMs?: number;
  }
  const perSecond = Object.entries(tenPerSecond).flatMap(([name, service]) =>
    [0, 2, 50, 300].flatMap((latencyMs) =>
      [undefined, 1].flatMap((retryAfter) =>
        [1, 20].map((by): Row => {
          const what = `${name} ${latencyMs} ms ${retryAfter}`;
          const withinMs = by === 1 ? 15_000 : Infinity;
          return { what, service: service(retryAfter), by, calls: 60, latencyMs, most: 100, withinMs };
        }),
      ),
    ),
  );
  const others = [500, 1000].flatMap((everyMs) =>
    [undefined, 1].map((retryAfter): Row => {
      const what = `one every ${everyMs} ms, ${retryAfter}`;
      const service = oneEvery(everyMs, () => retryAfter);
      return { what, service, by: 1, calls: 20, latencyMs: 20, afterMs: 19 * everyMs };
    }),
  );
  const leftOver = oneEvery(3000, (leftMs) => Math.ceil(leftMs / 1000));
  const everyThree: Row = { what: 'one every 3 s, with what is left', service: leftOver, by: 1, calls: 10 };
  const first = [9, 12, 20, 50].map((by): Row => {
    const seen = new Set<string>();
    const service = when((token) => seen.size < seen.add(token).size, 1);
    return { what: 'not the first of each', service, by, calls: by };
  });
  const storms = [9, 20, 100].map((by): Row => {
    let startedAt: number | undefined;
    const isIn = (now: number): boolean => now - (startedAt ??= now) < 1500;
    return { what: 'none for 1.5 s', service: when((_, now) => isIn(now), 1), by, calls: by };
  });

  test.each([...perSecond, ...others, everyThree, ...first, ...storms])(
    '$what: $calls calls of $by sellers',
    async ({ service, by, calls, latencyMs, most = Infinity, afterMs = 0, withinMs = Infinity }) => {
      const { call, sent } = applicationAt(service, latencyMs);
      const { failed, mostMs } = await call(sellers(by), calls);
      expect(failed).toEqual([]);
      expect(sent.length).toBeLessThanOrEqual(most);
      expect(mostMs).toBeGreaterThanOrEqual(afterMs);
      expect(mostMs).toBeLessThan(withinMs);
    },
  );
});

describe('a seller that got no 429', () => {
  test.each([
    [2, 3],
    [2, 20],
    [2, 300],
    [20, 200],
    [100, 200],
    [198, 200],
  ])('is not held up by %i of %i that are blocked for an hour', async (blocked, count) => {
    const { call, sent } = applicationAt(when((token) => numberOf(token) < blocked, 3600));
    const { ended } = await call(sellers(count), count);
    expect(ended.map(({ error }) => error !== undefined)).toEqual(sellers(count).map((_, n) => n < blocked));
    expect(sent).toHaveLength(count);
    expect((await call(sellers(count), 2 * count)).failed).toHaveLength(2 * blocked);
  });

  test.each([1, 2, 5])('is slowed down little by %i that are throttled, and then not at all', async (count) => {
    const { callsOf, call } = applicationAt(
      when((token) => token.startsWith('seller')),
      20,
    );
    for (const withinMs of [2500, 1000]) {
      const bad = callsOf(sellers(count), 20 * count);
      await vi.advanceTimersByTimeAsync(100);
      const { failed, mostMs } = await call(['a', 'b', 'c', 'd', 'e'], 50);
      expect(failed).toEqual([]);
      expect(mostMs).toBeLessThan(withinMs);
      expect((await advanceUntilSettled(bad)).failed).toHaveLength(20 * count);
    }
  });

  test('takes turns with one that has many calls', async () => {
    const { callsOf, call, sent } = applicationAt(tenPerSecond.fixed!(), 20);
    const flood = callsOf(['flood'], 200);
    await vi.advanceTimersByTimeAsync(2500);
    const { failed, mostMs } = await call(sellers(5), 5);
    expect(failed).toEqual([]);
    expect(mostMs).toBeLessThan(3000);
    expect(sent.filter((token) => token === 'flood').length).toBeLessThan(100);
    await advanceUntilSettled(flood);
  });
});

describe('a used-up quota', () => {
  const cases = [undefined, 1].flatMap((retryAfter) => [1, 20].map((by) => ({ retryAfter, by })));

  test.each(cases)(
    'ends twenty reads of $by sellers in one to four seconds ($retryAfter)',
    async ({ retryAfter, by }) => {
      const { call, sent } = applicationAt(
        when(() => true, retryAfter),
        20,
      );
      const { ended, leastMs, mostMs } = await call(sellers(by), 20);
      for (const { error } of ended) expect(error).toBeInstanceOf(RateLimitError);
      expect(leastMs).toBeGreaterThan(1000);
      expect(mostMs).toBeLessThan(4000);
      expect(sent.length).toBeLessThan(20);
      // The next ones take as long, and not longer.
      expect((await call(sellers(by), 20)).mostMs).toBeLessThan(6000);
    },
  );

  test('is said by the error of a call that was not sent', async () => {
    const { call } = applicationAt(
      when(() => true),
      20,
    );
    const { ended } = await call(['a'], 20);
    const why = 'the service has responded with a 429 to all calls for as long as its retries would take';
    const message = `GET /questions/{question_id} was not sent: ${why}`;
    expect(ended.at(-1)!.error).toMatchObject({ status: 429, attempts: 0, message });
  });

  test('is waited for no longer than a deadline', async () => {
    const { application } = applicationAt(when(() => true, 20));
    const startedAt = performance.now();
    const call = (n: number) => errorOf(application.questions.get({ question_id: n + 1 }, { deadlineMs: 10_000 }));
    await advanceUntilSettled(Promise.all(Array.from({ length: 20 }, (_, n) => call(n))));
    expect(performance.now() - startedAt).toBeLessThanOrEqual(10_025);
  });
});

/** Makes calls by some workers, each one after the other, and returns how long each took. */
async function work(
  { call, callsOf }: ReturnType<typeof applicationAt>,
  count: number,
  workers = 1,
): Promise<number[]> {
  const took: number[] = [];
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) took.push((await callsOf(['a'], 1)).mostMs);
  };
  if (workers === 1) for (let n = 0; n < count; n += 1) took.push((await call(['a'], 1)).mostMs);
  else await advanceUntilSettled(Promise.all(Array.from({ length: workers }, worker)));
  return took;
}

describe('a service that responds 429 at random is not taken for one with a limit', () => {
  test.each([
    { share: 0.01, latencyMs: 50, retryAfter: undefined },
    { share: 0.01, latencyMs: 5, retryAfter: 0 },
    { share: 0.03, latencyMs: 5, retryAfter: undefined },
  ])(
    '$share of the calls ($latencyMs ms, $retryAfter) cost less than half',
    async ({ share, latencyMs, retryAfter }) => {
      // With two retries, one of these calls may get three 429s by chance.
      const run = async (seed: number, shed: number): Promise<number> => {
        const random = createRandom(1000 + seed);
        const startedAt = performance.now();
        await work(
          applicationAt(
            when(() => random() < shed, retryAfter),
            latencyMs,
            5,
          ),
          300,
          8,
        );
        return performance.now() - startedAt;
      };
      // A single run may be slow by chance: there the first 429s come in a row.
      const durations = [await run(1, share), await run(2, share), await run(3, share)];
      expect((durations[0]! + durations[1]! + durations[2]!) / 3).toBeLessThan(2 * (await run(1, 0)));
    },
  );

  /** `advanceUntilSettled` advances by so much at a time. */
  const tickMs = 25;

  test.each(
    [2, 50, 300].flatMap((latencyMs, row) => [1, 2, 3, 6, 12, 20, 49, 51, 80].map((at) => ({ latencyMs, at, row }))),
  )(
    'a program with one call after the other is at full speed after a 429 to request $at ($latencyMs ms)',
    async ({ latencyMs, at, row }) => {
      let turn = 0;
      const application = applicationAt(
        when(() => (turn += 1) === at, (row + at) % 2 === 0 ? undefined : 1),
        latencyMs,
      );
      expect(Math.max(...(await work(application, at)))).toBeLessThanOrEqual(2 * (latencyMs + tickMs) + 1100);
      expect((await work(application, 30)).filter((ms) => ms > latencyMs + tickMs)).toEqual([]);
    },
  );

  test.each([1, 3, 5])('so it is after a 429 to number %i of five calls at once', async (at) => {
    let turn = 0;
    const application = applicationAt(
      when(() => (turn += 1) === at),
      20,
    );
    await application.call(['a'], 5);
    // The first one may still have the rate of the calls before.
    const [, ...after] = await work(application, 30);
    expect(after.filter((ms) => ms > 20 + tickMs)).toEqual([]);
  });

  test('where there is a limit it is slowed down, and is fast again when that is gone', async () => {
    let isLimited = true;
    const limit = tenPerSecond.fixed!();
    const application = applicationAt((token, now) => (isLimited ? limit(token, now) : undefined), 5);
    await work(application, 100);
    expect(application.sent.length).toBeLessThanOrEqual(125);
    isLimited = false;
    const startedAt = performance.now();
    let last = [Infinity];
    while (Math.max(...last) > 5 + tickMs && performance.now() - startedAt < 60_000) last = await work(application, 10);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  test('a minute without a 429 lifts the limit', async () => {
    let isLimited = true;
    const limit = tenPerSecond.sliding!();
    const { call } = applicationAt((token, now) => (isLimited ? limit(token, now) : undefined));
    await call(['a'], 40);
    isLimited = false;
    await vi.advanceTimersByTimeAsync(70_000);
    expect((await call(['a'], 40)).mostMs).toBeLessThan(100);
  });
});
