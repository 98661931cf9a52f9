import type { Endpoint, Requester } from '../endpoint.js';
import type { CallOptions } from '../options/call-options.js';
import { checkOptions } from '../options/resolve-options.js';
import { integerFrom } from '../options/rules.js';
import type { Page, PageLimits, Pager, PageRequest, RawPage } from './page.js';
import { throwIfAborted } from './page-reader.js';
import { paginate } from './paginate.js';

/** Call options of an iteration over pages. `deadlineMs` limits the time of all its requests together. */
export interface PaginationOptions extends CallOptions {
  /**
   * How many pages are requested before they are read.
   *
   * @default 0
   */
  readonly prefetch?: number | undefined;
}

/**
 * A list of the service, requested page by page. The first request is sent when you begin to read.
 *
 * The list may change during the iteration, for example because your loop changes it: every entry that stays in the
 * list is returned exactly once.
 *
 * @example
 * const search = seller.questions.search({ seller_id: 7 });
 * for await (const question of search) console.log(question.text);
 * for await (const page of search.pages()) console.log(page.items.length, page.total);
 * const newest = await search.first();
 * const some = await search.toArray({ max: 200 });
 */
export class Paged<T, Extra = unknown> implements AsyncIterable<T> {
  readonly #pager: Pager<T, Extra>;

  constructor(pager: Pager<T, Extra>) {
    this.#pager = pager;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) {
      for (const item of page.items) {
        throwIfAborted(this.#pager.signal);
        yield item;
      }
    }
  }

  /**
   * Iterates over the pages. A page has no entries of earlier pages. The first page is returned even if it is empty.
   */
  pages(): AsyncGenerator<Page<T, Extra>, void, undefined> {
    return paginate(this.#pager);
  }

  /** Returns the first entry; `undefined` if the list is empty. It requests one page. */
  async first(): Promise<T | undefined> {
    for await (const page of this.pages()) return page.items[0];
    return undefined;
  }

  /**
   * Returns the entries as an array, at most `max` of them.
   *
   * @throws {InvalidInputError} when `max` is neither an integer of at least 0 nor `Infinity`.
   */
  async toArray(options: { readonly max?: number | undefined } = {}): Promise<T[]> {
    checkOptions(options, { max: (max) => (max === Infinity ? undefined : integerFrom(0)(max)) });
    const { max = Infinity } = options;
    const items: T[] = [];
    if (max === 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= max) break;
    }
    return items;
  }
}

/** The fields of an input that select a page. */
interface PagedInput {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** What a response of an endpoint holds of a list. */
interface PageContent<Out, T, Extra> {
  /** Returns what identifies an entry. */
  readonly key: (item: T) => unknown;
  readonly read: (response: Out) => RawPage<T, Extra>;
}

/** Creates a list whose pages an endpoint returns. */
export function pagedCalls<In extends PagedInput, Out, T, Extra>(
  requester: Requester,
  endpoint: Endpoint<In, Out>,
  input: In,
  options: PaginationOptions | undefined,
  { key, read }: PageContent<Out, T, Extra>,
): Paged<T, Extra> {
  // Programs without types may omit both, or pass no object: the first call then says what is wrong.
  const given = ['object', 'undefined'].includes(typeof input) ? { ...input } : input;
  const { prefetch = 0, ...callOptions } = { ...options };
  return new Paged<T, Extra>({
    offset: given.offset ?? 0,
    limit: given.limit,
    prefetch,
    signal: callOptions.signal,
    deadlineMs: callOptions.deadlineMs ?? requester.deadlineMs,
    key,
    fetch: async (page, limits) => {
      const call = requester.call(endpoint, withPage(given, page), withLimits(callOptions, limits));
      const { data, response } = await call.withResponse();
      return { ...read(data), leftOut: response.leftOut };
    },
  });
}

/** Returns the input of the request of a page. What is no object stays as it is, to be rejected. */
export function withPage<In extends object>(input: In, { offset, limit }: PageRequest): In {
  if (typeof input !== 'object') return input;
  return { ...input, offset: offset === 0 ? undefined : offset, limit };
}

/** Returns the caller's options with the limits of a page. */
export function withLimits(options: CallOptions, { signal, deadlineMs }: PageLimits): CallOptions {
  const limited = deadlineMs === undefined ? options : { ...options, deadlineMs };
  if (!signal) return limited;
  return { ...limited, signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal };
}
