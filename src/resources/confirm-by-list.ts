import type { Confirmation } from '../core/errors/seller-error.js';
import type { ConfirmContext, KnownWrites, Reading, SentTime } from '../core/operation/endpoint.js';
import { isZoned, millisecondsOf } from '../core/schema/define.js';

/** What a date that is not exact leaves out: most services state whole seconds, some exact ones. */
const wholeSecondMs = 1000;
/** The clocks of machines that are synchronised differ by less. */
const synchronisedMs = 100;
const withFraction = /\.\d{0,8}[1-9]/;
/** By how much the dates of entries may differ from both clocks, this machine's and that of the `date` header. */
const slackMs = 15 * 60_000;
/** A date without a time zone can be in any zone. */
const zoneSlackMs = 15 * 3_600_000;
/** A date without a time means the whole day. */
const dayMs = 24 * 3_600_000;

const dateLength = '2026-03-01'.length;

/** How a text that was read compares with one that was sent. `similar`: perhaps it, changed by the service. */
export type Likeness = 'same' | 'similar' | 'other';

/** An entry of a list in which a write would appear. */
export interface ListedEntry<T, In = unknown> {
  readonly entry: T;
  /** Its name in the book of writes; `undefined` if it has no id. */
  readonly name: string | undefined;
  /** The date of the entry, as the service states it. */
  readonly date: string | null | undefined;
  /** Why it may be an entry of another author, so that it proves nothing. */
  readonly uncertainty?: string | undefined;
  /** Compares the entry with what a write sent. */
  compare(input: In): Likeness;
}

/** The part of a list that was read after a write. */
interface SeenList<T, In = unknown> {
  /** The entries by the author of the write. */
  readonly entries: readonly ListedEntry<T, In>[];
  /** Whether the newest entries were read. */
  readonly isComplete: boolean;
  readonly sent: SentTime;
  /** Writes of other endpoints whose entries are in the list too. */
  readonly beside?: Parameters<ConfirmContext['look']>[1];
}

/**
 * Decides by a list whether a write was carried out. Each entry proves one write: equal writes are interchangeable, and what
 * proves another write counts neither as a proof nor against one.
 *
 * The result is `done: true` only with a new entry with this content. It is `done: false` only if the newest entries were
 * read and the author has no entry that may be newer than the write: the service may have changed the text. An entry with this
 * content may be newer whatever its date says, unless another entry of this client shows that the dates are right.
 */
export async function confirmByList<T, In>(
  list: SeenList<T, In>,
  input: In,
  context: Pick<ConfirmContext, 'look' | 'claim'>,
): Promise<Confirmation<T>> {
  const names = list.entries.flatMap(({ name }) => name ?? []);
  // Another process may take an entry between the look and the claim.
  for (let tries = 0; tries <= names.length; tries += 1) {
    const known = await context.look(names, list.beside);
    const behindMs = behindMsOf(list, known);
    const others = known.others.map((other) => ({ ...other, sent: corrected(other.sent, behindMs) }));
    const found = judge({ ...list, sent: corrected(list.sent, behindMs) }, input, { ...known, others });
    if ('done' in found) return found;
    // The response of another write may still tell which entry is its own.
    if ('unknown' in found)
      return known.isInFlight || known.others.some(({ isInFlight }) => isInFlight)
        ? { ...found, mayChange: true }
        : found;
    if (found.name === undefined || (await context.claim(found.name))) return { done: true, output: found.entry };
  }
  return { unknown: 'other writes took each entry that looks like the one that was written' };
}

/**
 * By how much the dates of the list are ahead of the clock that says when writes were sent, at most: an entry of another write cannot
 * be older than that write. `undefined` if there is no such entry.
 */
