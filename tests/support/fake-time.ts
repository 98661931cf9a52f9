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
  await advanceUntil(() => state.isSettled, 25);
  return work;
}

/** Advances the fake clock in steps until a claim holds. */
export async function advanceUntil(claim: () => boolean, stepMs = 1): Promise<void> {
  for (let ms = 0; !claim(); ms += stepMs) {
    if (ms >= longestMs) throw new Error('not so after ten minutes of fake time');
    await vi.advanceTimersByTimeAsync(stepMs);
  }
}
