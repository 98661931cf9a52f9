import { describe, expect, test, vi } from 'vitest';
import { AdaptiveRate, Bucket, cubicRate } from '../../src/core/limits/bucket.js';
import { ApplicationLimit } from '../../src/core/limits/turn-queue.js';

// How many attempts a bucket admits, and when: at the last millisecond of a pause, at each 429 of a row, and after a success.

type Rules = Parameters<Bucket['hear']>[2];

/** How many attempts at once are admitted. */
function room(bucket: Bucket, now: number): number {
  let count = 0;
  for (; count < 50 && bucket.isOpen(now); count += 1) bucket.admit(now);
  for (let index = 0; index < count; index += 1) bucket.end('other', now, now);
  return count;
}
function succeed(bucket: Bucket, sentAt: number, now = sentAt): void {
  bucket.admit(sentAt);
  bucket.end('accepted', now, sentAt);
}
/** Hears the 429 of an attempt. @returns whether it is an event */
function throttle(bucket: Bucket, now: number, rules: Rules = {}): boolean {
  bucket.admit(now);
  bucket.end('throttled', now, now);
  return bucket.hear(now, now, rules);
}
/** A bucket that has got a 429 for an attempt of the time 1,000. */
function throttled(rules: Rules = {}, firstWindow = 8): Bucket {
  const bucket = new Bucket(firstWindow, false);
  throttle(bucket, 1000, rules);
  return bucket;
}

describe('a pause', () => {
  test.each<[Rules, number, number]>([
    [{ retryAfterMs: 500 }, 500, 500],
    // All clients got a shorter one at the same time.
    [{ retryAfterMs: 499 }, 500, 1000],
    [{ retryAfterMs: 0 }, 500, 1000],
    [{}, 1000, 1100],
    [{ doublings: 5 }, 1000, 1100],
    [{ maxPauseMs: 300 }, 300, 300],
    [{ retryAfterMs: 5000, maxPauseMs: 300 }, 5000, 5000],
  ])('after %j has at least %i and at most %i ms', (rules, least, most) => {
    for (const [random, ms] of [
      [0, least],
      [0.999999, most],
    ] as const) {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      expect(throttled(rules).pausedMs(1000)).toBeCloseTo(ms, 1);
    }
  });

  test('ends at its last millisecond', () => {
    const bucket = throttled({ retryAfterMs: 5000 });
    expect([5999, 6000, 6001].map((now) => bucket.pausedMs(now))).toEqual([1, 0, 0]);
    expect([5999, 6000].map((now) => bucket.isOpen(now))).toEqual([false, true]);
    expect([5999, 6000].map((now) => bucket.nextChangeAt(now))).toEqual([6000, 2000]);
    expect([5999, 6000].map((now) => bucket.waitMs(3, now))).toEqual([1, 0]);
  });

  test.each([
    [0, [1, 1, 1, 1]],
    [2, [1, 2, 4, 4]],
    [9, [1, 2, 4, 8]],
  ])(
    'with %i doublings gets longer from 429 to 429: %j seconds, and begins anew after a success',
    (doublings, seconds) => {
      vi.spyOn(Math, 'random').mockReturnValue(0);
      const bucket = new Bucket(8, false);
      const pausedAt = (now: number, rules: Rules): number => (
        throttle(bucket, now, rules),
        bucket.pausedMs(now) / 1000
      );
      expect(seconds.map((_, index) => pausedAt(20_000 * index, { doublings }))).toEqual(seconds);
      succeed(bucket, 90_000);
      expect(pausedAt(100_000, { doublings, isLast: true })).toBe(1);
    },
  );

  test('is not longer for a 429 of an attempt that was sent before it, unless that says so', () => {
    const bucket = throttled({ retryAfterMs: 2000 });
    bucket.hear(1500, 999);
    bucket.hear(1500, 1000, { retryAfterMs: 600 });
    expect(bucket.pausedMs(1500)).toBe(1500);
    bucket.hear(1500, 1000, { retryAfterMs: 3000 });
    expect([bucket.pausedMs(1500), bucket.eventsSince(0)]).toEqual([3000, 1]);
  });
});

