import type { Confirmation } from '../errors/confirmation.js';
import { isZoned, millisecondsOf } from '../schema/date-time.js';

/** The service's `date` header, by which the moment of sending is computed, has no fraction of a second. */
const dateGranularityMs = 1000;
/** Some dates are cut to the minute, and the clocks of one service differ. */
const clockSlackMs = 90_000;
/** A date without a zone may be of any zone. */
const zoneSlackMs = 15 * 3_600_000;
/** A date without a time stands for the whole day. */
const dayMs = 24 * 3_600_000;

const dateLength = '2026-03-01'.length;

/** An entry of a list in which a write would appear. */
export interface ListedEntry<T> {
  readonly entry: T;
  /** Whether its content is that of the write, may be that content changed by the service, or is another one. */
  readonly content: 'same' | 'similar' | 'other';
  /** When it was written, as the service states it. */
  readonly date: string | null | undefined;
}

/** What was seen of a list after a write. */
export interface SeenList<T> {
  /** The entries of the author of the write. */
  readonly entries: readonly ListedEntry<T>[];
  /** Whether every entry up to the newest was seen. */
  readonly isComplete: boolean;
  /** When the write was sent, by the service's clock. */
  readonly sentAt: number;
  /** How many equal writes this client has sent, this one included. */
  readonly equalWrites: number;
}

/**
 * Whether a write appears in a list. It is confirmed only where one new entry per equal write has its content, and
 * denied only where every entry was seen and its author has written none since: the service may have changed the text
 * beyond recognition.
 */
export function confirmByList<T>({ entries, isComplete, sentAt, equalWrites }: SeenList<T>): Confirmation<T> {
  const recent = entries.filter(({ date }) => ageOf(date, sentAt) !== 'older');
  const equal = recent.filter(({ content }) => content === 'same');
  const [first] = equal;
  if (first) {
    const isCertain = equal.every(({ date }) => ageOf(date, sentAt) === 'newer');
    if (isCertain && equal.length === equalWrites) return { done: true, output: first.entry };
    return {
      unknown: `${equal.length} ${equal.length === 1 ? 'entry looks' : 'entries look'} like the one that was written`,
    };
  }
  if (recent.some(({ content }) => content === 'similar'))
    return { unknown: 'there is a similar entry, and the service may have changed the text' };
  if (recent.some(({ date }) => !isBefore(date, sentAt)))
    return { unknown: 'there is another entry since, and the service may have changed the text' };
  return isComplete ? { done: false } : { unknown: 'the service does not show the list up to its newest entry' };
}

/** Compares a text that is read back with the one that was sent: the service may trim, escape, mask, strip or cut it. */
export function compareText(read: string | null | undefined, sent: string): ListedEntry<unknown>['content'] {
  const bare = (text: string): string => text.replace(/\s+/g, ' ').trim();
  if (typeof read === 'string' && bare(read) === bare(sent)) return 'same';
  const [readPlain, sentPlain] = [plain(read ?? ''), plain(sent)];
  if (sentPlain.startsWith(readPlain) || readPlain.startsWith(sentPlain)) return 'similar';
  const [readWords, sentWords] = [wordsOf(read ?? ''), wordsOf(sent)];
  const shared = [...readWords].filter((word) => sentWords.has(word)).length;
  const shorter = Math.min(readWords.size, sentWords.size);
  // A text without words may be one that was masked.
  return shorter === 0 || shared > shorter / 2 ? 'similar' : 'other';
}

function wordsOf(text: string): Set<string> {
  return new Set(withoutAccents(text).match(/\p{L}{2,}/gu));
}

/** Letters and digits only: of a text that was cut, the beginning. */
function plain(text: string): string {
  return withoutAccents(text).replace(/[^\p{L}\p{N}]/gu, '');
}

function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** A date with seconds, and one with a fraction of a second that was not cut. */
const withSeconds = /:\d\d:\d\d/;
const withFraction = /\.\d{0,8}[1-9]/;

/** Whether an entry is dated before a write, as exactly as it is dated: then it is another one of the same author. */
export function isBefore(date: string | null | undefined, sentAt: number): boolean {
  if (typeof date !== 'string' || !withSeconds.test(date) || !isZoned(date)) return false;
  return millisecondsOf(date) < sentAt - (withFraction.test(date) ? 2 : dateGranularityMs);
}

/** Whether an entry is older or newer than a write; `unclear` where its date does not prove either. */
export function ageOf(date: string | null | undefined, sentAt: number): 'older' | 'newer' | 'unclear' {
  const at = typeof date === 'string' ? millisecondsOf(date) : Number.NaN;
  if (Number.isNaN(at) || date === null || date === undefined) return 'unclear';
  const isExact = isZoned(date);
  const slackMs = isExact ? clockSlackMs : zoneSlackMs + (date.length <= dateLength ? dayMs : 0);
  if (at < sentAt - slackMs) return 'older';
  return isExact && at >= sentAt - dateGranularityMs ? 'newer' : 'unclear';
}
