import type { Confirmation } from '../errors/confirmation.js';
import { millisecondsOf } from '../schema/date-time.js';

/** The service's `date` header, by which the moment of sending is computed, has no fraction of a second. */
const dateGranularityMs = 1000;

/** Whether a text that is read back is the text that was sent: the service may trim it. */
export function isSameText(read: string | null | undefined, sent: string): boolean {
  const bare = (text: string): string => text.replace(/\s+/g, ' ').trim();
  return typeof read === 'string' && bare(read) === bare(sent);
}

/** Whether something was written at or after a moment; `undefined` where it has no date. */
export function isNotBefore(instant: string | null | undefined, momentMs: number): boolean | undefined {
  const at = typeof instant === 'string' ? millisecondsOf(instant) : Number.NaN;
  return Number.isNaN(at) ? undefined : at >= momentMs - dateGranularityMs;
}

/** The confirmation that follows from the entries that look like the one that was written. */
export function singleMatch<T>(found: readonly T[]): Confirmation<T> {
  if (found.length === 0) return { done: false };
  if (found.length === 1) return { done: true, output: found[0] as T };
  return { unknown: `${found.length} entries look like the one that was written` };
}
