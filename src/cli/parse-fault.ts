import { readAs, seededFault } from '../testing/seed/schema.js';
import type { SeededFault } from '../testing/seed/schema.js';

/**
 * Reads a fault as it is written on a command line: fields and values, as in `status=503 times=2`.
 *
 * @throws {SeedError} when there is no such field, or it takes no such value.
 */
export function parseFault(words: string): SeededFault {
  const fields = words
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((word) => {
      const [name = '', ...value] = word.split('=');
      return [name, value.length === 0 ? true : valueOf(value.join('='))];
    });
  return readAs(seededFault, Object.fromEntries(fields));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
