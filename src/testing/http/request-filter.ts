import type { Endpoint } from '../../core/operation/endpoint.js';
import type { EndpointName } from '../../endpoints.js';
import { assertFields } from '../state/assert-fields.js';
import type { Call } from './call.js';
import { endpointName } from './routes.js';
import type { Routes } from './routes.js';

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
