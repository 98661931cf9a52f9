import { checks } from './checks.js';
import type { BotStats, History } from './history.js';

/** How long the bot has to be silent, in milliseconds: longer than what waits in an inbox or an outbox until it is tried again. */
export const silentMs = 7_200_000;

/** What may be wrong now, and right later. */
const mayHeal = [checks.answered, checks.allReplied, checks.acknowledgedHandled, checks.missedHandled];

/**
 * Whether the quiet day can end: for two hours the bot counts the same, nothing was written or announced, and nothing is open. A
 * bot that does not count may have work that nobody sees, so it gets the whole day.
 */
export function isSettled(history: History, now: number, counted: BotStats | undefined): boolean {
  const { calls, deliveries, stats } = history;
  if (!stats || stats.running > 0 || stats.waiting !== counted?.waiting || stats.dead !== counted.dead) return false;
  const isRecent = ({ at }: { readonly at: number }): boolean => at > now - silentMs;
  if (calls.some((call) => call.method !== 'GET' && isRecent(call)) || deliveries.some(isRecent)) return false;
  return mayHeal.every((check) => check(history).length === 0);
}
