import { InvalidInputError } from '../errors/errors.js';
import { isRounded, rejected, rounded } from './query.js';
import type { FieldPath } from './query.js';

/**
 * Serializes the body of a request.
 *
 * @throws {InvalidInputError} when JSON cannot contain a value, or would silently contain another one, e.g. a rounded id.
 */
export function jsonBody(body: unknown): string | undefined {
  function checked(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
    if (isSendable(value, this, name)) return value;
    const path = [...pathTo(this, body), keyIn(this, name)];
    throw rejected(path, isRounded(value) ? rounded : 'has a value that JSON cannot contain');
  }
  try {
    return JSON.stringify(body, checked);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const message = 'the input contains itself, is nested too deeply, or cannot be read';
    throw new InvalidInputError([{ path: [], message }]);
  }
}

function isSendable(value: unknown, holder: Readonly<Record<string, unknown>>, name: string): boolean {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) && !isRounded(value);
    case 'object':
      if (value === null) return !(holder[name] instanceof Date);
      return !(value instanceof Set || value instanceof Map);
    case 'undefined':
      return !Array.isArray(holder);
    default:
      return typeof value === 'string' || typeof value === 'boolean';
  }
}

/** Returns the path of an object in a body; an empty path for one that its `toJSON` created. */
function pathTo(target: unknown, within: unknown): FieldPath {
  if (typeof within !== 'object' || within === null) return [];
  for (const [name, value] of Object.entries(within)) {
    const key = keyIn(within, name);
    if (value === target) return [key];
    const inner = pathTo(target, value);
    if (inner.length > 0) return [key, ...inner];
  }
  return [];
}

/** A step of a path: the index in a list, or the name of a field. */
function keyIn(holder: object, name: string): string | number {
  return Array.isArray(holder) ? Number(name) : name;
}
