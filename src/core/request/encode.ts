import { hasBody } from '../operation/endpoint.js';
import type { Endpoint } from '../operation/endpoint.js';
import { factsOf, inspect, shapeOf } from '../schema/describe.js';
import type { Shape, StandardSchema } from '../schema/schema.js';
import { jsonBody } from './json-body.js';
import { fieldsOf, fillPath } from './path-template.js';
import { appendToQuery, textOf } from './query.js';

/** The parts of a request, without its base URL and token. */
export interface RequestParts {
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The value of the body; `undefined` if there is no body. */
  readonly body: unknown;
  /** The body as JSON; `undefined` if there is no body or it is multipart. */
  readonly json: string | undefined;
}

type InputValues = Readonly<Record<string, unknown>>;
type Write = (value: unknown) => unknown;

/** How inputs of an endpoint are sent. */
interface Encoding {
  readonly inPath: readonly string[];
  readonly shape: Shape;
  /** Whether a field that is named nowhere is sent in the body, and not in the query. */
  readonly hasBody: boolean;
  /** Writes a checked input as it is sent: a `Date` as ISO 8601 text, the number of an item as text, ... */
  readonly write: Write | undefined;
  /** Whether the schema has rejected everything that JSON cannot contain. */
  readonly isClosed: boolean;
}

/** Found on the first call of an endpoint. */
const encodings = new WeakMap<Endpoint, Encoding>();

function findEncoding(endpoint: Endpoint): Encoding {
  const { path, method, input } = endpoint;
  const encoding: Encoding = {
    inPath: fieldsOf(path),
    shape: shapeOf(input),
    hasBody: hasBody(method),
    write: writeOf(input),
    isClosed: isClosed(input),
  };
  encodings.set(endpoint, encoding);
  return encoding;
}

/**
 * Distributes the fields of a checked input to path, query, headers and body.
 *
 * @throws {InvalidInputError} when a value cannot be part of the path, the query, a header or JSON.
 */
export function encode(endpoint: Endpoint, checked: InputValues): RequestParts {
  const {
    inPath,
    shape,
    hasBody: takesBody,
    write,
    isClosed: isPlain,
  } = encodings.get(endpoint) ?? findEncoding(endpoint);
  const input = (write ? write(checked) : checked) as InputValues;
  const path = inPath.length === 0 ? endpoint.path : fillPath(endpoint.path, (name) => textOrEmpty(input[name], name));
  const headers: Record<string, string> = {};
  const fields: Record<string, unknown> = {};
  const query = new URLSearchParams(endpoint.query);
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || inPath.includes(name)) continue;
    const header = endpoint.inHeader?.[name];
    if (header !== undefined) headers[header] = textOrEmpty(value, name);
    else if (takesBody && !endpoint.inQuery?.includes(name)) fields[name] = value;
    else appendToQuery(query, name, value, shape);
  }
  const body = Object.keys(fields).length > 0 ? fields : undefined;
  const hasJson = body !== undefined && endpoint.requestBody !== 'multipart';
  // Without `rawJSON`, `JSON.stringify` cannot write an id beyond 2^53 as an integer.
  const json = isPlain && 'rawJSON' in JSON ? JSON.stringify : jsonBody;
  return {
    target: query.size > 0 ? `${path}?${query.toString()}` : path,
    headers,
    body,
    json: hasJson ? json(body) : undefined,
  };
}

/** How a checked value is written; `undefined` if it is sent as it is. */
function writeOf(schema: StandardSchema): Write | undefined {
  const inside = writeInside(schema);
  const { write } = factsOf(schema) as { write?: Write };
  return write && inside ? (value) => write(inside(value)) : (write ?? inside);
}

function writeInside(schema: StandardSchema): Write | undefined {
  const found = inspect(schema);
  if (found.kind === 'object') return writeFields(found.shape);
  if (found.kind !== 'optional' && found.kind !== 'nullable' && found.kind !== 'array') return undefined;
  const write = writeOf(found.of);
  if (!write || found.kind === 'optional') return write;
  if (found.kind === 'array') return (list) => Array.from(list as Iterable<unknown>, write);
  return (value) => (value === null ? null : write(value));
}

function writeFields(shape: Shape): Write | undefined {
  const all = Object.entries(shape).map(([name, field]) => [name, writeOf(field)] as const);
  const writes = all.filter((each): each is readonly [string, Write] => each[1] !== undefined);
  if (writes.length === 0) return undefined;
  return (value) => {
    const written = { ...(value as Record<string, unknown>) };
    for (const [name, write] of writes) if (written[name] !== undefined) written[name] = write(written[name]);
    return written;
  };
}

/** Whether every value that a schema accepts can be written into JSON, and is the same there. */
function isClosed(schema: StandardSchema): boolean {
  const found = inspect(schema);
  if (found.kind === 'object') return found.unknownKeys !== 'keep' && Object.values(found.shape).every(isClosed);
  if ('of' in found) return found.kind !== 'preprocess' && [found.of].flat().every(isClosed);
  return ['string', 'integer', 'int64', 'boolean', 'enum'].includes(found.kind);
}

/** The text of a value; none becomes an empty text, which a path rejects. */
function textOrEmpty(value: unknown, name: string): string {
  return value === undefined || value === null ? '' : textOf(value, [name]);
}
