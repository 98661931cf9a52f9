import type { Endpoint } from '../operation/endpoint.js';
import { factsOf, inspect, shapeOf, unwrapped } from '../schema/describe.js';
import { exact } from '../json/long-integer.js';
import type { Shape } from '../schema/schema.js';
import { fieldsOf, fillPath, matchPath } from './path-template.js';
import { appendToQuery, textOf } from './query.js';
import type { StandardSchema } from '../schema/schema.js';

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
 * @throws {InvalidInputError} when a value cannot be part of the path, the query or a header.
 */
export function encode(endpoint: Endpoint, checked: InputValues): RequestParts {
  const input = written(endpoint.input, checked) as InputValues;
  const path = fillPath(endpoint.path, (name) => textOrEmpty(input[name], name));
  const inPath = fieldsOf(endpoint.path);
  const hasBody = !bodyless(endpoint);
  const headers: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  const query = new URLSearchParams(endpoint.query);
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || inPath.includes(name)) continue;
    const header = endpoint.inHeader?.[name];
    if (header !== undefined) headers[header] = textOrEmpty(value, name);
    else if (hasBody && !endpoint.inQuery?.includes(name)) body[name] = value;
    else appendToQuery(query, name, value, endpoint);
  }
  return {
    target: query.size > 0 ? `${path}?${query.toString()}` : path,
    headers,
    body: Object.keys(body).length > 0 ? body : undefined,
  };
}

/** Writes a checked input as it is sent: a `Date` as ISO 8601 text, the number of an item as text, ... */
function written(schema: StandardSchema, value: unknown): unknown {
  const inside = writtenInside(schema, value);
  const write = factsOf(schema).write as ((value: unknown) => unknown) | undefined;
  return write ? write(inside) : inside;
}

function writtenInside(schema: StandardSchema, value: unknown): unknown {
  const found = inspect(schema);
  if (value === undefined || value === null) return value;
  if (found.kind === 'optional' || found.kind === 'nullable') return written(found.of, value);
  if (found.kind === 'array') return Array.from(value as Iterable<unknown>, (entry) => written(found.of, entry));
  if (found.kind !== 'object') return value;
  const fields = Object.entries(value).map(([name, each]) => {
    const field = Object.hasOwn(found.shape, name) ? found.shape[name] : undefined;
    return [name, field ? written(field, each) : each] as const;
  });
  return Object.fromEntries(fields);
}

/**
 * The reverse of `encode`: reads the input from a request, for the fake service. The input schema must then check it.
 */
export function decode(
  endpoint: Endpoint,
  sent: { path: string; query: URLSearchParams; headers: Headers; body?: unknown },
): InputValues {
  const shape = shapeOf(endpoint.input);
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(matchPath(endpoint.path, sent.path) ?? {}))
    input[name] = endpoint.path.includes(`{${name}*}`)
      ? `/${value}`
      : shape[name]
        ? fromText(shape[name], value)
        : value;
  for (const [name, header] of Object.entries(endpoint.inHeader ?? {})) {
    const value = sent.headers.get(header);
    if (value !== null) input[name] = shape[name] ? fromText(shape[name], value) : value;
  }
  const spread = openFieldOf(shape);
  for (const [name, value] of sent.query) {
    if (endpoint.query?.[name] !== undefined) continue;
    const field = shape[name];
    if (field && (bodyless(endpoint) || endpoint.inQuery?.includes(name))) input[name] = fromText(field, value);
    else if (spread && bodyless(endpoint)) input[spread] = { ...(input[spread] as object | undefined), [name]: value };
  }
  return typeof sent.body === 'object' && sent.body !== null ? { ...sent.body, ...input } : input;
}

/** The text of a value; none becomes an empty text, which a path rejects. */
function textOrEmpty(value: unknown, name: string): string {
  return value === undefined || value === null ? '' : textOf(value, [name]);
}

function bodyless(endpoint: Endpoint): boolean {
  return endpoint.method !== 'POST' && endpoint.method !== 'PUT';
}

/** The name of the field whose entries become query parameters, for example `filters`. */
export function openFieldOf(shape: Shape): string | undefined {
  return Object.keys(shape).find((name) => unwrapped(shape[name]).kind === 'record');
}

function fromText(field: StandardSchema, value: string): unknown {
  switch (unwrapped(field).kind) {
    case 'array':
      return value === '' ? [] : value.split(',');
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'integer':
    case 'int64':
      return exact(value);
    default:
      return value;
  }
}
