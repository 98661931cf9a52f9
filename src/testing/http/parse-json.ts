import { parseJson as parseExactly } from '../../core/json/json.js';
import { nesting } from '../../notifications/http/nesting.js';

/** The maximum depth: more than any documented body has, and not too deep for recursive functions. */
const maxDepth = 100;

/**
 * Parses JSON. An integer beyond 2^53 becomes a string of digits.
 *
 * @throws {SyntaxError} when it is invalid or nested more than 100 levels deep
 */
export function parseJson(text: string): unknown {
  if (nesting(text) > maxDepth) throw new SyntaxError(`the JSON is nested more than ${maxDepth} levels deep`);
  return parseExactly(text);
}
