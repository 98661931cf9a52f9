import { readAs, seededFault } from '../testing/seed/schema.js';
import type { SeededFault } from '../testing/seed/schema.js';

/**
 * Parses a fault from the command line: fields and values, e.g. `status=503 times=2`.
 *
 * @throws {SeedError} when a field or a value is invalid
 */
export function parseFault(text: string): SeededFault {
  const fields = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((word) => {
      const [name = '', ...value] = word.split('=');
      return [name, value.length === 0 ? true : parseValue(value.join('='))];
    });
  return readAs(seededFault, Object.fromEntries(fields));
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