describe('429s in a row', () => {
  const told = ({ isThrottled, isSilent, rowBeganAt, lastRetryAfterMs }: Bucket): unknown[] => {
    return [isThrottled, isSilent, rowBeganAt, lastRetryAfterMs];
  };

  test('count until their pause is over, and are forgotten with a success since', () => {
    const bucket = throttled({ retryAfterMs: 1000 });
    throttle(bucket, 3000, { retryAfterMs: 1000 });
    expect([0, 1999, 2000, 3999, 4000].map((time) => bucket.eventsSince(time))).toEqual([2, 2, 1, 1, 0]);
    expect([bucket.silentMs(0, 3500), bucket.silentMs(2000, 3500)]).toEqual([2500, 1500]);
    expect(told(bucket)).toEqual([true, true, 1000, 1000]);
    // What was sent at the same time ends the row, but not the limit.
    succeed(bucket, 3000, 3200);
    expect([bucket.eventsSince(0), ...told(bucket)]).toEqual([0, true, true, 1000, 1000]);
    succeed(bucket, 4000);
    expect([bucket.silentMs(0, 5000), ...told(bucket)]).toEqual([0, false, false, Infinity, undefined]);
  });

  test('that all sellers have at once are none of this one', () => {
    const bucket = throttled({ isShared: true });
    expect([bucket.eventsSince(0), bucket.rowBeganAt]).toEqual([0, Infinity]);
  });

  test.each<[number, number, Rules, boolean]>([
    [0, 1, {}, false],
    [0, 2, {}, true],
    [11, 2, {}, true],
    [12, 2, {}, false],
    [30, 2, {}, false],
    [30, 3, {}, true],
    [30, 1, { retryAfterMs: 499 }, false],
    [30, 1, { retryAfterMs: 500 }, true],
    [30, 1, { isLast: true }, true],
  ])('after %i successes, number %i with %j is a limit: %s', (successes, rounds, rules, expected) => {
    const bucket = new Bucket(8, true);
    for (let index = 0; index < successes; index += 1) succeed(bucket, index);
    const events = Array.from({ length: rounds }, (_, index) => throttle(bucket, 1000 * (index + 1), rules));
    expect(events.at(-1)).toBe(expected);
  });

  test.each([
    [1, 2000, [false, false]],
    [4, 2000, [false, true]],
    [4, 70_000, [false, false]],
  ])('are a limit the second time, if one is known: of %i at once before, at %i ms: %j', (count, at, expected) => {
    const bucket = new Bucket(8, true);
    for (let index = 0; index < 30; index += 1) succeed(bucket, index);
    for (const now of [100, 200, 300]) throttle(bucket, now);
    for (let more = 1; more < count; more += 1) bucket.hear(300, 300);
    expect(bucket.isOpen(at)).toBe(true);
    for (let index = 0; index < 20; index += 1) succeed(bucket, at + index);
    expect([throttle(bucket, at + 1000), throttle(bucket, at + 1100)]).toEqual(expected);
  });

  test('are a limit if they are more than 7 of the last 50 responses, however many have succeeded before', () => {
    const bucket = new Bucket(8, true);
    for (let index = 0; index < 1000; index += 1) succeed(bucket, index);
    const events = Array.from({ length: 9 }, (_, n) => (succeed(bucket, 2000 + 2 * n), throttle(bucket, 2001 + 2 * n)));
    expect(events.indexOf(true)).toBe(7);
  });

  test('are one that were sent before the last was received, also after a success', () => {
    const bucket = new Bucket(8, true);
    for (const sentAt of [900, 950, 1000]) bucket.hear(1000, sentAt);
    succeed(bucket, 999, 1200);
    expect(bucket.isThrottled).toBe(true);
    succeed(bucket, 1201);
    expect(bucket.isThrottled).toBe(false);
    const other = new Bucket(8, true);
    for (let index = 0; index < 20; index += 1) succeed(other, index);
    other.hear(1000, 900);
    succeed(other, 1001);
    other.hear(1300, 950);
    expect(other.isThrottled).toBe(false);
  });
});

