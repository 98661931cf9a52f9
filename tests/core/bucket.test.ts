import { describe, expect, test, vi } from 'vitest';
import { ApplicationLimit } from '../../src/core/limits/turn-queue.js';
import { Bucket, AdaptiveRate, cubicRate } from '../../src/core/limits/bucket.js';

// How many attempts a bucket admits, and when: at the last millisecond of each pause, at the second 429, and after a success.

/** How many attempts at once are admitted. */
function room(bucket: Bucket, now: number): number {
  let count = 0;
  for (; count < 50 && bucket.isOpen(now); count += 1) bucket.admit(now);
  for (let index = 0; index < count; index += 1) bucket.end('other', now, now);
  return count;
}
/** A bucket that has got a 429 for an attempt of the time 1,000. */
function throttled(rules: Parameters<Bucket['hear']>[2] = {}, firstWindow = 8): Bucket {
  const bucket = new Bucket(firstWindow, false);
  bucket.admit(1000);
  bucket.end('throttled', 1000, 1000);
  expect(bucket.hear(1000, 1000, rules)).toBe(true);
  return bucket;
}
function succeed(bucket: Bucket, sentAt: number, now = sentAt): void {
  bucket.admit(sentAt);
  bucket.end('accepted', now, sentAt);
}

describe('a pause', () => {
  test.each<[Parameters<Bucket['hear']>[2], number, number]>([
    [{ retryAfterMs: 500 }, 500, 500],
    [{ retryAfterMs: 5000 }, 5000, 5000],
    // All clients got a shorter one at the same time.
    [{ retryAfterMs: 499 }, 500, 1000],
    [{ retryAfterMs: 0 }, 500, 1000],
    [{}, 1000, 1100],
    [{ doublings: 5 }, 1000, 1100],
    [{ maxPauseMs: 300 }, 300, 300],
    [{ retryAfterMs: 5000, maxPauseMs: 300 }, 5000, 5000],
  ])('after %j has at least %i and at most %i ms', (rules, least, most) => {
    for (const random of [0, 0.999999]) {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      const ms = throttled(rules).pausedMs(1000);
      expect(ms).toBeCloseTo(random === 0 ? least : most, 1);
    }
  });

  test('ends at its last millisecond', () => {
    const bucket = throttled({ retryAfterMs: 5000 });
    expect([bucket.pausedMs(5999), bucket.pausedMs(6000), bucket.pausedMs(6001)]).toEqual([1, 0, 0]);
    expect([bucket.isOpen(5999), bucket.isOpen(6000)]).toEqual([false, true]);
    expect([bucket.nextChangeAt(5999), bucket.nextChangeAt(6000)]).toEqual([6000, 2000]);
    expect([bucket.waitMs(3, 5999), bucket.waitMs(3, 6000)]).toEqual([1, 0]);
  });

  test.each([
    [0, [1, 1, 1, 1]],
    [1, [1, 2, 2, 2]],
    [2, [1, 2, 4, 4]],
    [9, [1, 2, 4, 8]],
  ])('with %i doublings gets longer from 429 to 429: %j seconds', (doublings, seconds) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const bucket = new Bucket(8, false);
    const paused = seconds.map((_, index) => {
      const now = 20_000 * index;
      bucket.admit(now);
      bucket.end('throttled', now, now);
      bucket.hear(now, now, { doublings });
      return bucket.pausedMs(now) / 1000;
    });
    expect(paused).toEqual(seconds);
    // After a success it begins anew.
    succeed(bucket, 90_000);
    bucket.admit(100_000);
    bucket.end('throttled', 100_000, 100_000);
    bucket.hear(100_000, 100_000, { doublings, isLast: true });
    expect(bucket.pausedMs(100_000)).toBe(1000);
  });

  test('is not longer for a 429 of an attempt that was sent before it, unless that says so', () => {
    const bucket = throttled({ retryAfterMs: 2000 });
    expect(bucket.hear(1500, 999)).toBe(true);
    expect(bucket.hear(1500, 1000, { retryAfterMs: 600 })).toBe(true);
    expect(bucket.pausedMs(1500)).toBe(1500);
    bucket.hear(1500, 1000, { retryAfterMs: 3000 });
    expect(bucket.pausedMs(1500)).toBe(3000);
    expect(bucket.eventsSince(0)).toBe(1);
  });
});

