import { RequestAbortedError } from '../errors/errors.js';
import { UnexpectedResponseError } from '../errors/response-errors.js';
import { Deadline } from '../scope/deadline.js';
import { OffsetTracker } from './offset-tracker.js';
import type { PageStep } from './offset-tracker.js';
import type { Page, Pager, PageRequest, RawPage } from './page.js';
import { Prefetcher } from './prefetcher.js';

/** Requests the pages of an iteration one after the other, and removes the entries that an earlier page had. */
export class PageReader<T, Extra> {
  readonly #pager: Pager<T, Extra>;
  readonly #tracker: OffsetTracker;
  readonly #prefetcher: Prefetcher<T, Extra>;
  readonly #deadline: Deadline;
  readonly #seen = new Set<unknown>();
  #limit: number | undefined;
  /** The total of the first page, as the service stated it. */
  #statedTotal: number | undefined;
  #step: PageStep | 'begin' = 'begin';
  #isShort = false;

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

  /** Requests a page; `undefined` if it has no new entries. The first one is returned even if it is empty. */
  async next(): Promise<Page<T, Extra> | undefined> {
    const request = { offset: this.#tracker.offset, limit: this.#limit };
    const raw = withNumbers(await this.#deadline.within({}, (limits) => this.#prefetcher.take(request, limits)));
    // A prefetched page may have arrived before the abort.
    throwIfAborted(this.#pager.signal);
    const isFirst = this.#step === 'begin';
    if (isFirst) this.#statedTotal = raw.total;
    const entries = raw.items ?? [];
    const length = entries.length + (raw.leftOut ?? 0);
    const keys = entries.map((entry) => keyOf(entry, this.#pager.key));
    const known = keys.map((key) => this.#seen.has(key));
    this.#limit = smallerLimit(this.#limit, raw.limit);
    this.#step = this.#tracker.observe(request, { keys, known, length, total: raw.total, limit: raw.limit });
    const items = this.#step === 'search' ? [] : entries.filter((_, index) => this.#isNew(keys[index]));
    if (this.#step === 'advance' && this.#tracker.isSteady) this.#prefetch(this.#limit ?? length, raw.total ?? 0);
    this.#isShort = this.hasEnded && endsShort(this.#tracker, this.#statedTotal, raw.total);
    if (items.length === 0 && (!isFirst || this.#isShort)) return undefined;
    return pageOf(items, request.offset + Math.max(0, known.indexOf(false)), this.#limit ?? raw.limit ?? length, raw);
  }

  /** @throws {UnexpectedResponseError} when the list ended before the total that the service stated. */
  throwIfShort(): void {
    if (this.#isShort) throw endedShort(this.#seen.size, this.#statedTotal ?? 0);
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
  return (entry === null || entry === undefined ? undefined : key(entry)) ?? JSON.stringify(entry);
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
