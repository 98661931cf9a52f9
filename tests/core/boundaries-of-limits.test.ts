import { endpoints } from 'marketplace-seller-sdk/schemas';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Limits } from '../../src/core/limits/limits.js';
import type { TurnQueue } from '../../src/core/limits/limits.js';

// Of which tokens a limit is remembered: at 500 tokens and one more, the second time, and in the last millisecond of a minute.

const { search, ask } = endpoints.questions;
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));

const queueOf = (limits: Limits, token: string): TurnQueue => limits.of(token, search, Infinity);
/** Makes a call with each of `count` other tokens. They are idle after it. */
function callWithOthers(limits: Limits, count: number, prefix = 'other'): void {
  for (let index = 0; index < count; index += 1) queueOf(limits, `${prefix} ${index}`).leave();
}
/** Whether a queue is still that of its token. */
function isKept(limits: Limits, queue: TurnQueue, token = 'first'): boolean {
  const found = queueOf(limits, token);
  found.leave();
  return found === queue;
}

test.each([
  [1, true],
  [499, true],
  [500, true],
  [501, false],
])('with %i tokens, one that is idle is kept: %s', (count, expected) => {
  const limits = new Limits();
  const queue = queueOf(limits, 'first');
  queue.leave();
  callWithOthers(limits, count - 1);
  expect(isKept(limits, queue)).toBe(expected);
});

describe('with 501 tokens', () => {
  test.each([1, 2])('one that %i calls use is kept, until the last of them leaves', (calls) => {
    const limits = new Limits();
    const queue = queueOf(limits, 'first');
    for (let call = 1; call < calls; call += 1) queueOf(limits, 'first');
    for (let call = 1; call < calls; call += 1) queue.leave();
    callWithOthers(limits, 500);
    expect(isKept(limits, queue)).toBe(true);
    queue.leave();
    callWithOthers(limits, 500, 'later');
    expect(isKept(limits, queue)).toBe(false);
  });

  test.each([
    [0, 'throttled', 500, true],
    [59_999, 'throttled', 500, true],
    [60_000, 'throttled', 500, true],
    [60_001, 'throttled', 500, false],
    [89_999, 'throttled', 90_000, true],
    [90_000, 'throttled', 90_000, false],
    [0, 'accepted', undefined, false],
    [0, 'other', undefined, false],
  ] as const)(
    'one that is idle is kept %i ms after a response that was %s (%s): %s',
    (ms, result, retryAfterMs, kept) => {
      const limits = new Limits();
      const queue = queueOf(limits, 'first');
      vi.advanceTimersByTime(1000);
      expect(queue.tryAcquire()).toBe(true);
      queue.release(result, performance.now(), { retryAfterMs });
      queue.leave();
      vi.advanceTimersByTime(ms);
      callWithOthers(limits, 500);
      expect(isKept(limits, queue)).toBe(kept);
    },
  );

  test('only the limit of the group that got a 429 keeps it', () => {
    const limits = new Limits();
    const queue = queueOf(limits, 'first');
    const ofWrites = limits.of('first', ask, Infinity);
    expect(ofWrites.tryAcquire()).toBe(true);
    ofWrites.release('throttled', performance.now(), { retryAfterMs: 5000 });
    queue.leave();
    ofWrites.leave();
    callWithOthers(limits, 500);
    expect(isKept(limits, queue)).toBe(true);
  });
});

// Each new token would search all that are in use.
test('tokens are looked through again when there are twice as many as were in use, and at 501 when none was', () => {
  const limits = new Limits();
  const inUse = Array.from({ length: 500 }, (_, index) => queueOf(limits, `used ${index}`));
  callWithOthers(limits, 1);
  for (const each of inUse) each.leave();
  callWithOthers(limits, 500);
  expect(isKept(limits, inUse[0]!, 'used 0')).toBe(true);
  callWithOthers(limits, 501);
  // Now there are two: the last of the others, and this one.
  const again = queueOf(limits, 'used 0');
  expect(again).not.toBe(inUse[0]);
  again.leave();
  callWithOthers(limits, 498, 'later');
  expect(isKept(limits, again, 'used 0')).toBe(true);
  callWithOthers(limits, 499, 'later');
  expect(isKept(limits, again, 'used 0')).toBe(false);
});
