import { InvalidInputError } from '../errors/errors.js';
import { rejected } from './query.js';

/**
 * Serializes the body of a request.
 *
 * @throws {InvalidInputError} when JSON cannot contain a value, or would silently contain another one.
 */
export function jsonBody(body: unknown): string | undefined {
  try {
    return JSON.stringify(body, checked);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const message = 'the input contains itself, is nested too deeply, or cannot be read';
    throw new InvalidInputError([{ path: [], message }]);
  }
}

const unsendable = new Set(['bigint', 'function', 'symbol']);

function checked(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const isInvalidDate = value === null && this[name] instanceof Date;
  const isNoNumber = typeof value === 'number' && !Number.isFinite(value);
  const isCollection = value instanceof Set || value instanceof Map;
  if (isInvalidDate || isCollection || unsendable.has(typeof value) || isNoNumber)
    throw rejected([name], 'has a value that JSON cannot contain');
  return value;
}
