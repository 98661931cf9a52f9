import type { Errand } from './errand.js';
import type { Setup } from './prepare.js';
import { mayRepeat, waitBefore } from './retry.js';
import type { Failure } from './retry.js';

/** The first wait before a repeat is at most so long, in milliseconds. */
const baseMs = 500;

/** How long to wait before a repeat; `undefined` where there is none. A 429 makes everybody wait at the gate. */
export function waitToRepeat(
  { endpoint, options, bounds, renewed, pace, upload }: Errand,
  failure: Failure,
  { settings, line }: Setup,
): number | undefined {
  const { maxWaitMs, retries } = settings;
  const throttled = failure.kind === 'refused' && failure.status === 429;
  const asked = failure.kind === 'refused' ? failure.retryAfterMs : undefined;
  const repeats = bounds.attempts - 1 - Number(renewed);
  const mayGoOn = repeats < (options.retries ?? retries) && mayRepeat(endpoint.retry, failure) && !upload?.once;
  const wait = throttled
    ? (asked ?? Math.min(pace.patienceMs, maxWaitMs))
    : waitBefore({ baseMs, capMs: maxWaitMs }, repeats + 1, failure);
  if (wait === undefined || wait > maxWaitMs) return undefined;
  if (throttled && (mayGoOn || asked !== undefined)) pace.close(wait);
  if (!mayGoOn || wait >= bounds.leftMs) return undefined;
  return throttled || line.budget.take() ? wait : undefined;
}
