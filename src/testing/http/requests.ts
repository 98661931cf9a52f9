import type { Endpoint } from '../../core/operation/endpoint.js';
import type { EndpointName } from '../../endpoints.js';
import { assertFields } from '../errors.js';
import { JsonResponse, type Call, type Interceptor } from './handler.js';
import { endpointName, type Routes } from './routes.js';

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

/** Selects requests. All given fields must match. */
export type RequestFilter = Readonly<{
  /** The endpoint or its name, e.g. `questions.answer`. */
  endpoint?: Endpoint | EndpointName | (string & {}) | undefined;
  /** The HTTP method, e.g. `POST`. */
  method?: string | undefined;
  /** The path without its query: exact, with `*` for any text, or a pattern. */
  path?: string | RegExp | undefined;
  /** A text that the body contains, a pattern, or an object whose fields the JSON body has. */
  body?: string | RegExp | object | undefined;
  /** The user of the access token. */
  user_id?: number | undefined;
}>;

/** The parts of a request that a filter checks. */
interface FilteredRequest {
  readonly method: string;
  readonly path: string;
  readonly endpoint: string | null;
  readonly user_id: number | null;
  readonly body: unknown;
}

/** Returns what a filter checks of a call. */
export function filteredOf({ request: { method }, path, endpoint, bearer, copied }: Call): FilteredRequest {
  return { method, path, endpoint: endpoint?.name ?? null, user_id: bearer?.user_id ?? null, body: copied.value };
}

/** @throws {FakeMarketplaceError} when a filter has an unknown field or endpoint */
export function assertFilter(filter: RequestFilter, routes: Routes): void {
  assertFields('a request filter', filter, ['endpoint', 'method', 'path', 'body', 'user_id']);
  if (filter.endpoint !== undefined) routes.assertName(filter.endpoint);
}

/** Whether a request matches a filter. */
export function matchesFilter(request: FilteredRequest, filter: RequestFilter): boolean {
  const { endpoint, method, path, body, user_id } = filter;
  return (
    (endpoint === undefined || request.endpoint === endpointName(endpoint)) &&
    (method === undefined || request.method === method.toUpperCase()) &&
    (path === undefined || matchesPath(request.path, path)) &&
    (user_id === undefined || request.user_id === user_id) &&
    (body === undefined || matchesBody(request.body, body))
  );
}

function matchesPath(given: string, path: string | RegExp): boolean {
  return path instanceof RegExp ? isFoundIn(given, path) : fits(given, path.split('*'));
}

/** Whether a text consists of these parts, with any text between them. Unlike a pattern, it never backtracks. */
function fits(text: string, [first = '', ...parts]: readonly string[]): boolean {
  const last = parts.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Unlike `test`, `search` ignores the `lastIndex` of a global pattern. */
function isFoundIn(text: string, pattern: RegExp): boolean {
  return text.search(pattern) >= 0;
}

function matchesBody(given: unknown, body: string | RegExp | object): boolean {
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? null);
  if (typeof body === 'string') return text.includes(body);
  return body instanceof RegExp ? isFoundIn(text, body) : isSubset(body, given);
}

/** Whether all fields of one JSON value are in another. */
function isSubset(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null) return false;
  if (Array.isArray(part) && (!Array.isArray(whole) || part.length !== whole.length)) return false;
  return Object.entries(part).every(([name, value]) => isSubset(value, (whole as Record<string, unknown>)[name]));
}

/** The maximum size of all bodies, in characters. */
const maxTotalSize = 32 * 1024 * 1024;

/** The newest entries, the oldest first; fewer if their bodies have over 32 MB. */
export class RecentEntries<T> {
  readonly #maxEntries: number;
  readonly #entries = new Map<number, { readonly entry: T; readonly size: number }>();
  #totalSize = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get all(): T[] {
    return Array.from(this.#entries.values(), ({ entry }) => entry);
  }

  has(id: number): boolean {
    return this.#entries.has(id);
  }

  /** Adds or replaces an entry. `size` is that of its bodies. */
  save(id: number, entry: T, size: number): void {
    this.#totalSize += size - (this.#entries.get(id)?.size ?? 0);
    this.#entries.set(id, { entry, size });
    for (const [oldest, { size: freed }] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && (this.#totalSize <= maxTotalSize || this.#entries.size === 1))
        break;
      this.#entries.delete(oldest);
      this.#totalSize -= freed;
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#totalSize = 0;
  }
}
