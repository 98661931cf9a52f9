import { checkOptions } from '../options/resolve-options.js';
import { integerFrom } from '../options/rules.js';
import { PageReader, throwIfAborted } from './page-reader.js';
import type { Page, Pager } from './page.js';

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
 * @throws {ApiError} when the service rejects an offset. All entries that can be reached were returned before.
 */
export async function* paginate<T, Extra>(pager: Pager<T, Extra>): AsyncGenerator<Page<T, Extra>, void, undefined> {
  checkOptions({ prefetch: pager.prefetch }, { prefetch: integerFrom(0) });
  const reader = new PageReader(pager);
  try {
    while (!reader.hasEnded) {
      const page = await reader.next();
      if (page) yield page;
      throwIfAborted(pager.signal);
    }
  } finally {
    reader.cancel();
  }
}
