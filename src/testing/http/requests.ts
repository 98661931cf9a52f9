import type { Call, Interceptor } from './call.js';
import { RecentEntries } from './recent-entries.js';
import { assertFilter, filteredOf, matchesFilter } from './request-filter.js';
import type { RequestFilter } from './request-filter.js';
import { JsonResponse } from './respond.js';
import type { Routes } from './routes.js';

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

/**
 * The newest 1,000 requests that the marketplace received, the oldest first; fewer if their bodies have over 32 MB.
 *
 * @example
 * await seller.questions.get({ question_id });
 * console.log(marketplace.requests.all.length, marketplace.requests.last?.path);
 * marketplace.requests.clear();
 */
export class Requests implements Iterable<ReceivedRequest> {
  readonly #recent = new RecentEntries<ReceivedRequest>(1000);
  readonly #routes: Routes;
  #next = 1;

  /** @internal */
  constructor(routes: Routes) {
    this.#routes = routes;
  }

  /** All recorded requests. */
  get all(): readonly ReceivedRequest[] {
    return this.#recent.all;
  }

  /** The newest request. */
  get last(): ReceivedRequest | undefined {
    return this.#recent.all.at(-1);
  }

  /**
   * Returns the requests that match a filter.
   *
   * @throws {FakeMarketplaceError} when the filter has an unknown field or endpoint
   * @example
   * marketplace.requests.filter({ endpoint: 'questions.answer', body: { text: 'Yes.' } });
   */
  filter(filter: RequestFilter): ReceivedRequest[] {
    assertFilter(filter, this.#routes);
    return this.all.filter((request) => matchesFilter(request, filter));
  }

  /** Removes all recorded requests. */
  clear(): void {
    this.#recent.clear();
  }

  [Symbol.iterator](): Iterator<ReceivedRequest> {
    return this.all[Symbol.iterator]();
  }

  /** @internal */
  readonly interceptor: Interceptor = async (call, next) => {
    const id = this.#next++;
    const received = toReceived(call);
    this.#recent.save(id, received, call.copied.size);
    const response = await next();
    const { value: body, content = '' }: Partial<JsonResponse> = response instanceof JsonResponse ? response : {};
    const sent = { status: response.status, headers: Object.fromEntries(response.headers), body };
    if (this.#recent.has(id)) this.#recent.save(id, { ...received, response: sent }, call.copied.size + content.length);
    return response;
  };
}

function toReceived(call: Call): ReceivedRequest {
  const [query, headers] = [Object.fromEntries(call.query), Object.fromEntries(call.request.headers)];
  return { ...filteredOf(call), query, headers, response: null };
}
