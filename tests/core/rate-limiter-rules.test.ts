import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RateLimiter } from '../../src/core/limits/rate-limiter.js';
import { RateLimiters } from '../../src/core/limits/rate-limiters.js';
import { RecentCount, ThrottleShare } from '../../src/core/limits/recent-responses.js';
import { CancelScope } from '../../src/core/scope/cancel-scope.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.advanceTimersByTime(5000);
});
afterEach(() => void vi.useRealTimers());

const many = 1000;
const newLimiter = (): RateLimiter => new RateLimiters().of('token');
const now = (): number => performance.now();

/** A rate limiter, and the calls that wait for it or were admitted, by their sequence number. */
function limiterWithCalls() {
  const limiter = newLimiter();
  const admitted: number[] = [];
  const rejected: number[] = [];
  const waits: [sequence: number, ms: number][] = [];
  const controller = new AbortController();
  const acquire = (sequence: number, maxPauseMs = Infinity, signal?: AbortSignal): void => {
    const scope = new CancelScope({ what: 'a call', signal, progress: { attempts: 0, outcomeUnknown: false } });
    const onWait = (ms: number): void => void waits.push([sequence, ms]);
    const request = { sequence, maxInFlight: many, maxPauseMs, maxRetries: 100, startedAt: now(), onWait };
    limiter.acquire(scope, request).then(
      (admission) => (admission === 'admitted' ? admitted : rejected).push(sequence),
      () => undefined,
    );
  };
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
  return { limiter, admitted, rejected, waits, acquire, pass, controller };
}

/** Admits as many attempts as possible at this moment. */
function admitAll(limiter: RateLimiter, maxInFlight = many): number {
  let count = 0;
  while (limiter.tryAcquire(maxInFlight)) count += 1;
  return count;
}

/** Gives a limiter `count` accepted responses in this second, and then a 429. */
function throttledAfter(limiter: RateLimiter, count: number): void {
  for (let each = 0; each < count; each += 1) {
    limiter.tryAcquire(many);
    limiter.release('accepted', now(), many);
  }
  limiter.tryAcquire(many);
  limiter.release('throttled', now(), many);
}

describe('before a limit is known', () => {
  test('eight attempts may be in flight, or as many as the client allows', () => {
    expect(admitAll(newLimiter())).toBe(8);
    expect(admitAll(newLimiter(), 3)).toBe(3);
  });

  test('the window opens by half an attempt with each response to a full window', () => {
    const limiter = newLimiter();
    admitAll(limiter);
    limiter.release('accepted', 0, many);
    expect(admitAll(limiter)).toBe(2);
    limiter.release('other', 0, many);
    expect(admitAll(limiter)).toBe(1);
    limiter.release('accepted', 0, many);
    limiter.release('accepted', 0, many);
    expect(admitAll(limiter)).toBe(2);
  });

  test('a window that was not full stays as it is', () => {
    const limiter = newLimiter();
    for (let each = 0; each < 7; each += 1) limiter.tryAcquire(many);
    for (let each = 0; each < 7; each += 1) limiter.release('accepted', 0, many);
    expect(admitAll(limiter)).toBe(8);
  });

  test('after ten seconds without a call the window is the first one again', () => {
    for (const [idleMs, expected] of [
      [10_000, 9],
      [10_001, 8],
    ] as const) {
      const limiter = newLimiter();
      admitAll(limiter);
      for (let each = 0; each < 8; each += 1) {
        limiter.release('accepted', now(), many);
        limiter.tryAcquire(many);
      }
      for (let each = 0; each < 8; each += 1) limiter.release('other', now(), many);
      vi.advanceTimersByTime(idleMs);
      expect(admitAll(limiter)).toBe(expected);
    }
  });

  test('calls are admitted in the order of their numbers, however they come', async () => {
    const { limiter, admitted, acquire, pass } = limiterWithCalls();
    admitAll(limiter);
    for (const sequence of [3, 1, 4, 2]) acquire(sequence);
    for (let each = 0; each < 8; each += 1) limiter.release('other', 0, many);
    await pass(0);
    expect(admitted).toEqual([1, 2, 3, 4]);
  });

  test('no attempt overtakes one that waits', () => {
    const { limiter, acquire } = limiterWithCalls();
    admitAll(limiter);
    limiter.pauseFor(50);
    acquire(1);
    limiter.release('other', 0, many);
    expect(limiter.tryAcquire(many)).toBe(false);
  });

  test('without a response for 200 ms the window doubles, and those that still wait are told', async () => {
    const { limiter, admitted, waits, acquire, pass } = limiterWithCalls();
    admitAll(limiter);
    for (let sequence = 1; sequence <= 10; sequence += 1) acquire(sequence);
    await pass(199);
    expect([admitted.length, waits]).toEqual([0, []]);
    await pass(1);
    expect(admitted).toHaveLength(8);
    expect(waits).toEqual([
      [9, 200],
      [10, 200],
    ]);
    await pass(200);
    expect(admitted).toHaveLength(10);
    expect(waits).toHaveLength(2);
  });

  test('a response restarts the 200 ms', async () => {
    const { limiter, admitted, acquire, pass } = limiterWithCalls();
    admitAll(limiter);
    for (let sequence = 1; sequence <= 10; sequence += 1) acquire(sequence);
    await pass(150);
    limiter.release('other', 0, many);
    await pass(199);
    expect(admitted).toHaveLength(1);
    await pass(1);
    expect(admitted).toHaveLength(9);
  });

  test('a call that is aborted gives up its place, also when it has just been admitted', async () => {
    const { limiter, admitted, acquire, pass, controller } = limiterWithCalls();
    admitAll(limiter);
    acquire(1, Infinity, controller.signal);
    acquire(2);
    controller.abort();
    limiter.release('other', 0, many);
    await pass(0);
    expect(admitted).toEqual([2]);
    const other = new AbortController();
    acquire(3, Infinity, other.signal);
    limiter.release('other', 0, many);
    other.abort();
    await pass(0);
    expect(admitAll(limiter)).toBe(1);
  });
});

