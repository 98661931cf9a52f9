import { integerFrom } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { longestTimerMs } from '../core/scope/cancel-scope.js';

/** How failed notifications and jobs are retried. */
export interface RetryOptions {
  /**
   * The most retries after the first attempt; then the notification or job becomes a dead letter. 0: it is tried once.
   *
   * @default 23, which takes 6 to 12 hours
   */
  readonly maxRetries?: number | undefined;
  /**
   * The first delay, in milliseconds. Each next one is twice as long, less up to half at random.
   *
   * @default 1000
   */
  readonly baseMs?: number | undefined;
  /**
   * The longest delay, in milliseconds, also for a Retry-After.
   *
   * @default 3600000, which is an hour
   */
  readonly capMs?: number | undefined;
}

/** The same, with the defaults filled in. */
export type RetryLimits = Readonly<Record<keyof RetryOptions, number>>;

export const retryDefaults: RetryLimits = { maxRetries: 23, baseMs: 1_000, capMs: 3_600_000 };

export const time: Rule = (value) =>
  typeof value === 'number' && value > 0 && value <= longestTimerMs
    ? undefined
    : `takes a number of milliseconds above 0 and at most ${longestTimerMs}`;

export const retryRules: Readonly<Record<keyof RetryOptions, Rule>> = {
  maxRetries: integerFrom(0),
  baseMs: time,
  capMs: time,
};