describe('events', () => {
  test('count until their pause is over, one by one', () => {
    const bucket = throttled({ retryAfterMs: 1000 });
    bucket.hear(3000, 3000, { retryAfterMs: 1000 });
    expect([0, 1999, 2000, 3999, 4000].map((time) => bucket.eventsSince(time))).toEqual([2, 2, 1, 1, 0]);
    expect([bucket.silentMs(0, 3500), bucket.silentMs(2000, 3500)]).toEqual([2500, 1500]);
  });

  test.each([1, 2])('of %i 429s are forgotten with a success since, and all that was told of them', (count) => {
    const bucket = throttled({ retryAfterMs: 1000 });
    if (count === 2) bucket.hear(2500, 2500, { retryAfterMs: 1000 });
    expect([bucket.isThrottled, bucket.isSilent, bucket.rowBeganAt, bucket.lastRetryAfterMs]).toEqual([true, true, 1000, 1000]);
    succeed(bucket, 4000);
    expect([bucket.isThrottled, bucket.isSilent, bucket.rowBeganAt, bucket.lastRetryAfterMs]).toEqual([false, false, Infinity, undefined]);
    expect([bucket.eventsSince(0), bucket.silentMs(0, 5000)]).toEqual([0, 0]);
  }); // prettier-ignore

  test('are no row any more if what was sent at the same time succeeded, but the bucket stays throttled', () => {
    const bucket = throttled({ retryAfterMs: 1000 });
    bucket.admit(1000);
    bucket.end('accepted', 1200, 1000);
    expect([bucket.eventsSince(0), bucket.isThrottled, bucket.lastRetryAfterMs]).toEqual([0, true, 1000]);
    succeed(bucket, 1201);
    expect(bucket.isThrottled).toBe(false);
  });

  test('that all sellers have at once are none of this one', () => {
    const bucket = throttled({ isShared: true });
    expect([bucket.eventsSince(0), bucket.rowBeganAt]).toEqual([0, Infinity]);
  });
});

describe('a 429 between successes', () => {
  /** Whether the last of some rounds with a 429, after some successes, counts. */
  function counts(successes: number, rounds: number, rules: Parameters<Bucket['hear']>[2] = {}): boolean {
    const bucket = new Bucket(8, true);
    for (let index = 0; index < successes; index += 1) succeed(bucket, index);
    let last = false;
    for (let index = 0; index < rounds; index += 1) {
      const now = 1000 * (index + 1);
      bucket.admit(now);
      bucket.end('throttled', now, now);
      last = bucket.hear(now, now, rules);
    }
    return last;
  }
  test.each<[number, number, Parameters<Bucket['hear']>[2], boolean]>([
    [0, 1, {}, false],
    [0, 2, {}, true],
    [11, 2, {}, true],
    [12, 2, {}, false],
    [30, 2, {}, false],
    [30, 3, {}, true],
    [30, 1, { retryAfterMs: 499 }, false],
    [30, 1, { retryAfterMs: 500 }, true],
    [30, 1, { isLast: true }, true],
  ])('after %i of them, the 429 number %i with %j is a limit: %s', (successes, rounds, rules, expected) => {
    expect(counts(successes, rounds, rules)).toBe(expected);
  });

  test('of an attempt that was sent before the last one is the same', () => {
    const bucket = new Bucket(8, true);
    bucket.hear(1000, 900);
    expect(bucket.isThrottled).toBe(true);
    for (const sentAt of [950, 1000]) bucket.hear(1100, sentAt);
    succeed(bucket, 999, 1200);
    expect(bucket.isThrottled).toBe(true);
    succeed(bucket, 1201);
    expect(bucket.isThrottled).toBe(false);
  });
});

