import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { endsWithin, Rounds } from '../../src/work/timers.js';
import { PollLoop } from '../../src/work/worker.js';
import type { Polled } from '../../src/work/worker.js';

// When a worker looks for what is due: as soon as that is known, and now and then where others may add something.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test.each([
  [99, true],
  [101, false],
])('what takes %i ms ends within 100: %s', async (ms, expected) => {
  const work = new Promise((resolve) => setTimeout(resolve, ms));
  const result = endsWithin(100, work);
  await pass(ms);
  expect(await result).toBe(expected);
  expect(vi.getTimerCount()).toBe(0);
});

describe('rounds', () => {
  test('begin one at a time, go on after an error, and end with the one that is under way', async () => {
    const [errors, seen]: [unknown[], string[]] = [[], []];
    const rounds = new Rounds((error) => errors.push(error));
    const round = async (): Promise<void> => {
      seen.push('begins');
      await new Promise((resolve) => setTimeout(resolve, 15));
      seen.push('ends');
      throw new Error('failed');
    };
    rounds.begin(round);
    expect(seen).toEqual([]);
    rounds.start(10, round);
    rounds.start(10, round);
    await pass(25);
    // The one of 20 ms is left out.
    expect(seen).toEqual(['begins', 'ends']);
    expect(errors).toEqual([new Error('failed')]);
    await pass(5);
    rounds.begin(round);
    const stopped = rounds.stop().then(() => seen.push('stopped'));
    rounds.begin(round);
    await pass(100);
    await stopped;
    expect(seen).toEqual(['begins', 'ends', 'begins', 'ends', 'stopped']);
    expect(errors).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('can be started again, and begin one at once', async () => {
    const rounds = new Rounds(() => undefined);
    const round = vi.fn(() => Promise.resolve());
    rounds.start(10, round);
    await rounds.stop();
    await pass(50);
    expect(round).not.toHaveBeenCalled();
    rounds.start(10, round);
    rounds.begin(round);
    await pass(10);
    expect(round).toHaveBeenCalledTimes(2);
    await rounds.stop();
  });
});

describe('a loop that polls', () => {
  function loopOf(more: Partial<Polled> = {}, isShared = true) {
    const state = { polls: 0, isOpen: true, errors: 0 };
    const loop = new PollLoop({
      store: { durable: true, shared: isShared },
      isOpen: () => state.isOpen,
      poll: () => Promise.resolve(void (state.polls += 1)),
      onError: () => void (state.errors += 1),
      ...more,
    });
    return { loop, state };
  }

  test.each([
    // What other processes add is not told, so a shared store is asked again after `pollMs`.
    [true, 300, 300],
    [true, 5000, 1000],
    [true, undefined, 1000],
    [false, 300, 300],
    [false, 5000, 5000],
    [false, 0, 1],
  ])('of a store that is shared: %s, with something to do in %s ms, polls after %i', async (isShared, nextInMs, ms) => {
    const { loop, state } = loopOf({}, isShared);
    loop.later(nextInMs);
    await pass(ms - 1);
    expect(state.polls).toBe(0);
    await pass(1);
    expect(state.polls).toBe(1);
  });

  test.each([
    [false, 0],
    // Another object may have the same file.
    [true, 600_000],
  ])(
    'of a store of its own that is durable: %s, with nothing to do, polls after %i ms or never',
    async (durable, ms) => {
      const { loop, state } = loopOf({ store: { durable, shared: false } });
      loop.later();
      expect(vi.getTimerCount()).toBe(durable ? 1 : 0);
      await pass(Math.max(0, ms - 1));
      expect(state.polls).toBe(0);
      await pass(1);
      expect(state.polls).toBe(durable ? 1 : 0);
    },
  );

  test('polls once more if it is woken twice while it polls, and the later of two times counts', async () => {
    const ends: (() => void)[] = [];
    const { loop } = loopOf({ poll: () => new Promise<void>((resolve) => void ends.push(resolve)) });
    loop.wake();
    loop.wake();
    loop.wake();
    ends[0]?.();
    await pass(0);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await pass(0);
    expect([ends.length, loop.ended]).toEqual([2, undefined]);
    loop.later(100);
    loop.later(300);
    await pass(299);
    expect(ends).toHaveLength(2);
    await pass(1);
    expect(ends).toHaveLength(3);
    ends[2]?.();
  });

  test('polls again after a failure, as often as it fails, and not once it is closed', async () => {
    let polls = 0;
    const { loop, state } = loopOf({ poll: () => ((polls += 1), Promise.reject(new Error('disk'))) });
    loop.wake();
    await pass(999);
    expect([polls, state.errors]).toEqual([1, 1]);
    await pass(1);
    expect([polls, state.errors]).toEqual([2, 2]);
    state.isOpen = false;
    await pass(5000);
    loop.wake();
    await pass(5000);
    expect(polls).toBe(2);
  });
});
