/** An exponential backoff: the first delay and the longest, in milliseconds. */
export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
}

/** The delay after attempt number `attempt`: twice as long each time. */
export function exponentialDelay(attempt: number, { baseMs, capMs }: Backoff): number {
  return Math.min(capMs, baseMs * 2 ** (attempt - 1));
}

/** The same, less up to half at random, so that failures at the same time are not retried at the same time. */
export function jitteredDelay(attempt: number, backoff: Backoff): number {
  return exponentialDelay(attempt, backoff) * (1 - Math.random() / 2);
}
