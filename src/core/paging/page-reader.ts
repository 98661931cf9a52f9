import { ApiError } from '../errors/response-errors.js';
import { RequestAbortedError } from '../errors/errors.js';
import { Deadline } from '../scope/deadline.js';
import { OffsetTracker } from './offset-tracker.js';
import type { PageStep } from './offset-tracker.js';
import type { Page, PageLimits, Pager, PageRequest, RawPage } from './page.js';

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