describe('a pause', () => {
  test('holds all calls back for its time, and each is told how long once', async () => {
    const { limiter, admitted, waits, acquire, pass } = limiterWithCalls();
    limiter.pauseFor(300);
    limiter.pauseFor(100);
    expect(limiter.pausedMs).toBe(300);
    expect(limiter.tryAcquire(many)).toBe(false);
    acquire(1);
    await pass(100);
    limiter.pauseFor(50);
    await pass(199);
    expect(admitted).toEqual([]);
    await pass(1);
    expect(admitted).toEqual([1]);
    expect(limiter.pausedMs).toBe(0);
    expect(waits).toEqual([[1, 300]]);
  });

  test('that is longer than a call waits for ends the call at once', async () => {
    const { limiter, admitted, rejected, acquire, pass } = limiterWithCalls();
    admitAll(limiter);
    acquire(1, 99);
    acquire(2, 100);
    limiter.pauseFor(100);
    acquire(3, 99);
    acquire(4, 100);
    await pass(0);
    expect(rejected.sort()).toEqual([1, 3]);
    for (let each = 0; each < 8; each += 1) limiter.release('other', 0, many);
    await pass(100);
    expect(admitted).toEqual([2, 4]);
  });
});

describe('after a 429', () => {
  test('calls are sent one by one at 85 % of the responses per second before', async () => {
    const { limiter, admitted, waits, acquire, pass } = limiterWithCalls();
    throttledAfter(limiter, 20);
    for (let sequence = 1; sequence <= 5; sequence += 1) acquire(sequence);
    await pass(0);
    // The first ones catch up 20 ms, and each takes 1000 / 17 ms.
    expect(admitted).toEqual([1]);
    expect(waits.map(([, ms]) => Math.round(ms))).toEqual([39, 98, 156, 215]);
    expect(waits).toHaveLength(4);
    await pass(39);
    expect(admitted).toEqual([1, 2]);
    await pass(58);
    expect(admitted).toEqual([1, 2]);
    await pass(1);
    expect(admitted).toEqual([1, 2, 3]);
    await pass(200);
    expect(admitted).toHaveLength(5);
  });

  test('a call is told how long it waits by all calls before it, also by those that know already', async () => {
    const { limiter, waits, acquire, pass } = limiterWithCalls();
    throttledAfter(limiter, 20);
    for (let sequence = 1; sequence <= 11; sequence += 1) acquire(sequence);
    // Eight are in flight, and three wait, which were told so.
    await pass(600);
    acquire(13);
    acquire(12);
    acquire(0);
    const told = waits.length;
    expect(waits.map(([sequence]) => sequence)).not.toContain(12);
    limiter.pauseFor(1000);
    const perCall = 1000 / 17;
    const expected = [0, 4, 5].map((before) => Math.round(1000 + before * perCall));
    await pass(0);
    expect(waits.slice(told).map(([sequence, ms]) => [sequence, Math.round(ms)])).toEqual([
      [0, expected[0]],
      [12, expected[1]],
      [13, expected[2]],
    ]);
  });

  test('tokens take turns, so a call is told about as many calls of other tokens as are sent before it', async () => {
    const limiters = new RateLimiters();
    const waits: [token: string, ms: number][] = [];
    const acquire = (token: string, sequence: number): void => {
      const scope = new CancelScope({ what: 'a call', progress: { attempts: 0, outcomeUnknown: false } });
      const onWait = (ms: number): void => void waits.push([token, Math.round(ms)]);
      const request = { sequence, maxInFlight: many, maxPauseMs: Infinity, maxRetries: 100, startedAt: now(), onWait };
      void limiters.of(token).acquire(scope, request);
    };
    const [busy, calm] = [limiters.of('busy'), limiters.of('calm')];
    throttledAfter(calm, 10);
    // The second token with a 429 in a row: it is about all tokens, at 8.5 calls per second.
    busy.tryAcquire(many);
    busy.pauseFor(1000, busy.release('throttled', now(), many));
    for (let sequence = 1; sequence <= 10; sequence += 1) acquire('busy', sequence);
    acquire('calm', 11);
    await vi.advanceTimersByTimeAsync(0);
    expect(waits.filter(([token]) => token === 'calm')).toEqual([['calm', Math.round(1000 + 1000 / 8.5)]]);
    expect(waits.at(-2)).toEqual(['busy', Math.round(1000 + 9000 / 8.5)]);
  });

  test('of a service whose rate is not known, one attempt is in flight at a time', async () => {
    const { limiter, admitted, acquire, pass } = limiterWithCalls();
    throttledAfter(limiter, 1);
    for (let sequence = 1; sequence <= 3; sequence += 1) acquire(sequence);
    await pass(999);
    expect(admitted).toEqual([1]);
    await pass(1);
    expect(admitted).toEqual([1, 2]);
  });

  test('that was sent before the last one, nothing changes', () => {
    const limiter = newLimiter();
    vi.spyOn(Math, 'random').mockReturnValue(0);
    for (let each = 0; each < 3; each += 1) limiter.tryAcquire(many);
    const sentAt = now();
    vi.advanceTimersByTime(10);
    expect(limiter.release('throttled', sentAt, many)).toBeDefined();
    const limit = limiter.release('throttled', sentAt, many);
    limiter.pauseFor(0, limit);
    expect(limit?.backoffMs(100)).toBe(500);
    vi.advanceTimersByTime(1);
    expect(limiter.release('throttled', now(), many)?.backoffMs(100)).toBe(1000);
  });

  test('the wait without Retry-After doubles as often as a call retries, until a response is accepted', () => {
    const limiter = newLimiter();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const backoffs = Array.from({ length: 5 }, () => {
      vi.advanceTimersByTime(1);
      limiter.tryAcquire(many);
      const limit = limiter.release('throttled', now(), many);
      limiter.pauseFor(0, limit);
      return [1, 2, 4].map((maxRetries) => limit?.backoffMs(maxRetries));
    });
    expect(backoffs).toEqual([
      [750, 750, 750],
      [750, 1500, 1500],
      [750, 1500, 3000],
      [750, 1500, 6000],
      [750, 1500, 6000],
    ]);
    limiter.release('accepted', now(), many);
    vi.advanceTimersByTime(1);
    expect(limiter.release('throttled', now(), many)?.backoffMs(2)).toBe(750);
  });

  test('a second 429 lowers the rate again, but not below one call in two seconds', async () => {
    const { limiter, admitted, acquire, pass } = limiterWithCalls();
    throttledAfter(limiter, 4);
    for (let each = 0; each < 20; each += 1) {
      vi.advanceTimersByTime(1);
      limiter.release('throttled', now(), many);
    }
    acquire(1);
    acquire(2);
    await pass(1979);
    expect(admitted).toEqual([1]);
    await pass(1);
    expect(admitted).toEqual([1, 2]);
  });

  test('the rate grows while calls wait and responses are accepted, the faster the longer it is calm', async () => {
    const grown = async (calmMs: number): Promise<number> => {
      const { limiter, acquire, waits, pass } = limiterWithCalls();
      // The other 429s show that the first was not random.
      for (let each = 0; each < 4; each += 1) limiter.tryAcquire(many);
      const sentAt = now();
      vi.advanceTimersByTime(1);
      throttledAfter(limiter, 20);
      for (let each = 0; each < 4; each += 1) limiter.release('throttled', sentAt, many);
      limiter.tryAcquire(many);
      for (let sequence = 1; sequence <= 60; sequence += 1) acquire(sequence);
      await pass(calmMs);
      limiter.release('accepted', now(), many);
      waits.length = 0;
      limiter.pauseFor(0);
      acquire(1000);
      acquire(1001);
      await pass(0);
      return waits.length === 2 ? waits[1]![1] - waits[0]![1] : Number.NaN;
    };
    expect(await grown(0)).toBeCloseTo(1000 / 17.03, 3);
    expect(await grown(500)).toBeCloseTo(1000 / (17 + 0.03 + 0.02 * 0.5), 3);
  });

  test('a minute without another one lifts the limit, and the limiter is no longer needed', () => {
    const limiter = newLimiter();
    throttledAfter(limiter, 20);
    expect(limiter.isIdle).toBe(false);
    vi.advanceTimersByTime(60_000);
    expect(limiter.isIdle).toBe(false);
    expect(admitAll(limiter)).toBe(1);
    limiter.release('other', now(), many);
    vi.advanceTimersByTime(1);
    expect(limiter.isIdle).toBe(true);
    expect(admitAll(limiter)).toBe(8);
  });

  test('among 25 accepted ones, it concerns only its own call', () => {
    const limiter = newLimiter();
    for (let each = 0; each < 25; each += 1) {
      limiter.tryAcquire(many);
      limiter.release('accepted', now(), many);
    }
    limiter.tryAcquire(many);
    expect(limiter.release('throttled', now(), many)).toBeUndefined();
    expect(admitAll(limiter)).toBe(8);
  });
});

