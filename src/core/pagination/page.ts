/** A page of a list. `Extra` is what else the response contains. */
export type Page<T, Extra = unknown> = Extra & {
  /** The entries that no earlier page of this iteration contained. */
  readonly items: T[];
  readonly offset: number;
  readonly limit: number;
  /** How many entries there are according to the service; `undefined` where it does not state it. */
  readonly total: number | undefined;
};

/** One page as it came: its entries, and what the response states about its place. */
export interface RawPage<T, Extra = unknown> {
  readonly items: readonly T[] | null | undefined;
  readonly total?: number | null | undefined;
  readonly limit?: number | null | undefined;
  readonly extra: Extra;
}

/** Where a page is requested, and how many entries at most; a `limit` of `undefined` leaves the size to the service. */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number | undefined;
}

/** What ends the request of a page early. */
export interface PageLimits {
  /** Aborts when a prefetched page is no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** What is left of the deadline of the iteration. */
  readonly deadlineMs?: number | undefined;
}

/** How an iteration gets its pages. */
export interface Pager<T, Extra> {
  /** Where the iteration begins. Entries that move before this offset while it runs are not searched for. */
  readonly offset: number;
  /** How many entries to request at once; `undefined` leaves it to the service. */
  readonly limit: number | undefined;
  /** How many pages may be requested before they are read. */
  readonly prefetch: number;
  /** The time that all requests may take together, in milliseconds; `undefined` for no limit. */
  readonly deadlineMs?: number | undefined;
  /** Requests a page. */
  readonly fetch: (page: PageRequest, limits: PageLimits) => Promise<RawPage<T, Extra>>;
  /** What identifies an entry. */
  readonly key: (item: T) => unknown;
}
