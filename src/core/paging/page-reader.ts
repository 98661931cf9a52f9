import { ApiError } from '../errors/response-errors.js';
import { RequestAbortedError } from '../errors/errors.js';
import { checkOptions } from '../options/resolve-options.js';
import { integerFrom } from '../options/rules.js';
import { Deadline } from '../scope/deadline.js';
import { OffsetCeiling } from './offset-ceiling.js';
import { OffsetTracker } from './offset-tracker.js';
import type { PageStep } from './offset-tracker.js';
import type { Page, Pager, PageRequest, RawPage } from './page.js';
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

/** Requests the pages of an iteration one after the other, and removes the entries that an earlier page had. */
class PageReader<T, Extra> {
  readonly #pager: Pager<T, Extra>;
  readonly #tracker: OffsetTracker;
  readonly #prefetcher: Prefetcher<T, Extra>;
  readonly #deadline: Deadline;
  readonly #seen = new Set<unknown>();
  #limit: number | undefined;
  readonly #ceiling = new OffsetCeiling();
  /** The length of the longest page so far. */
  #pageLength = 1;
  /** The total of the first page, as the service stated it. */
  #statedTotal: number | undefined;
  #step: PageStep | 'begin' = 'begin';

  constructor(pager: Pager<T, Extra>) {
    this.#pager = pager;
    this.#tracker = new OffsetTracker(pager.offset);
    this.#prefetcher = new Prefetcher(pager);
    this.#deadline = new Deadline('The iteration', pager.deadlineMs);
    this.#limit = pager.limit;
  }

  get hasEnded(): boolean {
    return this.#step === 'end';
  }

  /**
   * Requests a page; `undefined` if it has no new entries. The first one is returned even if it is empty, and so is the
   * last one of a list that ended early.
   */
  async next(): Promise<Page<T, Extra> | undefined> {
    const { request, page } = await this.#request({ offset: this.#tracker.offset, limit: this.#limit });
    const raw = withNumbers(page);
    // A prefetched page may have arrived before the abort.
    throwIfAborted(this.#pager.signal);
    const isFirst = this.#step === 'begin';
    if (isFirst) this.#statedTotal = raw.total;
    const entries = raw.items ?? [];
    const length = lengthOf(raw);
    this.#pageLength = Math.max(this.#pageLength, length);
    const keys = entries.map((entry) => keyOf(entry, this.#pager.key));
    const known = keys.map((key) => this.#seen.has(key));
    this.#limit = smallerLimit(this.#limit, raw.limit);
    this.#step = this.#tracker.observe(request, { keys, known, length, total: raw.total, limit: raw.limit });
    // The page is short because larger ones are rejected, so its length does not tell that it is the last one.
    if (this.#ceiling.isKnown && this.#tracker.end === raw.total) this.#step = 'end';
    const items = this.#step === 'search' ? [] : entries.filter((_, index) => this.#isNew(keys[index]));
    if (this.#step === 'advance' && this.#tracker.isSteady && !this.#ceiling.isKnown)
      this.#prefetch(this.#limit ?? length, raw.total ?? 0);
    const endedEarly = this.hasEnded && endsEarly(this.#tracker, this.#statedTotal, raw.total);
    if (endedEarly) this.#pager.onEarlyEnd?.({ delivered: this.#seen.size, total: this.#statedTotal ?? 0 });
    if (items.length === 0 && !isFirst && !endedEarly) return undefined;
    const offset = request.offset + Math.max(0, known.indexOf(false));
    return { ...pageOf(items, offset, this.#limit ?? raw.limit ?? length, raw), ...(endedEarly && { endedEarly }) };
  }

  /** Requests a page. Where the service rejects its offset, a page that ends before it. */
  async #request(planned: PageRequest): Promise<{ request: PageRequest; page: RawPage<T, Extra> }> {
    for (;;) {
      const request = this.#ceiling.within(planned, this.#pageLength);
      if (request instanceof ApiError) {
        request.message += `. The service rejects this offset; ${this.#seen.size} entries were delivered before it`;
        throw request;
      }
      try {
        const page = await this.#deadline.within({}, (limits) => this.#prefetcher.take(request, limits));
        this.#ceiling.accept(request, lengthOf(page));
        return { request, page };
      } catch (error) {
        if (this.#seen.size === 0 || !(error instanceof ApiError) || !rejections.includes(error.status)) throw error;
        this.#ceiling.reject({ ...request, limit: request.limit ?? this.#pageLength }, error);
      }
    }
  }

  /** Aborts the prefetched pages. */
  cancel(): void {
    this.#prefetcher.cancel();
  }

  /** Returns whether an entry is new, and records it. */
  #isNew(key: unknown): boolean {
    const { size } = this.#seen;
    return this.#seen.add(key).size > size;
  }

  #prefetch(pageLength: number, total: number): void {
    const next: PageRequest = { offset: this.#tracker.offset, limit: this.#limit };
    this.#prefetcher.schedule(next, Math.max(1, pageLength - 1), total, this.#deadline.leftMs);
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
  const own = entry === null || entry === undefined ? undefined : key(entry);
  try {
    return own ?? JSON.stringify(entry);
  } catch {
    // It is nested too deeply.
    return entry;
  }
}

/** Ignores a `total` or `limit` that is not a number. */
function withNumbers<T, Extra>(raw: RawPage<T, Extra>): RawPage<T, Extra> & { total?: number; limit?: number } {
  const { total, limit, ...rest } = raw;
  return { ...rest, ...(typeof total === 'number' && { total }), ...(typeof limit === 'number' && { limit }) };
}

/** Whether entries are missing at the end although the list has not changed. */
function endsEarly(tracker: OffsetTracker, first: number | undefined, last: number | undefined): boolean {
  if (first === undefined || tracker.hasMoved) return false;
  return tracker.end < first && (last === undefined || last >= first);
}

function lengthOf({ items, leftOut = 0 }: Pick<RawPage<unknown>, 'items' | 'leftOut'>): number {
  return (items?.length ?? 0) + leftOut;
}

/** The statuses with which services reject an offset. */
const rejections = [400, 416, 422];

function pageOf<T, Extra>(items: T[], offset: number, size: number, raw: RawPage<T, Extra>): Page<T, Extra> {
  const limit = Math.max(1, Math.min(size, raw.limit ?? size));
  return { ...raw.extra, items, offset, limit, total: raw.total ?? undefined };
}
