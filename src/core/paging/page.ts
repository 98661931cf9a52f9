import type { ResponseInfo } from '../operation/api-promise.js';

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
export interface PageLimits {
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
