import type { Call, Interceptor } from './call.js';
import { assertFilter, filteredOf, matchesFilter } from './request-filter.js';
import type { RequestFilter } from './request-filter.js';
import { JsonResponse } from './respond.js';

/** A request that the marketplace received. */
export interface ReceivedRequest {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON value of the body, or its text; `undefined` if there is no body or it is a file upload. */
  readonly body: unknown;
  /** The name of the endpoint, e.g. `questions.answer`; `null` if there is none. */
  readonly endpoint: string | null;
  /** The user of the access token; `null` without a valid one. */
  readonly user_id: number | null;
  /** The response; `null` while there is none, and when the connection broke. */
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The JSON value; `undefined` for any other body. */
    readonly body: unknown;
  } | null;
}

const maxRequests = 1000;
/** The maximum size of all recorded bodies, in characters. */
const maxTotalSize = 32 * 1024 * 1024;

/** A recorded request, and the size of its bodies. */
interface Recorded {
  request: ReceivedRequest;
  size: number;
}

/**
 * The newest 1,000 requests that the marketplace received, the oldest first; fewer if their bodies have over 32 MB.
 *
 * @example
 * await seller.questions.get({ question_id });
 * console.log(marketplace.requests.all.length, marketplace.requests.last?.path);
 * marketplace.requests.clear();
 */
export class Requests implements Iterable<ReceivedRequest> {
  #all: Recorded[] = [];
  #totalSize = 0;

  /** All recorded requests. */
  get all(): readonly ReceivedRequest[] {
    return this.#all.map(({ request }) => request);
  }

  /** The newest request. */
  get last(): ReceivedRequest | undefined {
    return this.#all.at(-1)?.request;
  }

  /**
   * Returns the requests that match a filter.
   *
   * @throws {FakeMarketplaceError} when the filter has an unknown field or endpoint
   * @example
   * marketplace.requests.filter({ endpoint: 'questions.answer', body: { text: 'Yes.' } });
   */
  filter(filter: RequestFilter): ReceivedRequest[] {
    assertFilter(filter);
    return this.all.filter((request) => matchesFilter(request, filter));
  }

  /** Removes all recorded requests. */
  clear(): void {
    this.#all = [];
    this.#totalSize = 0;
  }

  [Symbol.iterator](): Iterator<ReceivedRequest> {
    return this.all[Symbol.iterator]();
  }

  /** @internal */
  readonly interceptor: Interceptor = async (call, next) => {
    const entry: Recorded = { request: toReceived(call), size: 0 };
    this.#all.push(entry);
    this.#grow(entry, call.copied.size);
    const response = await next();
    const { status, headers } = response;
    const { value: body, size = 0 }: Partial<JsonResponse> = response instanceof JsonResponse ? response : {};
    entry.request = { ...entry.request, response: { status, headers: Object.fromEntries(headers), body } };
    if (this.#all.includes(entry)) this.#grow(entry, size);
    return response;
  };

  /** Counts the body of an entry, and removes the oldest entries when there are too many or their bodies too large. */
  #grow(entry: Recorded, size: number): void {
    entry.size += size;
    this.#totalSize += size;
    while (this.#all.length > maxRequests || (this.#totalSize > maxTotalSize && this.#all.length > 1))
      this.#totalSize -= this.#all.shift()?.size ?? 0;
  }
}

function toReceived(call: Call): ReceivedRequest {
  const [query, headers] = [Object.fromEntries(call.query), Object.fromEntries(call.request.headers)];
  return { ...filteredOf(call), query, headers, response: null };
}
