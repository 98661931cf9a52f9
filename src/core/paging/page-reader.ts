import { RequestAbortedError } from '../errors/errors.js';
import { ApiError } from '../errors/response-errors.js';
import type { ResponseInfo } from '../operation/api-promise.js';
import { Deadline } from '../scope/cancel-scope.js';

/** A page of a list. `Extra` are the other fields of the response. */
export type Page<T, Extra = unknown> = Extra & {
  /** The entries that no earlier page of this iteration contained. */
  readonly items: T[];
  readonly offset: number;
  readonly limit: number;
  /** The total number of entries, as the service states it; `undefined` if it does not. */
  readonly total: number | undefined;
  /**
   * The response that the page was in, as `withResponse()` has it for a call: status, headers, request id, attempts. Not
   * enumerable, so that logs and copies of a page do not have it.
   */
  readonly response: ResponseInfo;
  /**
   * Present on the last page of a list that ended before the total that the service stated: it hides entries, or its
   * count is wrong.
   */
  readonly endedEarly?: true | undefined;
};

/** An end of a list before the total that the service stated. */
export interface EarlyEnd {
  /** The number of entries that were returned. */
  readonly delivered: number;
  readonly total: number;
}

/** A received page: its entries, and the total and the limit that the service stated. */
export interface RawPage<T, Extra = unknown> {
  readonly items: readonly T[] | null | undefined;
  readonly total?: number | null | undefined;
  readonly limit?: number | null | undefined;
  /** How many entries were left out of `items` because they could not be read. */
  readonly leftOut?: number | undefined;
  readonly response?: ResponseInfo | undefined;
  readonly extra: Extra;
}

/** The offset of a requested page and its maximum length. If `limit` is `undefined`, the service decides the length. */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number | undefined;
}

/** The limits of a request of a page. */
interface PageLimits {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** The time until the deadline of the iteration, in milliseconds. */
  readonly deadlineMs?: number | undefined;
}

/** How an iteration requests its pages. */
export interface Pager<T, Extra> {
  /**
   * The offset at which the iteration begins. Entries that move before this offset during the iteration are not
   * returned.
   */
  readonly offset: number;
  /** The maximum length of a page. If it is `undefined`, the service decides. */
  readonly limit: number | undefined;
  /** The caller's signal. It also ends the iteration between two entries. */
  readonly signal?: AbortSignal | undefined;
  /** The time limit of all requests together, in milliseconds; `undefined` for no limit. */
  readonly deadlineMs?: number | undefined;
  /** Requests a page. */
  readonly fetch: (page: PageRequest, limits: PageLimits) => Promise<RawPage<T, Extra>>;
  /** Returns what identifies an entry; `undefined` or `null` if it has no id. */
  readonly key: (item: T) => unknown;
  /** Called if the list ends before its total. It does not throw. */
  readonly onEarlyEnd?: (end: EarlyEnd) => void;
}

/**
 * Iterates over a list by offset while it changes: every entry that stays in the list is returned exactly once.
 *
 * Each page after the first overlaps the page before by one entry, which shows whether entries have moved.
 * `OffsetTracker` decides which page to request. The limit of a page is never larger than the caller's or the
 * service's.
 *
 * The deadline limits the time of the requests, not of the loop body.
 *
 * @throws {RequestAbortedError} when the signal is aborted, also between two pages.
 * @throws {ApiError} when the service rejects an offset. All entries before it were returned.
 */
export async function* paginate<T, Extra>(pager: Pager<T, Extra>): AsyncGenerator<Page<T, Extra>, void, undefined> {
  const reader = new PageReader(pager);
  while (!reader.hasEnded) {
    const page = await reader.next();
    if (page) yield page;
    throwIfAborted(pager.signal);
  }
}

/** Requests the pages of an iteration one after the other, and removes the entries that an earlier page had. */
class PageReader<T, Extra> {
  readonly #pager: Pager<T, Extra>;
  readonly #tracker: OffsetTracker;
  readonly #deadline: Deadline;
  readonly #seen = new Set<unknown>();
  #limit: number | undefined;
  /** The total of the first page, as the service stated it. */
  #statedTotal: number | undefined;
  #step: PageStep | 'begin' = 'begin';

