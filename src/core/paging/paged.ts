import { InvalidInputError, TimeoutError } from '../errors/errors.js';
import { SellerError } from '../errors/seller-error.js';
import type { Requester } from '../operation/api-promise.js';
import type { Endpoint } from '../operation/endpoint.js';
import { checkOptions } from '../options/client-options.js';
import { integerFrom, ofType, withMethods, type Rule } from '../options/rules.js';
import type { CallOptions } from '../scope/call-options.js';
import { paginate, throwIfAborted, type Page, type Pager, type PageRequest, type RawPage } from './page-reader.js';

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
 * const { items, total } = await search.page();
 * const newest = await search.first();
 * const some = await search.toArray({ max: 200 });
 * console.log(search.toJSON()); // what a log shows of a list that was awaited by mistake
 * await search.forEach(async (question) => console.log(question.text), { concurrency: 5 });
 */
export class Paged<T, Extra = unknown> implements AsyncIterable<T> {
  readonly #pager: Pager<T, Extra>;

  /** @internal */
  constructor(pager: Pager<T, Extra>) {
    this.#pager = pager;
    Object.defineProperty(this, Symbol.for('nodejs.util.inspect.custom'), { value: () => notAPromise });
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

  /**
   * Returns the first page, even if it is empty. It sends one request.
   *
   * @example
   * const { items, total } = await seller.questions.search({ seller_id: 7, limit: 20 }).page();
   */
  async page(): Promise<Page<T, Extra>> {
    return firstPageOf(this.#pager);
  }

  /** Returns the first entry; `undefined` if the list is empty. It requests one page. */
  async first(): Promise<T | undefined> {
    return (await this.page()).items[0];
  }

  /**
   * Returns how many entries the list has, as the service states it; `undefined` if it does not. It requests one page of
   * one entry.
   *
   * @example
   * const unanswered = await seller.questions.search({ seller_id: 7, filters: { status: 'UNANSWERED' } }).total();
   */
  async total(): Promise<number | undefined> {
    return (await firstPageOf({ ...this.#pager, limit: 1 })).total;
  }

  /**
   * Returns the entries as an array, at most `max` of them.
   *
   * @throws {InvalidInputError} when `max` is neither an integer of at least 0 nor `Infinity`.
   * @throws the error of a page. Its `delivered` are the entries of the pages before it.
   */
  async toArray(options: { readonly max?: number | undefined } = {}): Promise<T[]> {
    const max: Rule = (given) => (given === Infinity ? undefined : integerFrom(0)(given));
    const { max: most = Infinity } = checkOptions(options, { max });
    const items: T[] = [];
    if (most === 0) return items;
    try {
      for await (const item of this) {
        items.push(item);
        if (items.length >= most) break;
      }
    } catch (error) {
      // Not enumerable: entries contain what people wrote, and errors are logged.
      if (error instanceof SellerError) Object.defineProperty(error, 'delivered', { value: items, configurable: true });
      throw error;
    }
    return items;
  }

  /** Returns a sentence for logs, which show a list where a program has awaited it instead of reading it. */
  toJSON(): string {
    return notAPromise;
  }

  /**
   * Calls a function for each entry and waits for it: in the order of the list, at most `concurrency` at the same time.
   * The function may remove entries from the list, e.g. by answering a question: none is skipped.
   *
   * It stops at the first error: it starts no further entry, waits for those that have begun, and rejects with that error.
   * The `done` of the error holds the entries that were worked through. With `onError` an error of one entry is passed to
   * that function, and the others are worked through.
   *
   * @returns the number of entries whose function had no error
   * @example
   * const list = seller.questions.search({ seller_id: 7 });
   * const read = ({ id }: { id: number }) => seller.questions.get({ question_id: id });
   * await list.forEach(read, { concurrency: 5, onError: (error, { id }) => console.error(id, error) });
   * @throws {InvalidInputError} when an option is unknown or wrong.
   * @throws {RequestAbortedError} when the signal aborts.
   */
  async forEach(
    work: (entry: T, context: { readonly signal: AbortSignal }) => unknown,
    options: {
      /**
       * How many entries are worked on at the same time.
       *
       * @default 1
       */
      readonly concurrency?: number | undefined;
      /**
       * Starts no further entry when it aborts. The signal that the function receives aborts then, too, and at the deadline of the
       * list.
       *
       * @default the signal of the list
       */
      readonly signal?: AbortSignal | undefined;
      /**
       * Called with the error of one entry, and the entry. If it returns, the others are worked through; if it throws, `forEach`
       * stops with that error. It is not called for an error of the list, nor after the signal has aborted.
       *
       * @default the first error stops `forEach`
       */
      readonly onError?: ((error: unknown, entry: T) => unknown) | undefined;
    } = {},
  ): Promise<number> {
    const { signal = this.#pager.signal, ...rest } = checkForEach(options);
    const list = options.signal ? endedBy(options.signal, this.#pager) : this;
    return forEachOf(list, work, { ...rest, signal });
  }
}

const notAPromise =
  'A `Paged` is not a promise: `await list` is the list itself, and it has no `items`. For the first page, call `list.page()`.';

/** The first page is always returned, even if it is empty. */
async function firstPageOf<T, Extra>(pager: Pager<T, Extra>): Promise<Page<T, Extra>> {
  const { value } = await paginate(pager).next();
  return value as Page<T, Extra>;
}

/** A list that a second signal ends, too. */
function endedBy<T, Extra>(signal: AbortSignal, pager: Pager<T, Extra>): Paged<T, Extra> {
  return new Paged<T, Extra>({ ...pager, signal: pager.signal ? AbortSignal.any([pager.signal, signal]) : signal });
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
  options: CallOptions | undefined,
  { key, read }: PageContent<Out, T, Extra>,
): Paged<T, Extra> {
  // Programs without types may omit both, or pass no object: the first call then says what is wrong.
  const given = ['object', 'undefined'].includes(typeof input) ? { ...input } : input;
  const callOptions: CallOptions = { ...options };
  return new Paged<T, Extra>({
    offset: given.offset ?? 0,
    limit: given.limit,
    signal: callOptions.signal,
    deadlineMs: callOptions.deadlineMs ?? requester.deadlineMs,
    key,
    onEarlyEnd: ({ delivered, total }) => {
      const expected = `\`total\` is ${total}, but the list ended after ${delivered} entries`;
      requester.onDrift?.({ endpoint, path: ['total'], expected, received: 'number' });
    },
    fetch: async (page, limits) => {
      rejectPageInQuery(callOptions);
      const call = requester.call(endpoint, withPage(given, page), { ...callOptions, ...limits });
      const { data, response } = await call.withResponse();
      return { ...read(data), leftOut: response.leftOut, response };
    },
  });
}

/** @throws {InvalidInputError} when the page is selected in the query: every page would be the same. */
function rejectPageInQuery({ query }: CallOptions): void {
  const names = ['offset', 'limit'].filter((name) => query?.[name] !== undefined);
  const message = (name: string): string => `\`query.${name}\` selects one page; give \`${name}\` in the input`;
  if (names.length > 0)
    throw new InvalidInputError(names.map((name) => ({ path: ['query', name], message: message(name) })));
}

/** Returns the input of the request of a page. What is no object stays as it is, to be rejected. */
export function withPage<In extends object>(input: In, { offset, limit }: PageRequest): In {
  if (typeof input !== 'object') return input;
  return { ...input, offset: offset === 0 ? undefined : offset, limit };
}

/** Options of `forEach` of a list. `T` is the type of an entry. */
type ForEachOptions<T = unknown> = NonNullable<Parameters<Paged<T>['forEach']>[1]>;

/** @throws {InvalidInputError} when an option is unknown or wrong. */
function checkForEach<T>(options: ForEachOptions<T>): ForEachOptions<T> {
  return checkOptions(options, {
    concurrency: integerFrom(1),
    signal: withMethods('addEventListener'),
    onError: ofType('function'),
  });
}

/**
 * Calls a function for each entry, in their order, at most `concurrency` at the same time.
 *
 * @returns the number of entries whose work had no error
 */
export async function forEachOf<T>(
  entries: AsyncIterable<T> | Iterable<T>,
  work: (entry: T, context: { readonly signal: AbortSignal }) => unknown,
  { concurrency = 1, signal: given, onError }: ForEachOptions<T>,
): Promise<number> {
  const started: { readonly entry: T; isDone: boolean }[] = [];
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const deadline = new AbortController();
  const signal = given ? AbortSignal.any([given, deadline.signal]) : deadline.signal;
  const onFailure = async (error: unknown, entry: T): Promise<void> => {
    if (!onError || signal.aborted) throw error;
    await onError(error, entry);
  };
  const start = (entry: T): void => {
    const state = { entry, isDone: false };
    started.push(state);
    const run = async (): Promise<void> => {
      await work(entry, { signal });
      state.isDone = true;
    };
    const own = run()
      .catch((error: unknown) => onFailure(error, entry))
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(own));
    running.add(own);
  };
  try {
    for await (const entry of entries) {
      // One may have failed while the next page was requested.
      if (failures.length === 0) start(entry);
      while (running.size >= concurrency && failures.length === 0) await Promise.race(running);
      if (failures.length > 0) break;
    }
  } catch (error) {
    failures.push(error);
    if (error instanceof TimeoutError) deadline.abort(error);
  }
  // What has begun may be a write: it is not abandoned, and counts as done if it succeeds.
  await Promise.all(running);
  const done = started.flatMap(({ entry, isDone }) => (isDone ? [entry] : []));
  if (failures.length === 0) return done.length;
  throw withDone(failures[0], done);
}

/** Adds what was done to an error of any origin. A value that cannot hold it is thrown as it is. */
function withDone(error: unknown, done: readonly unknown[]): unknown {
  if (typeof error === 'object' && error !== null)
    Reflect.defineProperty(error, 'done', { value: done, configurable: true });
  return error;
}
