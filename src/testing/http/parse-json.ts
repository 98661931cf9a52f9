import { parseJson as parseExactly } from '../../core/serialization/json.js';

/** The maximum depth: more than any documented body has, and not too deep for recursive functions. */
const maxDepth = 100;

/**
 * Parses JSON. An integer beyond 2^53 becomes a string of digits.
 *
 * @throws {SyntaxError} when it is invalid or nested more than 100 levels deep
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`the JSON is nested more than ${maxDepth} levels deep`);
  return parseExactly(text);
}

/** Parses JSON in which an integer is not the same as its digits in quotes: one beyond 2^53 becomes a `bigint`. */
export function parseStrictly(text: string): unknown {
  return withBigints(parseJson(text), JSON.parse(text));
}

function withBigints(exact: unknown, rounded: unknown): unknown {
  if (typeof exact === 'string' && typeof rounded === 'number') return BigInt(exact);
  if (typeof exact !== 'object' || exact === null) return exact;
  const inside = (key: string, value: unknown): unknown => withBigints(value, (rounded as typeof exact)[key as never]);
  if (Array.isArray(exact)) return exact.map((entry, index) => inside(String(index), entry));
  return Object.fromEntries(Object.entries(exact).map(([name, field]) => [name, inside(name, field)]));
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (isInString) {
      if (character === '\\') index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}