function behindMsOf<T, In>({ entries }: SeenList<T, In>, known: KnownWrites): number | undefined {
  // A service that states fractions states them in each entry, also where one is exactly 0.
  const inexactMs = entries.some(({ date }) => date && withFraction.test(date)) ? 0 : wholeSecondMs;
  const each = entries.flatMap(({ name, date }) => {
    const sent = name === undefined ? undefined : known.sentOf(name);
    return sent && date && isZoned(date) ? [millisecondsOf(date) + inexactMs - sent.latest] : [];
  });
  const shown = each.filter((ms) => !Number.isNaN(ms));
  return shown.length > 0 ? Math.min(...shown) : undefined;
}

/** Whether an entry of another write of this client tells how the dates of the list differ from the clocks. */
function showsClock<T, In>({ name, date }: ListedEntry<T, In>, known: KnownWrites): boolean {
  const isOwn = name !== undefined && known.sentOf(name) !== undefined;
  return isOwn && !!date && isZoned(date) && !Number.isNaN(millisecondsOf(date));
}

/** Adds the clock that the entries show. Only dates that are behind move the time of a write. */
function corrected({ earliest, latest, clocks }: SentTime, behindMs: number | undefined): SentTime {
  if (behindMs === undefined) return { earliest, latest, clocks };
  const sent = latest + Math.min(0, behindMs);
  const shown = clocks?.slice(0, 1).map(({ sent: first, read }) => {
    return { sent: latest + behindMs, read: latest + behindMs + read - first };
  });
  return { earliest: Math.min(earliest, sent), latest: sent, clocks: shown && [...(clocks ?? []), ...shown] };
}

/** Returns the proof, or what is known without one. */
function judge<T, In>(
  { entries, isComplete, sent }: SeenList<T, In>,
  input: In,
  known: KnownWrites,
): ListedEntry<T, In> | Exclude<Confirmation, { done: true }> {
  const proofOf = ({ name }: ListedEntry<T, In>): string | undefined =>
    name === undefined ? undefined : known.provedBy(name);
  const own = entries.find((entry) => proofOf(entry) === 'this');
  if (own) return own;
  const free = withoutThoseOfOthers(
    entries.filter((entry) => proofOf(entry) === undefined),
    input,
    known.others,
  );
  const equals = known.others.filter(({ isEqual, isDone }) => isEqual && !isDone);
  // An equal write that was sent before may have made the entry, but then this one may take its place.
  const group = equals.reduce((first, each) => (each.sent.earliest < first.earliest ? each.sent : first), sent);
  const recent = free.filter(({ date }) => ageOf(date, sent) !== 'older');
  const equal = free.filter((entry) => entry.compare(input) === 'same');
  // The oldest first: later writes cannot have made it.
  const same = equal.filter(({ date }) => ageOf(date, group) !== 'older');
  const [first] = same;
  if (first) {
    const proof = same.find(({ date }) => ageOf(date, sent) === 'newer') ?? first;
    if (same.some(({ date }) => ageOf(date, group) !== 'newer') || (same.length > 1 && proof.uncertainty !== undefined))
      return {
        unknown: `${same.length} ${same.length === 1 ? 'entry looks' : 'entries look'} like the one that was written`,
      };
    if (same.length <= equals.filter(({ isInFlight }) => isInFlight).length)
      return { unknown: 'an equal write is being sent, and the entry may be its own' };
    // It would take the place of the other one, which is then sent again, and still make an entry of its own.
    if (known.isInFlight && same.length <= equals.length)
      return { unknown: 'an equal write may have made the entry, and this one may still be carried out' };
    return proof.uncertainty === undefined ? proof : { unknown: proof.uncertainty };
  }
  if (recent.some((entry) => entry.compare(input) === 'similar'))
    return { unknown: 'there is a similar entry, and the service may have changed the text' };
  if (recent.length > 0) return { unknown: 'there is another entry since, and the service may have changed the text' };
  if (!isComplete) return { unknown: 'the service does not show the list up to its newest entry' };
  if (equal.length > 0 && !entries.some((entry) => showsClock(entry, known)))
    return { unknown: 'an equal entry has an older date, and nothing shows that the dates of this list are right' };
  return { done: false };
}