  constructor(pager: Pager<T, Extra>) {
    this.#pager = pager;
    this.#tracker = new OffsetTracker(pager.offset);
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
    const request: PageRequest = { offset: this.#tracker.offset, limit: this.#limit };
    const raw = withNumbers(await this.#request(request));
    const isFirst = this.#step === 'begin';
    if (isFirst) this.#statedTotal = raw.total;
    const entries = raw.items ?? [];
    const length = lengthOf(raw);
    const keys = entries.map((entry) => keyOf(entry, this.#pager.key));
    const known = keys.map((key) => this.#seen.has(key));
    this.#limit = smallerLimit(this.#limit, raw.limit);
    this.#step = this.#tracker.observe(request, { keys, known, length, total: raw.total, limit: raw.limit });
    const items = this.#step === 'search' ? [] : entries.filter((_, index) => this.#isNew(keys[index]));
    const endedEarly = this.hasEnded && endsEarly(this.#tracker, this.#statedTotal, raw.total);
    if (endedEarly) this.#pager.onEarlyEnd?.({ delivered: this.#seen.size, total: this.#statedTotal ?? 0 });
    if (items.length === 0 && !isFirst && !endedEarly) return undefined;
    const offset = request.offset + Math.max(0, known.indexOf(false));
    return pageOf(items, offset, this.#limit ?? raw.limit ?? length, raw, endedEarly);
  }

  /** Requests a page. The error of a rejected offset says how to go on. */
  async #request(request: PageRequest): Promise<RawPage<T, Extra>> {
    const { signal, fetch } = this.#pager;
    const limits: PageLimits = { signal };
    try {
      return await this.#deadline.within(limits, (within) => fetch(request, within));
    } catch (error) {
      if (this.#seen.size > 0 && error instanceof ApiError && rejections.includes(error.status))
        error.message +=
          `. The service rejects the offset ${request.offset}; ${this.#seen.size} entries were delivered before it. ` +
          'Split the search into narrower ones, for example one for each status or item, or read its end in the other order';
      throw error;
    }
  }

  /** Returns whether an entry is new, and records it. */
  #isNew(key: unknown): boolean {
    const { size } = this.#seen;
    return this.#seen.add(key).size > size;
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

/**
 * What identifies an entry. If responses are not validated, it may have no id, or one that is an object: then its content
 * does, and if that is nested too deeply, its fields that are no objects.
 */
function keyOf<T>(entry: T | null | undefined, key: (entry: T) => unknown): unknown {
  const id = (entry === null || entry === undefined ? undefined : key(entry)) ?? entry;
  if (typeof id !== 'object') return id;
  try {
    return JSON.stringify(id);
  } catch {
    return JSON.stringify(Object.entries(entry ?? {}).filter(([, value]) => typeof value !== 'object'));
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

function pageOf<T, Extra>(
  items: T[],
  offset: number,
  size: number,
  raw: RawPage<T, Extra>,
  endedEarly: boolean,
): Page<T, Extra> {
  const limit = Math.max(1, Math.min(size, raw.limit ?? size));
  const page = { ...raw.extra, items, offset, limit, total: raw.total ?? undefined, ...(endedEarly && { endedEarly }) };
  return Object.defineProperty(page, 'response', { value: raw.response, enumerable: false }) as Page<T, Extra>;
}

/** A received page: the keys of its entries in order, whether each was returned before, and what the service stated. */
export interface ObservedPage {
  readonly keys: readonly unknown[];
  readonly known: readonly boolean[];
  /** The number of entries in the page, including entries that could not be read. */
  readonly length: number;
  readonly total: number | undefined;
  readonly limit: number | undefined;
}

/**
 * The result of a page. `advance`: it has new entries. `search`: its entries cannot be returned, it only helps to find
 * the right offset. `end`: it is the last page.
 */
export type PageStep = 'advance' | 'search' | 'end';

/** After this many equal pages in a row, although the offset increased, the service counts as ignoring the offset. */
const maxRepeatedPages = 4;
/** After this many pages in a row without new entries, the iteration ends. A search needs only a few. */
const maxSearchPages = 64;

/**
 * Tracks the offset at which the returned entries end, while the list changes.
 *
 * The rule: a page counts only if it is anchored, that is, if its first entry was returned before. Then no entry that
 * stayed in the list is skipped between the returned entries and the page, whatever was inserted or removed meanwhile.
 * Everything else here finds an anchored page with new entries in few requests:
 *
 * - the next page is requested at the offset of the last returned entry, minus the number of entries that are expected
 *   to be removed before the request;
 * - if a page is not anchored, its offset is too large: step back, twice as far each time;
 * - if an anchored page has no new entries, its offset is too small: step forward, twice as far each time;
 * - if both bounds are known, request the middle.
 *
 * Entries before the start are not returned, so a page at the start needs no anchor.
 *
 * The anchor takes the place of one entry, because no page is requested with a larger limit than the caller's. A page
 * of one entry has no room for an anchor: it counts if it directly follows the returned entries, as far as the total
 * shows.
 */
export class OffsetTracker {
  readonly #start: number;
  /** The last page with new entries: the offset of its last entry, the number of new entries, and the stated total. */
  #lastOffset = 0;
  #newCount = 0;
  #total: number | undefined;
  /** The share of a page's new entries that were removed before the next page was requested, last measured. */
  #shrinkRate = 0;
  /** The length of the longest page so far. A shorter page is the end of the list. */
  #longest = 0;
  /** The current search: an offset whose entry was returned, an offset that is too large, and the next steps. */
  #delivered = -1;
  #tooFar = Infinity;
  #forwardStep = 0;
  #backStep = 0;
  /** The offset directly after a page with only known entries. No entry can be skipped, so no anchor is needed. */
  #adjacent = -1;
  /** The offset after the last anchored page. */
  end: number;
  /** The keys of the last anchored page. The same page at another offset is no progress. */
  #lastKeys: readonly unknown[] = [];
  /** Whether an anchored page was not at the expected offset: entries were inserted or removed before the returned ones. */
  hasMoved = false;
  #searchPages = 0;
  /** How often the same page was received, and the lowest offset at which it counts as another repeat. */
  #repeatedPages = 0;
  #repeatsFrom = 0;
  #keys: readonly unknown[] = [];
  /** The offset of the next request. */
  offset: number;

  constructor(start: number) {
    this.#start = start;
    this.end = start;
    this.offset = start;
  }

  /** Evaluates the page of a request, and sets `offset` to the next request. */
  observe(request: PageRequest, page: ObservedPage): PageStep {
    const { known } = page;
    const { offset } = request;
    const needsNoAnchor = offset === this.#start || offset === this.#adjacent - this.#shrunkBy(page.total);
    this.#longest = Math.max(this.#longest, page.length);
    this.#adjacent = -1;
    if (page.length === 0) return needsNoAnchor ? 'end' : this.#stepBack(offset, page.total);
    if (!needsNoAnchor && known[0] === false) return this.#stepBack(offset, page.total);
    if (known.length === 0 || !hasSameKeys(page.keys, this.#lastKeys)) this.end = offset + page.length;
    this.#lastKeys = page.keys;
    const firstNew = known.indexOf(false);
    return firstNew < 0 ? this.#stepForward(request, page) : this.#advance(request, page, offset + firstNew);
  }

  #advance(request: PageRequest, page: ObservedPage, first: number): PageStep {
    const leftOut = leftOutOf(page);
    // Entries that were left out may stand before it.
    const firstNew = Math.max(first, Math.min(this.#lastOffset + 1, first + leftOut));
    const lost = this.#lastOffset + 1 - firstNew;
    this.#shrinkRate = this.#newCount === 0 ? 0 : Math.min(1, Math.max(0, lost / this.#newCount));
    this.hasMoved ||= page.known[0] === true && lost !== 0;
    this.#lastOffset = request.offset + page.length - 1;
    this.#newCount = this.#lastOffset + 1 - firstNew;
    this.#total = page.total;
    this.#resetSearch();
    this.#searchPages = 0;
    this.#repeatedPages = 0;
    this.#keys = [];
    // A page of one entry cannot have both an anchor and a new entry.
    const isAlone = request.limit === 1 && page.length === 1;
    if (isAlone) this.#adjacent = this.#lastOffset + 1;
    // The last entries may be those that were left out, which are no anchor.
    this.#moveTo(this.#lastOffset + Number(isAlone) - leftOut - this.#expectedLoss());
    return isLastPage(request, page) ? 'end' : 'advance';
  }

  /**
   * How many entries are expected to be removed before the next request. An offset that is too large costs a request,
   * one that is too small only costs some repeated entries, so the estimate is high.
   */
  #expectedLoss(): number {
    const expected = this.#shrinkRate * this.#newCount;
    const spread = Math.sqrt(expected * (1 - this.#shrinkRate));
    return Math.ceil(expected + spread);
  }

  #stepBack(offset: number, total: ObservedPage['total']): PageStep {
    if (this.#delivered >= offset) this.#resetSearch();
    // The list has shrunk by this much if the service's total is right. If it is wrong, the search continues from
    // there.
    const shrunkBy = this.#shrunkBy(total);
    const likely = this.#backStep === 0 && shrunkBy > 0 ? this.#lastOffset - shrunkBy : offset;
    this.#tooFar = offset;
    this.#backStep = likely < offset ? offset - likely : Math.max(this.#newCount - 1, this.#backStep * 2, 1);
    this.#moveTo(Math.max(offset - this.#backStep, this.#middle()));
    return this.#search();
  }

  #stepForward(request: PageRequest, page: ObservedPage): PageStep {
    const { keys, total, length } = page;
    const after = request.offset + length;
    if (!isFullPage(request, page, this.#longest)) {
      // The list ends with this page, unless the service states a larger total: then request the next offset.
      if (total === undefined || total <= after) return 'end';
      return this.#lookBehind(after, total);
    }
    this.#countRepeats(request.offset, keys);
    if (this.#repeatedPages >= maxRepeatedPages) return 'end';
    const last = after - 1 - leftOutOf(page);
    // A page of one entry cannot overlap.
    if (last <= request.offset) return this.#lookBehind(after, total);
    if (last >= this.#tooFar) this.#resetSearch();
    this.#delivered = last;
    const further = this.#delivered + this.#forwardStep;
    this.#forwardStep = Math.max(length, this.#forwardStep * 2);
    this.#moveTo(further < this.#tooFar ? further : this.#middle());
    return this.#search();
  }

  /** Counts only pages that do not overlap. Overlapping pages can be equal although the service respects the offset. */
  #countRepeats(offset: number, keys: readonly unknown[]): void {
    const isRepeat = hasSameKeys(keys, this.#keys);
    if (isRepeat && offset < this.#repeatsFrom) return;
    this.#repeatedPages = isRepeat ? this.#repeatedPages + 1 : 1;
    this.#keys = keys;
    this.#repeatsFrom = offset + keys.length;
  }

  #lookBehind(after: number, total: ObservedPage['total']): PageStep {
    this.#adjacent = after;
    this.#total = total ?? this.#total;
    this.#moveTo(after);
    return this.#search();
  }

  /** How much shorter the list is since the last page, if the service's total is right. */
  #shrunkBy(total: ObservedPage['total']): number {
    return Math.max(0, (this.#total ?? 0) - (total ?? Infinity));
  }

  /** The middle between the two bounds of the search. If a bound is unknown, the lower bound, which may be -1. */
  #middle(): number {
    if (this.#delivered < 0 || this.#tooFar === Infinity) return this.#delivered;
    return Math.floor((this.#delivered + this.#tooFar) / 2);
  }

  #moveTo(offset: number): void {
    this.offset = Math.max(this.#start, offset);
  }

  /** Resets the bounds of the search, because the list has changed since they were found. */
  #resetSearch(): void {
    this.#delivered = -1;
    this.#tooFar = Infinity;
    this.#forwardStep = 0;
    this.#backStep = 0;
  }

  #search(): PageStep {
    this.#searchPages += 1;
    return this.#searchPages < maxSearchPages ? 'search' : 'end';
  }
}

/** How many entries of a page could not be read. */
function leftOutOf({ length, keys }: ObservedPage): number {
  return length - keys.length;
}

/** Whether a page is as long as requested, or as long as the longest page of this service. */
function isFullPage(request: PageRequest, { length, limit }: ObservedPage, longest: number): boolean {
  if (length >= Math.min(request.limit ?? Infinity, limit ?? Infinity)) return true;
  return length > 1 && length === longest;
}

/**
 * `total` alone does not end the iteration, because it may be wrong. A page shorter than its stated `limit` must agree.
 */
function isLastPage(request: PageRequest, { length, total, limit }: ObservedPage): boolean {
  if (limit === undefined || length >= Math.min(limit, request.limit ?? Infinity)) return false;
  return total === request.offset + length;
}

function hasSameKeys(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
