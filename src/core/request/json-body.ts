import { InvalidInputError } from '../errors/errors.js';
import { LongInteger } from '../json/long-integer.js';
import { isRounded, rounded } from '../json/long-integer.js';
import { rejected } from './query.js';

/** Where a value is in a body. */
interface Position {
  readonly above: Position | undefined;
  readonly key: string | number;
}

/** Returns the text to send in place of a text; `name` is the field that contains the text or its list. */
type ChangeText = (text: string, name: string) => string;

/**
 * Serializes the body of a request. `JSON.stringify` could write an id beyond 2^53 only in quotes or rounded.
 *
 * @throws {InvalidInputError} when JSON cannot contain a value, or would silently contain another one, e.g. a rounded id.
 */
export function jsonBody(body: unknown, changeText: ChangeText = (text) => text): string | undefined {
  if (body === undefined) return undefined;
  try {
    return textOf(body, undefined, changeText);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const message = 'the input contains itself, is nested too deeply, or cannot be read';
    throw new InvalidInputError([{ path: [], message }]);
  }
}

function textOf(given: unknown, at: Position | undefined, changeText: ChangeText): string {
  const value = jsonValueOf(given, at);
  if (value instanceof LongInteger) return value.digits;
  if (typeof value === 'string') return JSON.stringify(changeText(value, nameOf(at)));
  if (Array.isArray(value)) {
    const entries = Array.from(value, (entry, key) => textOf(entry, { above: at, key }, changeText));
    return `[${entries.join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).flatMap(([key, field]) =>
      field === undefined ? [] : `${JSON.stringify(key)}:${textOf(field, { above: at, key }, changeText)}`,
    );
    return `{${fields.join(',')}}`;
  }
  if (isPrimitive(value)) return JSON.stringify(value);
  throw rejected(pathOf(at), isRounded(value) ? rounded : 'has a value that JSON cannot contain');
}

/** What JSON contains in place of an object; `undefined` if it would lose the value. */
function jsonValueOf(value: unknown, at: Position | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Set || value instanceof Map) return undefined;
  if (value instanceof Date && Number.isNaN(value.getTime())) return undefined;
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value, String(at?.key ?? '')) as unknown) : value;
}

function isPrimitive(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || (Number.isFinite(value) && !isRounded(value));
}

function pathOf(at: Position | undefined): (string | number)[] {
  return at ? [...pathOf(at.above), at.key] : [];
}

function nameOf(at: Position | undefined): string {
  return typeof at?.key === 'number' ? nameOf(at.above) : (at?.key ?? '');
}
