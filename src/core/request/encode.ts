import { InvalidInputError } from '../errors/errors.js';
import { isPlainObject, isRounded, LongInteger, rounded } from '../json/json.js';
import { fieldsOf, fillPath, hasBody, type Endpoint } from '../operation/endpoint.js';
import { callRules } from '../options/client-options.js';
import { reservedQuery } from '../options/rules.js';
import { factsOf, inspect, shapeOf, type Shape, type StandardSchema } from '../schema/schema.js';

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
  /** Whether the input takes any field, and not only those of `shape`. */
  readonly isOpen: boolean;
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
    isOpen: (inspect(input) as { unknownKeys?: string }).unknownKeys === 'keep',
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
    isOpen,
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
    if (isOpen && !Object.hasOwn(shape, name)) assertField(name, value, takesBody);
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

/** @throws {InvalidInputError} when an open input has what is no field of it: an option of the call, or a whole body. */
function assertField(name: string, value: unknown, takesBody: boolean): void {
  if (isOption(name, value, takesBody))
    throw rejected([name], 'is an option: give it in the second argument, beside the input');
  if (name === 'body' && takesBody && isPlainObject(value))
    throw rejected([name], 'is no field: give its fields beside those of the path');
}

/** Whether a field of an open input is an option of the call. Some names of options may be fields of a service. */
function isOption(name: string, value: unknown, takesBody: boolean): boolean {
  if (name === 'query') return takesBody && isPlainObject(value);
  if (name === 'output') return typeof value === 'object' && value !== null && '~standard' in value;
  if (name === 'headers' || name === 'signal') return typeof value === 'object';
  return name !== 'attributes' && Object.hasOwn(callRules, name);
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

/** Where a value is in an input. */
export type FieldPath = readonly (string | number)[];

/**
 * Adds a field of an input to the query. The entries of an object become parameters of their own, except those that the
 * input, whose fields are `shape`, has a field for.
 *
 * @throws {InvalidInputError} when a value cannot be part of the query.
 */
function appendToQuery(query: URLSearchParams, name: string, value: unknown, shape: Shape): void {
  if (query.has(name)) throw rejected([name], 'is also in another field');
  if (Array.isArray(value)) {
    if (value.length === 0) throw rejected([name], isEmpty);
    const texts = value.map((each) => queryText(each, [name]));
    const comma = texts.findIndex((text) => text.includes(','));
    if (comma >= 0) throw rejected([name, comma], 'contains a comma, which separates entries');
    query.set(name, texts.join(','));
  } else if (isPlainObject(value)) {
    for (const [key, inner] of Object.entries(value)) appendRecord(query, [name, key], inner, shape);
  } else {
    query.set(name, value === null ? '' : queryText(value, [name]));
  }
}

const isEmpty = 'is an empty list or has an empty entry, which finds nothing; leave it out';

function appendRecord(
  query: URLSearchParams,
  path: readonly [name: string, key: string],
  value: unknown,
  shape: Shape,
): void {
  const key = path[1];
  if (Object.hasOwn(reservedQuery, key)) throw rejected(path, `${reservedQuery[key]}`);
  if (Object.hasOwn(shape, key) || query.has(key)) throw rejected(path, `is a separate field: pass it as \`${key}\``);
  if (value === undefined || value === null) return;
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (Array.isArray(value) && (values.length === 0 || values.includes(''))) throw rejected(path, isEmpty);
  query.set(key, values.map((each) => queryText(each, path)).join(','));
}

function queryText(value: unknown, path: FieldPath): string {
  return textOf(value, path, 'takes text, a number, a boolean, a valid Date, or a list of these');
}

/**
 * Returns the text of a value, as a path, a query or a header contains it.
 *
 * @throws {InvalidInputError} when the text would be empty or another value: `what` says what the field takes.
 */
function textOf(value: unknown, path: FieldPath, what = 'takes text, a number or a boolean'): string {
  if (isRounded(value)) throw rejected(path, rounded);
  if (value instanceof LongInteger) return value.digits;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (['string', 'boolean'].includes(typeof value) || Number.isFinite(value)) return String(value);
  throw rejected(path, what);
}

/** The error of a field that cannot be sent. */
function rejected(path: FieldPath, why: string): InvalidInputError {
  return new InvalidInputError([{ path: [...path], message: `\`${path.join('.')}\` ${why}` }]);
}

/** Returns the text to send in place of a text; `name` is the field that contains the text or its list. */
type ChangeText = (text: string, name: string) => string;

type Key = string | number;

/**
 * Serializes the body of a request that may contain anything.
 *
 * @throws {InvalidInputError} when JSON cannot contain a value, or would silently contain another one, e.g. a rounded id.
 */
export function jsonBody(body: unknown, changeText: ChangeText = (text) => text): string {
  try {
    return textAt([], body, changeText);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const message = 'the input contains itself, is nested too deeply, or cannot be read';
    throw new InvalidInputError([{ path: [], message }]);
  }
}

/** `path` is where the value is in the body. */
function textAt(path: Key[], given: unknown, changeText: ChangeText): string {
  if (given instanceof LongInteger) return given.digits;
  const value = jsonValueOf(given, path);
  if (typeof value === 'string') return JSON.stringify(changeText(value, nameAt(path)));
  const inside = (key: Key, field: unknown): string => {
    path.push(key);
    const text = textAt(path, field, changeText);
    path.pop();
    return text;
  };
  if (Array.isArray(value)) return `[${Array.from(value, (entry, index) => inside(index, entry)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${inside(key, field)}`).join(',')}}`;
  }
  if (value === null || typeof value === 'boolean' || (Number.isFinite(value) && !isRounded(value)))
    return JSON.stringify(value);
  throw rejected(path, isRounded(value) ? rounded : 'has a value that JSON cannot contain');
}

/** What JSON contains in place of an object; `undefined` if it would lose the value, as `{}` loses a Map or bytes. */
function jsonValueOf(value: unknown, path: readonly Key[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (ArrayBuffer.isView(value) || (value instanceof Date && Number.isNaN(value.getTime()))) return undefined;
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return toJSON.call(value, String(path.at(-1) ?? ''));
  return Object.prototype.toString.call(value) === '[object Object]' ? value : undefined;
}

/** The innermost field around a value. */
function nameAt(path: readonly Key[]): string {
  return path.findLast((key) => typeof key === 'string') ?? '';
}