describe('the number of attempts at once', () => {
  test.each([1, 2, 8])('is at first %i', (firstWindow) => {
    expect(room(new Bucket(firstWindow, true), 0)).toBe(firstWindow);
  });

  test('grows by one with two successes of a full bucket, and not with others', () => {
    const bucket = new Bucket(2, true);
    for (let index = 0; index < 5; index += 1) succeed(bucket, index);
    expect(room(bucket, 10)).toBe(2);
    const full = (now: number): void => {
      for (let index = 0; index < 2; index += 1) bucket.admit(now);
      bucket.end('accepted', now, now);
      bucket.end('accepted', now, now);
    };
    full(20);
    expect(room(bucket, 20)).toBe(2);
    full(30);
    expect(room(bucket, 30)).toBe(3);
  });

  test('is one after a 429, two after the next, and as at first a minute and a millisecond later', () => {
    const bucket = throttled({ retryAfterMs: 1000 });
    expect(room(bucket, 2000)).toBe(1);
    bucket.hear(3000, 3000, { retryAfterMs: 1000 });
    expect(room(bucket, 4000)).toBe(2);
    expect([bucket.isCalm(63_000), bucket.isCalm(63_001)]).toEqual([false, true]);
    expect(room(bucket, 63_000)).toBe(2);
    expect(room(bucket, 63_001)).toBe(8);
  });

  test('is as at first again ten seconds and a millisecond after its last use', () => {
    const bucket = new Bucket(2, true);
    for (let index = 0; index < 4; index += 1) {
      for (let each = 0; each < 2; each += 1) bucket.admit(0);
      for (let each = 0; each < 2; each += 1) bucket.end('accepted', 0, 0);
    }
    const grown = room(bucket, 0);
    expect(grown).toBeGreaterThan(2);
    expect(room(bucket, 10_000)).toBe(grown);
    expect(room(bucket, 20_001)).toBe(2);
  });

  test.each([
    [false, 200],
    [true, 1000],
  ])('doubles when nothing has come back, after a 429: %s, for %i ms', (isAfter429, ms) => {
    const bucket = isAfter429 ? throttled({ retryAfterMs: 500 }, 1) : new Bucket(1, true);
    bucket.admit(2000);
    expect(bucket.stallMs).toBe(ms);
    expect(bucket.growIfStalled(2000 + ms - 1)).toBe(true);
    expect(bucket.isOpen(2000 + ms - 1)).toBe(false);
    expect(bucket.growIfStalled(2000 + ms)).toBe(true);
    expect(bucket.isOpen(2000 + ms)).toBe(true);
    expect(bucket.growIfStalled(2000 + ms)).toBe(false);
  });
});

describe('the rate after a 429', () => {
  test.each<[string, number[], number, number | undefined]>([
    ['nothing was accepted', [], 500, undefined],
    ['ten were accepted in this second', Array<number>(10).fill(100), 500, 7],
    ['ten in the second before', [...Array<number>(10).fill(100), 1100], 1200, 7],
    ['ten, a second and 999 ms ago', Array<number>(10).fill(0), 1999, 7],
    ['ten, and one more than two seconds later', [...Array<number>(10).fill(0), 2500], 2600, 0.7],
    ['ten, two seconds ago', Array<number>(10).fill(0), 2000, undefined],
  ])('%s', (_, accepted, at, expected) => {
    const rate = new AdaptiveRate();
    for (const time of accepted) rate.accept(time);
    rate.cut(at);
    const found = rate.perSecond(at);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(expected, 6);
  });

  test('is cut once a second, and from what it was', () => {
    const rate = new AdaptiveRate();
    for (let index = 0; index < 10; index += 1) rate.accept(100);
    rate.cut(200);
    rate.accept(1150);
    rate.cut(1199);
    expect(rate.perSecond(1199)).toBeCloseTo(cubicRate(10, 0.999), 6);
    rate.cut(1200);
    const cut = Math.min(cubicRate(10, 1), 10);
    expect(rate.perSecond(1200)).toBeCloseTo(cut * 0.7, 6);
    rate.forget();
    expect(rate.perSecond(1200)).toBeUndefined();
  });
});

test.each<[string, string[], string, boolean]>([
  ['nobody', [], 'a', false],
  ['this seller', ['a'], 'a', false],
  ['this seller twice', ['a', 'a'], 'a', false],
  ['another one', ['b'], 'a', true],
  ['another one, and then this seller', ['b', 'a'], 'a', true],
  ['this seller, and then another one', ['a', 'b'], 'a', true],
  ['another one, and then this seller twice', ['b', 'a', 'a'], 'a', true],
  ['this seller, and then another one twice', ['a', 'b', 'b'], 'b', true],
])('a 429 to %s is near: %s', (_, sellers, seller, isNear) => {
  const application = new ApplicationLimit();
  sellers.forEach((each, index) => application.hear(each, 1000 + index, 1000 + index, undefined));
  expect(application.isNear(seller, 3999)).toBe(isNear);
  expect(application.isNear(seller, 5000)).toBe(false);
});