/** When an entry was made; one without a readable date comes last. */
function timeOf({ date }: { readonly date: string | null | undefined }): number {
  const at = millisecondsOf(date ?? '');
  return Number.isNaN(at) ? Number.MAX_VALUE : at;
}

/**
 * Leaves out an entry for each other write that certainly made one, and for each that may have made one with a text that
 * this write cannot have. It is the oldest that the other write can have made, whichever end of the list is the newer.
 */
function withoutThoseOfOthers<T, In>(
  entries: readonly ListedEntry<T, In>[],
  input: In,
  others: KnownWrites['others'],
): ListedEntry<T, In>[] {
  const free = entries.toSorted((a, b) => timeOf(a) - timeOf(b));
  for (const other of others) {
    const at = free.findIndex(
      (entry) =>
        entry.compare(other.input as In) === 'same' &&
        ageOf(entry.date, other.sent) === 'newer' &&
        (other.isDone || entry.compare(input) === 'other'),
    );
    if (at >= 0) free.splice(at, 1);
  }
  return free;
}

/**
 * Compares a text that was read with the text that was sent, which the service may trim, escape, mask, strip or cut.
 */
export function compareText(read: string | null | undefined, sent: string): Likeness {
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
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
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

/**
 * Whether the date of an entry is before a write by every clock, or after it and, by one clock, not after the reading; `unclear` if it
 * proves neither.
 */
export function ageOf(
  date: string | null | undefined,
  { earliest, latest, clocks }: SentTime,
): 'older' | 'newer' | 'unclear' {
  if (!date) return 'unclear';
  // `NaN` is neither before nor after anything.
  const at = millisecondsOf(date);
  const isExact = isZoned(date);
  const inexactMs = isExact ? 0 : zoneSlackMs + (date.length <= dateLength ? dayMs : 0);
  if (at < earliest - slackMs - inexactMs) return 'older';
  const precisionMs = withFraction.test(date) ? synchronisedMs : wholeSecondMs;
  const isMeanwhile = !clocks || clocks.some(({ sent, read }) => at >= sent - precisionMs && at <= read + slackMs);
  return isExact && at >= latest - precisionMs && isMeanwhile ? 'newer' : 'unclear';
}

/** A page of a list in a response that reads back a write. */
export interface ShownPage<T> {
  readonly reading: Reading;
  /** The entries; `null` or absent if the response shows no list. */
  readonly entries: readonly T[] | null | undefined;
  /** The number of entries in the whole list, as the response states it. */
  readonly total: number | null | undefined;
}

/** What a service shows of a list. */
export interface ShownList<T> {
  readonly entries: readonly T[];
  /** Whether an entry that is not shown does not exist. */
  readonly isComplete: boolean;
  readonly sent: SentTime;
}

/**
 * Judges one page. An entry that is shown proves its presence in any list. Absence is proved only by a list that is
 * complete by its own total, or by a bare list that is neither empty nor as long as a page.
 *
 * @throws when the response shows no list.
 */
export function shownList<T>({ reading, entries, total }: ShownPage<T>, pageLength: number): ShownList<T> {
  if (!entries) throw new TypeError('the response shows no list');
  const shown = entries.length;
  const isShortList = Array.isArray(reading.body) && shown > 0 && shown < pageLength;
  const isComplete = typeof total === 'number' ? total === shown : isShortList;
  return { entries, isComplete, sent: reading.sent };
}

/** Reads both ends of a list that is sorted by date, because either end may be the newer. */
export async function readEnds<T>(
  readPage: (offset?: number) => Promise<ShownPage<T>>,
  pageLength: number,
): Promise<ShownList<T>> {
  const page = await readPage();
  const first = shownList(page, pageLength);
  const { total } = page;
  const shown = first.entries.length;
  if (first.isComplete || typeof total !== 'number' || shown === 0 || total < shown) return first;
  const offset = Math.max(shown, total - pageLength);
  const end = await readPage(offset);
  const last = shownList(end, pageLength).entries;
  const isComplete = end.total === total && offset + last.length === total;
  return { ...first, entries: [...first.entries, ...last], isComplete };
}