describe('the number of attempts at once', () => {
  test('grows by one with two successes of a full bucket, and is as at first ten seconds after its last use', () => {
    const bucket = new Bucket(2, true);
    for (let index = 0; index < 5; index += 1) succeed(bucket, index);
    const rooms = [10, 20, 30].map((now) => {
      const before = room(bucket, now);
      for (let index = 0; index < 2; index += 1) bucket.admit(now);
      for (let index = 0; index < 2; index += 1) bucket.end('accepted', now, now);
      return before;
    });
    expect([...rooms, room(bucket, 10_030), room(bucket, 20_031)]).toEqual([2, 2, 3, 3, 2]);
  });

  test('is one after a 429, two after the next, and as at first a minute later', () => {
    const bucket = throttled({ retryAfterMs: 1000 });
    expect(room(bucket, 2000)).toBe(1);
    bucket.hear(3000, 3000, { retryAfterMs: 1000 });
    expect([4000, 63_000, 63_001].map((now) => room(bucket, now))).toEqual([2, 2, 8]);
    expect([bucket.isCalm(63_000), throttled().isCalm(61_000), throttled().isCalm(61_001)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test.each([
    [false, 200],
    [true, 1000],
  ])('doubles when nothing has come back, after a 429: %s, for %i ms', (isAfter429, ms) => {
    const bucket = isAfter429 ? throttled({ retryAfterMs: 500 }, 1) : new Bucket(1, true);
    bucket.admit(2000);
    expect([bucket.growIfStalled(2000 + ms - 1), bucket.isOpen(2000 + ms - 1)]).toEqual([true, false]);
    expect([bucket.growIfStalled(2000 + ms), bucket.isOpen(2000 + ms)]).toEqual([true, true]);
    expect(bucket.growIfStalled(2000 + ms)).toBe(false);
  });
});

describe('the rate after a 429 is seven tenths of what was accepted in a second', () => {
  const ten = Array<number>(10).fill(0);
  test.each<[string, number[], number, number | undefined]>([
    ['of that second', ten, 500, 7],
    ['of the second before, if that was more', [...ten, 1000], 1100, 7],
    ['also at its last millisecond', ten, 1999, 7],
    ['and not of an earlier one', [...ten, 2500], 2600, 0.7],
    ['and not of the second before, if the last one is over too', [...ten, 1000], 2500, 0.7],
    ['and unknown two seconds after the last one', ten, 2000, undefined],
    ['and unknown without any', [], 500, undefined],
  ])('%s', (_, accepted, at, expected) => {
    const rate = new AdaptiveRate();
    for (const time of accepted) rate.accept(time);
    rate.cut(at);
    if (expected === undefined) expect(rate.perSecond(at)).toBeUndefined();
    else expect(rate.perSecond(at)).toBeCloseTo(expected, 6);
  });

  test('and cut once a second, from what it was', () => {
    const rate = new AdaptiveRate();
    for (const time of ten) rate.accept(time);
    rate.cut(200);
    rate.accept(1150);
    rate.cut(1199);
    expect(rate.perSecond(1199)).toBeCloseTo(cubicRate(10, 0.999), 6);
    rate.cut(1200);
    expect(rate.perSecond(1200)).toBeCloseTo(Math.min(cubicRate(10, 1), 10) * 0.7, 6);
  });

  test.each([1, 10, 200])('and back after the plateau of its curve: %i per second', (rate) => {
    const plateau = Math.cbrt((rate * 0.3) / 0.4);
    const found = [0, plateau, plateau + 1].map((seconds) => cubicRate(rate, seconds) - rate);
    for (const [index, expected] of [-0.3 * rate, 0, 0.4].entries()) expect(found[index]).toBeCloseTo(expected);
  });
});

test.each<[string, string, boolean]>([
  ['', 'a', false],
  ['aa', 'a', false],
  ['b', 'a', true],
  ['ba', 'a', true],
  ['ab', 'a', true],
  ['baa', 'a', true],
  ['abb', 'b', true],
])('after 429s to %j, one to %s is near another seller: %s', (sellers, seller, isNear) => {
  const application = new ApplicationLimit();
  sellers.split('').forEach((each, index) => application.hear(each, 1000 + index, 1000 + index, undefined));
  expect([application.isNear(seller, 3999), application.isNear(seller, 5000)]).toEqual([isNear, false]);
});
