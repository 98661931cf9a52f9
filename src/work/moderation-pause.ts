/** The first pause before a message is read that moderation has not decided about, and the longest, in milliseconds. */
const [firstPauseMs, longestPauseMs] = [2_000, 300_000];
/** How long moderation may take, in milliseconds: the buyer is waiting, and a person has to look. */
const timeoutMs = 24 * 3_600_000;

/** What is said when moderation has taken too long. */
export const overdue = 'Moderation has not decided about the message within 24 hours';

/**
 * When to look again at a message that moderation has not decided about, in milliseconds; `undefined` when it has taken too long.
 *
 * @param since Since when it is followed, in milliseconds since 1970.
 */
export function moderationPauseMs(since: number): number | undefined {
  const ageMs = Math.max(0, Date.now() - since);
  if (ageMs >= timeoutMs) return undefined;
  return Math.min(Math.max(ageMs / 2, firstPauseMs), longestPauseMs, timeoutMs - ageMs);
}
