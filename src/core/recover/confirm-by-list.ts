import type { SentTime } from '../operation/endpoint.js';
import type { Confirmation } from '../errors/confirmation.js';
import { isZoned, millisecondsOf } from '../schema/dates.js';

/** The time of sending is computed from the service's `date` header, which has no fraction of a second. */
const dateGranularityMs = 1000;
/** Some dates have no seconds, and the clocks of the service's machines differ. */
const clockSlackMs = 90_000;
/** A clock may be wrong by hours, and the same content within a day is rare: an equal entry of that time may be the write. */
const equalSlackMs = 24 * 3_600_000;
/** A date without a time zone can be in any zone. */
const zoneSlackMs = 15 * 3_600_000;
/** A date without a time means the whole day. */
const dayMs = 24 * 3_600_000;

const dateLength = '2026-03-01'.length;

/** An entry of a list in which a write would appear. */
export interface ListedEntry<T> {
  readonly entry: T;
  /** `same`: equal to the written content. `similar`: perhaps the written content, changed by the service. */
  readonly content: 'same' | 'similar' | 'other';
  /** The date of the entry, as the service states it. */
  readonly date: string | null | undefined;
}

/** The part of a list that was read after a write. */
export interface SeenList<T> {
  /** The entries by the author of the write. */
  readonly entries: readonly ListedEntry<T>[];
  /** Whether the newest entries were read. */
  readonly isComplete: boolean;
  readonly sent: SentTime;
  /** The number of equal writes that this client sent recently, with this one. */
  readonly equalWrites: number;
}

/**
 * Decides by a list whether a write was carried out. The result is `done: true` only if the list has exactly one new
 * entry with this content for each equal write. It is `done: false` only if the newest entries were read, no entry with
 * this content is of the last day, and the author has no new entry, because the service may have changed the text.
 */
export function confirmByList<T>({ entries, isComplete, sent, equalWrites }: SeenList<T>): Confirmation<T> {
  const equal = entries.filter(
    ({ content, date }) => content === 'same' && ageOf(date, sent, equalSlackMs) !== 'older',
  );
  const [first] = equal;
  if (first) {
    const isCertain = equal.every(({ date }) => ageOf(date, sent) === 'newer');
    if (isCertain && equal.length === equalWrites) return { done: true, output: first.entry };
    return {
      unknown: `${equal.length} ${equal.length === 1 ? 'entry looks' : 'entries look'} like the one that was written`,
    };
  }
  const recent = entries.filter(({ content, date }) => content !== 'same' && ageOf(date, sent) !== 'older');
  if (recent.some(({ content }) => content === 'similar'))
    return { unknown: 'there is a similar entry, and the service may have changed the text' };
  if (recent.some(({ date }) => !isBefore(date, sent)))
    return { unknown: 'there is another entry since, and the service may have changed the text' };
  return isComplete ? { done: false } : { unknown: 'the service does not show the list up to its newest entry' };
}

/**
 * Compares a text that was read with the text that was sent, which the service may trim, escape, mask, strip or cut.
 */
export function compareText(read: string | null | undefined, sent: string): ListedEntry<unknown>['content'] {
  const shown = read ?? '';
  if (withoutExtraSpaces(shown) === withoutExtraSpaces(sent)) return 'same';
  const [readPlain, sentPlain] = [plain(shown), plain(sent)];
  if (sentPlain.startsWith(readPlain) || readPlain.startsWith(sentPlain)) return 'similar';
  const [readWords, sentWords] = [wordsOf(shown), wordsOf(sent)];
  const shared = [...readWords].filter((word) => sentWords.has(word)).length;
  const shorter = Math.min(readWords.size, sentWords.size);
  // A text without words may have been masked.
  return shorter === 0 || shared > shorter / 2 ? 'similar' : 'other';
}

function withoutExtraSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function wordsOf(text: string): Set<string> {
  return new Set(withoutAccents(text).match(unicode(String.raw`\p{L}{2,}`)));
}

/** Returns only the letters and digits of a text. */
function plain(text: string): string {
  return withoutAccents(text).replace(unicode(String.raw`[^\p{L}\p{N}]`), '');
}

function withoutAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(unicode(String.raw`\p{M}`), '')
    .toLowerCase();
}

/** Not a literal: engines read all literals at import, and Unicode classes take them half a millisecond. */
function unicode(pattern: string): RegExp {
  return new RegExp(pattern, 'gu');
}

/** Matches a date with seconds, and one with a fraction of a second that is not zero. */
const withSeconds = /:\d\d:\d\d/;
const withFraction = /\.\d{0,8}[1-9]/;

/**
 * Whether the date of an entry is before a write by every clock, within the precision of the date. If so, it is another
 * entry.
 */
export function isBefore(date: string | null | undefined, { earliest }: SentTime): boolean {
  if (!date || !withSeconds.test(date) || !isZoned(date)) return false;
  return millisecondsOf(date) < earliest - (withFraction.test(date) ? 2 : dateGranularityMs);
}

/** Whether an entry is older or newer than a write by every clock; `unclear` if its date proves neither. */
export function ageOf(
  date: string | null | undefined,
  { earliest, latest }: SentTime,
  slackMs = clockSlackMs,
): 'older' | 'newer' | 'unclear' {
  if (!date) return 'unclear';
  // `NaN` is neither before nor after anything.
  const at = millisecondsOf(date);
  const isExact = isZoned(date);
  const inexactMs = isExact ? 0 : zoneSlackMs + (date.length <= dateLength ? dayMs : 0);
  if (at < earliest - Math.max(slackMs, inexactMs)) return 'older';
  return isExact && at >= latest - dateGranularityMs ? 'newer' : 'unclear';
}
