import { longestTimerMs } from '../core/scope/cancel-scope.js';

/** How long handlers may take to end after `close` has aborted their signals, in milliseconds. */
export const abortGraceMs = 1_000;

/** Waits for a promise for some time. Resolves to whether it has resolved. */
export async function endsWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(ms, longestTimerMs));
  });
  return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
}
