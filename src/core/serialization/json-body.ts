import { InvalidInputError } from '../errors/errors.js';
import { rejectRounded, rejected } from './query.js';
import type { FieldPath } from './query.js';

/**
 * Serializes the body of a request.
 *
 * @throws {InvalidInputError} when JSON cannot contain a value, or would silently contain another one, e.g. a rounded id.
 */
export function jsonBody(body: unknown): string | undefined {
  const paths = new Map<unknown, FieldPath>();
  function checked(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
    const path: FieldPath = [...(paths.get(this) ?? []), ...(this[''] === body ? [] : [name])];
    if (typeof value === 'object') paths.set(value, path);
    const isInvalidDate = value === null && this[name] instanceof Date;
    if (isInvalidDate || !isSendable(value)) throw rejected(path, 'has a value that JSON cannot contain');
    rejectRounded(value, path);
    return value;
  }
  try {
    return JSON.stringify(body, checked);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const message = 'the input contains itself, is nested too deeply, or cannot be read';
    throw new InvalidInputError([{ path: [], message }]);
  }
}

const unsendable = new Set(['bigint', 'function', 'symbol']);

function isSendable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return !unsendable.has(typeof value) && !(value instanceof Set || value instanceof Map);
}
