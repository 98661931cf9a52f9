import { OffsetTracker } from './offset-tracker.js';
import type { PageStep, PageRequest } from './offset-tracker.js';
import { Prefetcher } from './prefetcher.js';
import type { Page, Pager, RawPage } from './paged.js';

/** The largest page that the service is known to give: nothing larger is asked for unless the caller does. */
const largestPage = 100;

/**
 * Walks a list by offset while it changes: every entry that stays in it is delivered exactly once, none twice.
 *
 * Each page after the first overlaps the one before by an entry, which tells whether the list has moved.
 * `Frontier` says where to ask.
 */
export async function* paginate<T, Extra>(pager: Pager<T, Extra>): AsyncGenerator<Page<T, Extra>, void, undefined> {
  const seen = new Set<unknown>();
  const frontier = new OffsetTracker(pager.offset);
  const ahead = new Prefetcher(pager);
  let size = pager.limit;
  try {
    for (let isFirst = true, finding: PageStep = 'none'; finding !== 'end'; isFirst = false) {
      const asked = isFirst ? { offset: pager.offset, limit: size } : nextPlace(frontier, size ?? 1);
      const raw = await ahead.take(asked);
      const entries = raw.items ?? [];
      const keys = entries.map((entry) => pager.key(entry));
      const known = keys.map((key) => seen.has(key));
      size ??= Math.max(1, raw.limit ?? entries.length);
      finding = frontier.observe(asked, { keys, known, total: raw.total, limit: raw.limit });
      const isAnchored = finding !== 'none';
      const items = isAnchored ? entries.filter((_, index) => isNew(seen, keys[index])) : [];
      if (finding === 'news' && frontier.isSteady) {
        const next = nextPlace(frontier, size);
        ahead.schedule(next, isFirst ? (next.limit ?? 1) - 1 : entries.length - 1, raw.total ?? 0);
      }
      if (isFirst || items.length > 0) yield pageOf(items, asked.offset + Math.max(0, known.indexOf(false)), size, raw);
    }
  } finally {
    ahead.cancel();
  }
}

/** A page that overlaps brings one entry that was read before, so it is asked for longer by one. */
function nextPlace({ offset, expectsOverlap }: OffsetTracker, size: number): PageRequest {
  return { offset, limit: expectsOverlap && size < largestPage ? size + 1 : size };
}

/** Whether an entry was not delivered yet; from now on it was. */
function isNew(seen: Set<unknown>, key: unknown): boolean {
  const { size } = seen;
  return seen.add(key).size > size;
}

function pageOf<T, Extra>(items: T[], offset: number, size: number, raw: RawPage<T, Extra>): Page<T, Extra> {
  return { ...raw.extra, items, offset, limit: Math.min(size, raw.limit ?? size), total: raw.total ?? undefined };
}
