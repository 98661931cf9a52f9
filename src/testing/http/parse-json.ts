import { parseJson as parseExactly } from '../../core/json/json.js';

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
