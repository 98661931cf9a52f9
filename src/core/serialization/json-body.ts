import { InvalidInputError } from '../errors/errors.js';

type BodyPath = readonly (string | number)[];

const deepest = 1000;

/**
 * Serializes the body of a request.
 *
 * @throws {InvalidInputError} when a value cannot be part of JSON, or JSON would silently contain another value.
 */
export function jsonBody(body: unknown): string | undefined {
  checkValue(body, []);
  return JSON.stringify(body);
}

function checkValue(value: unknown, path: BodyPath): void {
  if (path.length > deepest) throw rejected(path.slice(0, 1), 'is nested too deeply, or contains itself');
  const problem = problemOf(value);
  if (problem !== undefined) throw rejected(path, problem);
  if (typeof value !== 'object' || value === null || hasToJson(value)) return;
  if (Array.isArray(value)) for (const [index, each] of value.entries()) checkValue(each, [...path, index]);
  else for (const [name, each] of Object.entries(value)) checkValue(each, [...path, name]);
}

function problemOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'bigint':
      return hasToJson(value) ? undefined : 'is a bigint, which JSON cannot contain; pass a number or a string';
    case 'number':
      return Number.isFinite(value) ? undefined : `is ${value}, which JSON cannot contain`;
    case 'function':
    case 'symbol':
      return `is a ${typeof value}, which JSON cannot contain`;
    default:
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'is not a valid Date' : undefined;
  const isCollection = value instanceof Set || value instanceof Map;
  return isCollection && !hasToJson(value) ? 'is a Set or Map, which JSON cannot contain; pass a list' : undefined;
}

function hasToJson(value: unknown): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function';
}

function rejected(path: BodyPath, why: string): InvalidInputError {
  return new InvalidInputError([{ path, message: `\`${path.join('.')}\` ${why}` }]);
}
