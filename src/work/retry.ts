import type { Rule } from '../core/options/rules.js';
import { longestTimerMs } from '../core/scope/cancel-scope.js';

/** How failed notifications and jobs are retried. */
export interface RetryOptions {
  /**
   * The most attempts, the first included; then the notification or job becomes a dead letter.
   *
   * @default 24, which takes 6 to 12 hours
   */
  readonly attempts?: number | undefined;
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

export const retryDefaults: Readonly<Record<keyof RetryOptions, number>> = {
  attempts: 24,
  baseMs: 1_000,
  capMs: 3_600_000,
};

export const count: Rule = (value) =>
  Number.isSafeInteger(value) && Number(value) > 0 ? undefined : 'must be a whole number above 0';

export const time: Rule = (value) =>
  typeof value === 'number' && value > 0 && value <= longestTimerMs
    ? undefined
    : `must be a number above 0 and at most ${longestTimerMs}`;

export const retryRules: Readonly<Record<keyof RetryOptions, Rule>> = { attempts: count, baseMs: time, capMs: time };
