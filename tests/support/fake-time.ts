import { vi } from 'vitest';

/** Advances the fake clock until a promise has settled, and delivers what it settled to. */
export async function advanceUntilSettled<T>(work: PromiseLike<T>): Promise<T> {
  const state = { isSettled: false };
  const settle = (): void => void (state.isSettled = true);
  work.then(settle, settle);
  while (!state.isSettled) await vi.advanceTimersByTimeAsync(25);
  return work;
}