test('a limiter with calls, or with a pause, is in use', () => {
  const limiter = newLimiter();
  expect(limiter.isIdle).toBe(true);
  limiter.calls = 1;
  expect(limiter.isIdle).toBe(false);
  limiter.calls = 0;
  limiter.pauseFor(1000);
  expect(limiter.isIdle).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(limiter.isIdle).toBe(true);
});

describe('429s are random', () => {
  const share = (...runs: [count: number, isThrottled: boolean][]): ThrottleShare => {
    const counted = new ThrottleShare();
    for (const [count, isThrottled] of runs) for (let each = 0; each < count; each += 1) counted.add(isThrottled);
    return counted;
  };
  /** This many 429s, far from each other, and then successes. */
  const spread = (throttles: number): [number, boolean][] =>
    Array.from({ length: throttles }, (): [number, boolean][] => [
      [1, true],
      [9, false],
    ]).flat();

  test('among at least 25 responses', () => {
    expect(share([1, true], [23, false]).isRandom).toBe(false);
    expect(share([1, true], [24, false]).isRandom).toBe(true);
  });

  test('where at most ten of the last hundred were one', () => {
    expect(share(...spread(10)).isRandom).toBe(true);
    expect(share([5, false], [1, true], [4, false], ...spread(4), [1, true], ...spread(5)).isRandom).toBe(false);
    // The first one is forgotten after a hundred others.
    expect(share([1, true], [4, false], [1, true], [4, false], ...spread(9)).isRandom).toBe(false);
    expect(share([1, true], [4, false], [1, true], [4, false], ...spread(9), [1, false]).isRandom).toBe(true);
  });

  test('where at most four of the last ten were one', () => {
    expect(share([60, false], [4, true]).isRandom).toBe(true);
    expect(share([60, false], [5, true], [5, false]).isRandom).toBe(false);
    expect(share([60, false], [5, true], [6, false]).isRandom).toBe(true);
  });
});

test('events are counted over the last second', () => {
  const count = new RecentCount();
  for (const at of [5000, 5000, 5200, 5999]) count.add(at);
  expect(count.perSecond(5999)).toBe(4);
  expect(count.perSecond(6250)).toBe(3);
  count.add(6500);
  expect(count.perSecond(6500)).toBe(3);
  expect(count.perSecond(8000)).toBe(0);
  count.add(8000);
  expect(count.perSecond(9000)).toBe(1);
  expect(count.perSecond(11_000)).toBe(0);
});
