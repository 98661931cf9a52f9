import { FakeMarketplaceError } from '../testing/errors.js';
import { readAs } from '../testing/seed/read-as.js';
import type { Schema } from '../core/schema/schema.js';

/**
 * Parses fields and values, e.g. `status=503 times=2 match.path=/answers`.
 *
 * @throws {FakeMarketplaceError} when a field or a value is invalid, or there is no field
 */
export function parseFields<T>(text: string, schema: Schema<T, unknown>): T {
  const words = text.split(/[\s,]+/).filter(Boolean);
  if (words.length === 0) throw new FakeMarketplaceError('a field is missing, e.g. status=503');
  const fields = new Map<string, unknown>();
  for (const word of words) {
    const [name = '', ...parts] = word.split('=');
    const value = parts.length === 0 ? true : parseValue(parts.join('='));
    const [outer = '', inner] = name.split('.');
    fields.set(outer, inner === undefined ? value : { ...(fields.get(outer) ?? {}), [inner]: value });
  }
  return readAs(schema, Object.fromEntries(fields));
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
