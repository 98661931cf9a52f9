import { InvalidInputError } from '../errors/errors.js';
import { LongInteger, isRounded, rounded } from '../json/json.js';
import { rejected } from './query.js';

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
