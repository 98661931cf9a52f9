import { InvalidInputError } from '../errors/errors.js';
import { isPlainObject } from '../json/plain-object.js';
import type { Shape } from '../schema/schema.js';
import { reservedQuery } from '../options/rules.js';
import { isRounded, LongInteger, rounded } from '../json/json.js';

/** Where a value is in an input. */
export type FieldPath = readonly (string | number)[];

/**
 * Adds a field of an input to the query. The entries of an object become parameters of their own, except those that the
 * input, whose fields are `shape`, has a field for.
 *
 * @throws {InvalidInputError} when a value cannot be part of the query.
 */
export function appendToQuery(query: URLSearchParams, name: string, value: unknown, shape: Shape): void {
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
export function textOf(value: unknown, path: FieldPath, what = 'takes text, a number or a boolean'): string {
  if (isRounded(value)) throw rejected(path, rounded);
  if (value instanceof LongInteger) return value.digits;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (['string', 'boolean'].includes(typeof value) || Number.isFinite(value)) return String(value);
  throw rejected(path, what);
}

/** The error of a field that cannot be sent. */
export function rejected(path: FieldPath, why: string): InvalidInputError {
  return new InvalidInputError([{ path: [...path], message: `\`${path.join('.')}\` ${why}` }]);
}
