import type { Endpoint } from '../endpoint.js';
import { InvalidInputError } from '../errors/errors.js';
import { inspect, shapeOf } from '../schema/inspect.js';
import type { Inspected } from '../schema/inspect.js';
import { reservedQuery } from '../schema/reserved-query.js';
import type { Shape } from '../schema/schema.js';
import { fieldsOf, fillPath, matchPath } from './path-template.js';
import type { StandardSchema } from '../schema/standard-schema.js';

/** The parts of a request, without its base URL and token. */
export interface RequestParts {
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON value of the body; `undefined` if there is no body. */
  readonly body: unknown;
}

type InputValues = Readonly<Record<string, unknown>>;

/**
 * Distributes the fields of a checked input to path, query, headers and body.
 *
 * @throws {InvalidInputError} when a value cannot be part of the path or the query.
 */
export function encode(endpoint: Endpoint, input: InputValues): RequestParts {
  const path = fillPath(endpoint.path, (name) => stringify(input[name]));
  const inPath = fieldsOf(endpoint.path);
  const hasBody = !bodyless(endpoint);
  const headers: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  const query = new URLSearchParams(endpoint.query);
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || inPath.includes(name)) continue;
    const header = endpoint.inHeader?.[name];
    if (header !== undefined) headers[header] = stringify(value);
    else if (hasBody && !endpoint.inQuery?.includes(name)) body[name] = value;
    else appendToQuery(query, name, value, endpoint);
  }
  return {
    target: query.size > 0 ? `${path}?${query.toString()}` : path,
    headers,
    body: Object.keys(body).length > 0 ? body : undefined,
  };
}

/**
 * The reverse of `encode`: reads the input from a request, for the fake service. The input schema must then check it.
 */
export function decode(
  endpoint: Endpoint,
  sent: { path: string; query: URLSearchParams; headers: Headers; body?: unknown },
): InputValues {
  const shape = shapeOf(endpoint.input);
  const input: Record<string, unknown> = { ...matchPath(endpoint.path, sent.path) };
  for (const [name, header] of Object.entries(endpoint.inHeader ?? {})) {
    const value = sent.headers.get(header);
    if (value !== null) input[name] = value;
  }
  const spread = openFieldOf(shape);
  for (const [name, value] of sent.query) {
    if (endpoint.query?.[name] !== undefined) continue;
    const field = shape[name];
    if (field && (bodyless(endpoint) || endpoint.inQuery?.includes(name))) input[name] = fromQuery(field, value);
    else if (spread && bodyless(endpoint)) input[spread] = { ...(input[spread] as object | undefined), [name]: value };
  }
  return typeof sent.body === 'object' && sent.body !== null ? { ...sent.body, ...input } : input;
}

function bodyless(endpoint: Endpoint): boolean {
  return endpoint.method !== 'POST' && endpoint.method !== 'PUT';
}

function appendToQuery(query: URLSearchParams, name: string, value: unknown, endpoint: Endpoint): void {
  if (Array.isArray(value)) {
    if (value.length === 0) throw rejected([name], isEmpty);
    const comma = value.findIndex((each) => String(each).includes(','));
    if (comma >= 0) throw rejected([name, comma], 'contains a comma, which separates entries');
    query.set(name, value.join(','));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) appendRecord(query, [name, key], inner, endpoint);
  } else {
    query.set(name, stringify(value));
  }
}

const isEmpty = 'is an empty list or has an empty entry, which finds nothing; leave it out';

type FieldPath = readonly [name: string, ...inner: (string | number)[]];

function appendRecord(
  query: URLSearchParams,
  path: readonly [name: string, key: string],
  value: unknown,
  endpoint: Endpoint,
): void {
  const key = path[1];
  if (Object.hasOwn(reservedQuery, key)) throw rejected(path, `${reservedQuery[key]}`);
  if (Object.hasOwn(shapeOf(endpoint.input), key) || query.has(key))
    throw rejected(path, `is a separate field: pass it as \`${key}\``);
  if (value === undefined || value === null) return;
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (Array.isArray(value) && (values.length === 0 || values.includes(''))) throw rejected(path, isEmpty);
  query.set(key, values.map((each) => queryText(each, path)).join(','));
}

/** Serializes a value of a record for the query. Values that would become empty are rejected. */
function queryText(value: unknown, path: FieldPath): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return String(value);
  throw rejected(path, 'takes text, a number, a boolean, a valid Date, or a list of these');
}

function rejected(path: FieldPath, why: string): InvalidInputError {
  return new InvalidInputError([{ path, message: `\`${path.join('.')}\` ${why}` }]);
}

/** Serializes a value. Other types become an empty text, which a path rejects. */
function stringify(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** The name of the field whose entries become query parameters, for example `filters`. */
export function openFieldOf(shape: Shape): string | undefined {
  return Object.keys(shape).find((name) => kindOf(shape[name]) === 'record');
}

/** The kind of a field, also if it is optional. */
function kindOf(schema: StandardSchema | undefined): Inspected['kind'] {
  const found = inspect(schema);
  return found.kind === 'optional' ? kindOf(found.of) : found.kind;
}

function fromQuery(field: StandardSchema, value: string): unknown {
  switch (kindOf(field)) {
    case 'array':
      return value === '' ? [] : value.split(',');
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    default:
      return value;
  }
}
