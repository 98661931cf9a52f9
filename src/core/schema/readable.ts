import { InvalidInputError } from '../errors/errors.js';
import { SellerError } from '../errors/seller-error.js';
import type { Path } from '../errors/issue.js';

/**
 * Runs a function that reads a value of the user.
 *
 * @throws {InvalidInputError} with the path of what cannot be read. Errors of this library pass.
 */
export function reading<T>(value: unknown, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw whileReading(value, error);
  }
}

/**
 * Returns the error of reading an input: a proxy or a getter of the user may throw at any place. Errors of this library
 * are returned unchanged.
 */
export function whileReading(value: unknown, error: unknown): SellerError {
  if (error instanceof SellerError) return error;
  const path = unreadableIn(value, new Set()) ?? [];
  const name = path.length === 0 ? 'the input' : `\`${path.map(String).join('.')}\``;
  return new InvalidInputError([{ path, message: `${name} cannot be read` }]);
}

/** The path of the first field that throws; `undefined` if there is none. */
function unreadableIn(value: unknown, seen: Set<unknown>): Path | undefined {
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined;
  seen.add(value);
  for (const key of keysOf(value) ?? [undefined]) {
    if (key === undefined) return [];
    const field = fieldOf(value, key);
    const inside = field === unreadable ? [] : unreadableIn(field, seen);
    if (inside) return [key, ...inside];
  }
  return undefined;
}

/**
 * Copies the fields of an input or of options. A field that cannot be read becomes a symbol, which no rule accepts, so
 * that it is named where the fields are checked.
 */
export function copyOf<T>(given: T): T {
  try {
    return { ...given };
  } catch {
    const keys = keysOf(given as object) ?? ['(a proxy that cannot be read)'];
    return Object.fromEntries(keys.map((key) => [key, fieldOf(given as object, key)])) as T;
  }
}

const unreadable = Symbol('unreadable');

function fieldOf(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return unreadable;
  }
}

function keysOf(value: object): string[] | undefined {
  try {
    return Object.keys(value);
  } catch {
    return undefined;
  }
}
