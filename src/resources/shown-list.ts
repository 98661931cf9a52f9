import type { Reading, SentTime } from '../core/operation/endpoint.js';

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
