import { afterEach, beforeEach, vi } from 'vitest';

/** Fakes the timers of an inbox in each test of a file; what reads a request stays real. */
export function fakeTimersOfInbox(): void {
  beforeEach(
    () =>
      void vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
      }),
  );
  afterEach(() => void vi.useRealTimers());
}

/** No work in the tests lasts longer by the fake clock, so a test need not wait for its real time limit. */
const longestMs = 10 * 60_000;

/** Advances the fake clock until a promise has settled, and delivers what it settled to. */
export async function advanceUntilSettled<T>(work: PromiseLike<T>): Promise<T> {
  const state = { isSettled: false };
  const settle = (): void => void (state.isSettled = true);
  work.then(settle, settle);
  for (let ms = 0; !state.isSettled; ms += 25) {
    if (ms >= longestMs) throw new Error('not settled after ten minutes of fake time');
    await vi.advanceTimersByTimeAsync(25);
  }
  return work;
}
