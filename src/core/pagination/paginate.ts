import { OffsetTracker } from './offset-tracker.js';
import type { PageStep } from './offset-tracker.js';
import type { Page, PageRequest, Pager, RawPage } from './page.js';
import { Prefetcher } from './prefetcher.js';

/** The largest page that the service is known to give: no larger one is requested unless the caller does. */
const largestPage = 100;

/**
 * Iterates over a list by offset while it changes: every entry that stays in it is delivered exactly once.
 *
 * Each page after the first overlaps the one before by an entry, which shows whether the list has moved.
 * `OffsetTracker` decides which page to request.
 */
export async function* paginate<T, Extra>(pager: Pager<T, Extra>): AsyncGenerator<Page<T, Extra>, void, undefined> {
  const seen = new Set<unknown>();
  const tracker = new OffsetTracker(pager.offset);
  const prefetcher = new Prefetcher(pager);
  let size = pager.limit;
  try {
    for (let isFirst = true, step: PageStep = 'search'; step !== 'end'; isFirst = false) {
      const request = isFirst ? { offset: pager.offset, limit: size } : nextRequest(tracker, size ?? 1);
      const raw = withNumbers(await prefetcher.take(request));
      const entries = raw.items ?? [];
      const keys = entries.map((entry) => pager.key(entry));
      const known = keys.map((key) => seen.has(key));
      size ??= Math.max(1, raw.limit ?? entries.length);
      step = tracker.observe(request, { keys, known, total: raw.total, limit: raw.limit });
      const isAnchored = step !== 'search';
      const items = isAnchored ? entries.filter((_, index) => isNew(seen, keys[index])) : [];
      if (step === 'advance' && tracker.isSteady) {
        const next = nextRequest(tracker, size);
        prefetcher.schedule(next, isFirst ? (next.limit ?? 1) - 1 : entries.length - 1, raw.total ?? 0);
      }
      if (isFirst || items.length > 0)
        yield pageOf(items, request.offset + Math.max(0, known.indexOf(false)), size, raw);
    }
  } finally {
    prefetcher.cancel();
  }
}

/** A page that overlaps contains one entry that was read before, so one entry more is requested. */
function nextRequest({ offset, expectsOverlap }: OffsetTracker, size: number): PageRequest {
  return { offset, limit: expectsOverlap && size < largestPage ? size + 1 : size };
}

/** Whether an entry was not delivered yet; from now on it was. */
function isNew(seen: Set<unknown>, key: unknown): boolean {
  const { size } = seen;
  return seen.add(key).size > size;
}

/** A number of another type says nothing. */
function withNumbers<T, Extra>(raw: RawPage<T, Extra>): RawPage<T, Extra> {
  return { ...raw, total: numberOf(raw.total), limit: numberOf(raw.limit) };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function pageOf<T, Extra>(items: T[], offset: number, size: number, raw: RawPage<T, Extra>): Page<T, Extra> {
  return { ...raw.extra, items, offset, limit: Math.min(size, raw.limit ?? size), total: raw.total ?? undefined };
}
