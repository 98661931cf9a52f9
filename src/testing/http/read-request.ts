import { isObject } from '../../core/json/json.js';
import { isIso, isZoned, millisecondsOf } from '../../core/schema/define.js';
import { packIdOf, type PackId } from '../state/entity-store.js';
import { badRequest, errorResponse, readUpTo, type Call, type ErrorResponse } from './handler.js';

/** A JSON object of a request body. */
export type JsonObject = Readonly<Record<string, unknown>>;

const maxJsonLength = 1024 * 1024;

/** Reads a JSON body of at most 1 MB. @throws {ErrorResponse} `invalid` when it is missing or not JSON */
export async function readJson({ request }: Pick<Call, 'request'>, invalid: ErrorResponse): Promise<unknown> {
  if (Number(request.headers.get('content-length') ?? 0) > maxJsonLength) throw bodyTooLarge;
  const bytes = await readUpTo(request, maxJsonLength);
  if (!bytes) throw bodyTooLarge;
  try {
    return JSON.parse(new TextDecoder().decode(bytes), exactInteger) as unknown;
  } catch {
    throw invalid;
  }
}

/** Reads an integer beyond 2^53 as a `bigint`, so that it is not the same as its digits in quotes. */
function exactInteger(_name: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return isLong ? BigInt(source) : value;
}

const bodyTooLarge = errorResponse({ status: 413, message: 'the body is larger than 1 MB' });

/** Reads a JSON object. @throws {ErrorResponse} `invalid` when the body is not a JSON object */
export async function readJsonObject(
  call: Pick<Call, 'request'>,
  invalid: ErrorResponse = badRequest('invalid JSON body'),
): Promise<JsonObject> {
  const value = await readJson(call, invalid);
  if (!isObject(value)) throw invalid;
  return value;
}

/** Whether a JSON value is an integer. A string of digits is not. */
export function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Whether a JSON value is an id: an integer, also beyond 2^53, where no id is known. */
export function isId(value: unknown): value is number | bigint {
  return isInteger(value) || typeof value === 'bigint';
}

/** Parses an id or a count from a path or a query; `undefined` when it is not a whole number of 0 or more. */
export function parseInteger(text: string | null | undefined): number | undefined {
  const value = /^\d{1,16}$/.test(text ?? '') ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Reads an id from the path: digits only, no sign, point or exponent. @throws {ErrorResponse} by default, 400 that names it */
export function pathId(
  { params }: Call,
  name: string,
  invalid: ErrorResponse = badRequest(`${name} must be an integer`),
): number {
  const value = parseInteger(params[name]);
  if (value === undefined) throw invalid;
  return value;
}

/** Reads the id of a pack from the path, which may be beyond 2^53. @throws {ErrorResponse} 400 that names it */
export function pathPackId(call: Call): PackId {
  return packIdOf(call.params.pack_id) ?? pathId(call, 'pack_id');
}

/** Reads a text from the path. */
export function pathText({ params }: Call, name: string): string {
  return params[name] ?? '';
}

/** Reads an id from the query; `undefined` without one. @throws {ErrorResponse} 400 that names it */
export function queryId({ query }: Call, name: string): number | undefined {
  const text = query.get(name);
  const value = parseInteger(text);
  if (text !== null && value === undefined) throw badRequest(`${name} must be an integer`);
  return value;
}

/** Reads an integer from the query; `undefined` without one. @throws {ErrorResponse} 400 that names it */
export function queryInteger({ query }: Pick<Call, 'query'>, name: string, min = 0): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = parseInteger(text);
  if (value === undefined || value < min) throw badRequest(`${name} must be an integer of at least ${min}`);
  return value;
}

/** Reads `limit` and `offset`, or the position of a scan. @throws {ErrorResponse} 400 when one is invalid */
export function queryPage(call: Pick<Call, 'query'>, defaultLimit: number, maxLimit: number): PageParams {
  const limit = queryInteger(call, 'limit', 1) ?? defaultLimit;
  const offset = queryInteger(call, isScan(call) ? 'scroll_id' : 'offset') ?? 0;
  return { limit: Math.min(limit, maxLimit), offset };
}

/** What a page of `search_type=scan` has besides: the position of the next one. A page after the last one is empty. */
export function scrollOf(call: Pick<Call, 'query'>, { limit, offset }: PageParams): { readonly scroll_id?: string } {
  return isScan(call) ? { scroll_id: String(offset + limit) } : {};
}

function isScan({ query }: Pick<Call, 'query'>): boolean {
  return query.get('search_type') === 'scan';
}

/** Reads a comma-separated list from the query; empty without one. */
export function queryList({ query }: Pick<Call, 'query'>, name: string): string[] {
  return (query.get(name) ?? '').split(',').filter((entry) => entry !== '');
}

/** A date of a query. */
export interface QueryDate {
  /** The text as it was sent. */
  readonly text: string;
  /** In milliseconds since 1970; a time without an offset is in UTC. */
  readonly ms: number;
  /** The end: of the day for a date without a time. */
  readonly endMs: number;
  readonly hasOffset: boolean;
}

/** Reads a date from the query; `undefined` without one. @throws {ErrorResponse} 400 that names it */
export function queryDate({ query }: Pick<Call, 'query'>, name: string): QueryDate | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  // In a query that does not encode it, the `+` of an offset becomes a space.
  const date = text.replace(/^([^T]*T.*) (\d{2}:?\d{2})$/, '$1+$2');
  const ms = millisecondsOf(date);
  if (Number.isNaN(ms) || !isIso(date.slice(0, 10))) throw badRequest(`${name} must be an ISO 8601 date`);
  return { text, ms, endMs: date.length === 10 ? ms + 86_400_000 - 1 : ms, hasOffset: isZoned(date) };
}

/** Reads a parameter that has one of the given values. @throws {ErrorResponse} 400 that names the values */
export function queryOneOf<T extends string>({ query }: Call, name: string, values: readonly T[], fallback?: T): T {
  const text = query.get(name) ?? fallback;
  const found = values.find((value) => value === text);
  if (found === undefined) throw badRequest(`${name} must be ${values.join(' or ')}`);
  return found;
}

/** Keeps the named fields of an object, or of each entry of a bare list. Spec: Common conventions 3. */
export function pickAttributes(body: unknown, attributes: string | null): unknown {
  if (attributes === null || attributes === '') return body;
  const names = new Set(attributes.split(','));
  // The newer multi-get has attributes of its own: paths such as `body.status`.
  if (/(?:^|,)body\./.test(attributes)) return body;
  const pick = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if ('status_code' in value) return value;
    // A multi-get entry keeps its code; only the body of a found entry is reduced.
    if ('code' in value && 'body' in value) return value.code === 200 ? { ...value, body: pick(value.body) } : value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
  };
  return Array.isArray(body) ? body.map(pick) : pick(body);
}

/** The position of a page in its list. */
export interface PageParams {
  readonly limit: number;
  readonly offset: number;
}

/** A page of a list, with its paging object. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly paging: PageParams & { readonly total: number };
}

/** Cuts a page out of a list. Spec: Common conventions 4. */
export function pageOf<T>(all: readonly T[], { limit, offset }: PageParams): PageOf<T> {
  return { items: all.slice(offset, offset + limit), paging: { total: all.length, offset, limit } };
}
