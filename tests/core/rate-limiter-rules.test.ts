import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RateLimiter } from '../../src/core/rate-limit/rate-limiter.js';
import { RecentCount, ThrottleShare } from '../../src/core/rate-limit/recent-responses.js';
import { CancelScope } from '../../src/core/scope/cancel-scope.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.advanceTimersByTime(5000);
});
afterEach(() => void vi.useRealTimers());

const many = 1000;
const now = (): number => performance.now();

/** A rate limiter, and the calls that wait for it or were admitted, by their sequence number. */
function limiterWithCalls() {
  const limiter = new RateLimiter();
  const admitted: number[] = [];
  const rejected: number[] = [];
  const waits: [sequence: number, ms: number][] = [];
  const controller = new AbortController();
  const acquire = (sequence: number, maxPauseMs = Infinity, signal?: AbortSignal): void => {
    const scope = new CancelScope({ what: 'a call', signal, progress: { attempts: 0, outcomeUnknown: false } });
    const onWait = (ms: number): void => void waits.push([sequence, ms]);
    limiter.acquire(scope, { sequence, maxInFlight: many, maxPauseMs, onWait }).then(
      (isAdmitted) => (isAdmitted ? admitted : rejected).push(sequence),
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
    expect(admitAll(new RateLimiter())).toBe(8);
    expect(admitAll(new RateLimiter(), 3)).toBe(3);
  });

  test('the window opens by half an attempt with each response to a full window', () => {
    const limiter = new RateLimiter();
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
    const limiter = new RateLimiter();
    for (let each = 0; each < 7; each += 1) limiter.tryAcquire(many);
    for (let each = 0; each < 7; each += 1) limiter.release('accepted', 0, many);
    expect(admitAll(limiter)).toBe(8);
  });

  test('after ten seconds without a call the window is the first one again', () => {
    for (const [idleMs, expected] of [
      [10_000, 9],
      [10_001, 8],
    ] as const) {
      const limiter = new RateLimiter();
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
    const limiter = new RateLimiter();
    vi.spyOn(Math, 'random').mockReturnValue(0);
    for (let each = 0; each < 3; each += 1) limiter.tryAcquire(many);
    const sentAt = now();
    vi.advanceTimersByTime(10);
    expect(limiter.release('throttled', sentAt, many)).toBe(true);
    limiter.release('throttled', sentAt, many);
    expect(limiter.backoffMs).toBe(500);
    limiter.release('throttled', now(), many);
    expect(limiter.backoffMs).toBe(1000);
  });

  test('the wait without Retry-After doubles up to half a minute, until a response is accepted', () => {
    const limiter = new RateLimiter();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    expect(limiter.backoffMs).toBe(750);
    const backoffs = Array.from({ length: 7 }, () => {
      limiter.tryAcquire(many);
      limiter.release('throttled', now(), many);
      return limiter.backoffMs;
    });
    expect(backoffs).toEqual([750, 1500, 3000, 6000, 12_000, 24_000, 24_000]);
    limiter.release('accepted', now(), many);
    expect(limiter.backoffMs).toBe(750);
  });

  test('a second 429 lowers the rate again, but not below one call in two seconds', async () => {
    const { limiter, admitted, acquire, pass } = limiterWithCalls();
    throttledAfter(limiter, 4);
    for (let each = 0; each < 20; each += 1) limiter.release('throttled', now(), many);
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
      // The second 429 shows that the first was not random.
      limiter.tryAcquire(many);
      const sentAt = now();
      vi.advanceTimersByTime(1);
      throttledAfter(limiter, 20);
      limiter.release('throttled', sentAt, many);
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
    const limiter = new RateLimiter();
    throttledAfter(limiter, 20);
    expect(limiter.isIdle).toBe(false);
    vi.advanceTimersByTime(60_000);
    expect(limiter.isIdle).toBe(false);
    expect(admitAll(limiter)).toBe(1);
    limiter.release('other', now(), many);
    vi.advanceTimersByTime(1);
    expect(limiter.isIdle).toBe(true);
    expect(admitAll(limiter)).toBe(8);
    expect(limiter.isIdle).toBe(false);
  });

  test('among fifty accepted ones, it concerns only its own call', () => {
    const limiter = new RateLimiter();
    for (let each = 0; each < 60; each += 1) {
      limiter.tryAcquire(many);
      limiter.release('accepted', now(), many);
    }
    limiter.tryAcquire(many);
    expect(limiter.release('throttled', now(), many)).toBe(false);
    expect(admitAll(limiter)).toBe(8);
  });
});

test('a limiter with calls that wait is in use', () => {
  const { limiter, acquire } = limiterWithCalls();
  expect(limiter.isIdle).toBe(true);
  limiter.pauseFor(1000);
  acquire(1);
  expect(limiter.isIdle).toBe(false);
});

test('429s are random where at most three of the last hundred responses, and of at least fifty, were one', () => {
  const share = new ThrottleShare();
  const add = (count: number, isThrottled: boolean): void => {
    for (let each = 0; each < count; each += 1) share.add(isThrottled);
  };
  add(3, true);
  add(46, false);
  expect(share.isRandom).toBe(false);
  add(1, false);
  expect(share.isRandom).toBe(true);
  add(1, true);
  expect(share.isRandom).toBe(false);
  // The first three are forgotten after a hundred others.
  add(49, false);
  expect(share.isRandom).toBe(false);
  add(1, false);
  expect(share.isRandom).toBe(true);
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
