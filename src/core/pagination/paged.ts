import type { CallOptions } from '../options/client-options.js';
import { paginate } from './paginate.js';

/** A page of a list. `Extra` is what else the answer holds. */
export type Page<T, Extra = unknown> = Extra & {
  /** The entries that no earlier page of this walk held. */
  readonly items: T[];
  readonly offset: number;
  readonly limit: number;
  /** How many entries the service says there are; `undefined` where it does not say. */
  readonly total: number | undefined;
};

/** One page as it came: its entries, and what the answer says of its place. */
export interface RawPage<T, Extra = unknown> {
  readonly items: readonly T[] | null | undefined;
  readonly total?: number | null | undefined;
  readonly limit?: number | null | undefined;
  readonly extra: Extra;
}

/** How a walk gets its pages. */
export interface Pager<T, Extra> {
  /** Where the walk begins. Entries that move before this place while it runs are not looked for. */
  readonly offset: number;
  /** How many entries to ask for at once; `undefined` leaves it to the service. */
  readonly limit: number | undefined;
  /** How many pages may be asked for ahead of their use. */
  readonly prefetch: number;
  /** Asks for a page; `signal` is given for a page asked for ahead, and ends it when the walk ends before it is read. */
  readonly fetch: (
    place: { offset: number; limit: number | undefined },
    signal?: AbortSignal,
  ) => Promise<RawPage<T, Extra>>;
  /** What tells one entry from another. */
  readonly key: (item: T) => unknown;
}

/** Call options of a walk. */
export interface PaginationOptions extends CallOptions {
  /** How many pages to ask for ahead of their use. Default 0: nothing is asked for before it is read. */
  readonly prefetch?: number | undefined;
}

/**
 * A list of the service, walked page by page. Nothing is asked for before it is read.
 *
 * The list may change during the walk, also by the loop body: every entry that stays in it is delivered exactly once.
 */
export class Paged<T, Extra = unknown> implements AsyncIterable<T> {
  readonly #pager: Pager<T, Extra>;

  constructor(pager: Pager<T, Extra>) {
    this.#pager = pager;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** The pages, each without the entries that an earlier one held. The first is delivered even if it is empty. */
  pages(): AsyncGenerator<Page<T, Extra>, void, undefined> {
    return paginate(this.#pager);
  }

  /** The first entry; `undefined` where the list is empty. One page is asked for. */
  async first(): Promise<T | undefined> {
    for await (const page of this.pages()) return page.items[0];
    return undefined;
  }

  /** The entries as an array, at most `max` of them. */
  async toArray({ max = Infinity }: { readonly max?: number } = {}): Promise<T[]> {
    const items: T[] = [];
    if (max <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= max) break;
    }
    return items;
  }
}

/** The input of one page; a `limit` of `undefined` leaves the size to the service. */
export function withPage<In extends object>(
  input: In,
  { offset, limit }: { offset: number; limit: number | undefined },
): In {
  return { ...input, offset: offset === 0 ? undefined : offset, limit };
}

/** The caller's options, also ended by the signal of a page asked for ahead. */
export function withSignal(options: CallOptions, signal: AbortSignal | undefined): CallOptions {
  if (!signal) return options;
  return { ...options, signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal };
}
