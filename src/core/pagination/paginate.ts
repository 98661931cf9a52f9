import { RequestAbortedError, UnexpectedResponseError } from '../errors/errors.js';
import { checkOptions } from '../options/resolve-options.js';
import { integerFrom } from '../options/rules.js';
import { Deadline } from '../scope/deadline.js';
import { OffsetTracker } from './offset-tracker.js';
import type { PageStep } from './offset-tracker.js';
import type { Page, Pager, RawPage } from './page.js';
import { Prefetcher } from './prefetcher.js';

/**
 * Iterates over a list by offset while it changes: every entry that stays in the list is returned exactly once.
 *
 * Each page after the first overlaps the page before by one entry, which shows whether entries have moved.
 * `OffsetTracker` decides which page to request. The limit of a page is never larger than the caller's or the
 * service's.
 *
 * The deadline limits the time of the requests, not of the loop body.
 *
 * @throws {InvalidInputError} when `prefetch` is not an integer, or is negative.
 * @throws {RequestAbortedError} when the signal is aborted, also between two pages.
 * @throws {UnexpectedResponseError} when the list ends before the total that the service stated, and it did not shrink.
 */
export async function* paginate<T, Extra>(pager: Pager<T, Extra>): AsyncGenerator<Page<T, Extra>, void, undefined> {
  checkOptions({ prefetch: pager.prefetch }, { prefetch: integerFrom(0) });
  const seen = new Set<unknown>();
  const tracker = new OffsetTracker(pager.offset);
  const prefetcher = new Prefetcher(pager);
  const deadline = new Deadline('The iteration', pager.deadlineMs);
  let { limit } = pager;
  let statedTotal: number | undefined;
  try {
    for (let isFirst = true, step: PageStep = 'search'; step !== 'end'; isFirst = false) {
      const request = { offset: tracker.offset, limit };
      const raw = withNumbers(await deadline.within({}, (limits) => prefetcher.take(request, limits)));
      // A prefetched page may have arrived before the abort.
      throwIfAborted(pager.signal);
      const entries = raw.items ?? [];
      const length = entries.length + (raw.leftOut ?? 0);
      const keys = entries.map((entry) => keyOf(entry, pager.key));
      const known = keys.map((key) => seen.has(key));
      if (isFirst) statedTotal = raw.total ?? undefined;
      limit = smallerLimit(limit, raw.limit);
      step = tracker.observe(request, { keys, known, length, total: raw.total, limit: raw.limit });
      const isAnchored = step !== 'search';
      const items = isAnchored ? entries.filter((_, index) => isNew(seen, keys[index])) : [];
      if (step === 'advance' && tracker.isSteady) {
        const pageLength = limit ?? length;
        prefetcher.schedule(
          { offset: tracker.offset, limit },
          Math.max(1, pageLength - 1),
          raw.total ?? 0,
          deadline.leftMs,
        );
      }
      const isShort = step === 'end' && endsShort(tracker, statedTotal, raw.total);
      if (items.length > 0 || (isFirst && !isShort))
        yield pageOf(items, request.offset + Math.max(0, known.indexOf(false)), limit ?? raw.limit ?? length, raw);
      throwIfAborted(pager.signal);
      if (isShort) throw endedShort(seen.size, statedTotal ?? 0);
    }
  } finally {
    prefetcher.cancel();
  }
}

/** @throws {RequestAbortedError} when the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new RequestAbortedError('The iteration was aborted by the caller', { cause: signal.reason });
}

/** If the service reports a smaller limit than requested, it does not accept a larger one. */
function smallerLimit(limit: number | undefined, reported: number | undefined): number | undefined {
  return limit === undefined || reported === undefined || reported < 1 ? limit : Math.min(limit, reported);
}

/** If responses are not validated, an entry may have no id. Then its content identifies it. */
function keyOf<T>(entry: T | null | undefined, key: (entry: T) => unknown): unknown {
  return (entry === null || entry === undefined ? undefined : key(entry)) ?? JSON.stringify(entry);
}

/** Returns whether an entry is new, and records it. */
function isNew(seen: Set<unknown>, key: unknown): boolean {
  const { size } = seen;
  return seen.add(key).size > size;
}

/** Ignores a `total` or `limit` that is not a number. */
function withNumbers<T, Extra>(raw: RawPage<T, Extra>): RawPage<T, Extra> & { total?: number; limit?: number } {
  const { total, limit, ...rest } = raw;
  return { ...rest, ...(typeof total === 'number' && { total }), ...(typeof limit === 'number' && { limit }) };
}

/** Whether entries are missing at the end although the list has not changed. */
function endsShort(tracker: OffsetTracker, first: number | undefined, last: number | undefined): boolean {
  if (first === undefined || tracker.hasMoved) return false;
  return tracker.end < first && (last === undefined || last >= first);
}

function endedShort(delivered: number, total: number): UnexpectedResponseError {
  const message = `The list ended after ${delivered} entries, although the service stated a total of ${total}. The rest was not delivered.`;
  return new UnexpectedResponseError(message, {
    status: 200,
    headers: new Headers(),
    body: undefined,
    issues: [{ path: ['total'], message: `\`total\` is ${total}; the pages have ${delivered} entries` }],
  });
}

function pageOf<T, Extra>(items: T[], offset: number, size: number, raw: RawPage<T, Extra>): Page<T, Extra> {
  const limit = Math.max(1, Math.min(size, raw.limit ?? size));
  return { ...raw.extra, items, offset, limit, total: raw.total ?? undefined };
}
