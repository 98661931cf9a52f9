const longDigits = /\d{16}/;
// A text is read run by run: character by character, a long one would overflow the stack of the expression.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON without rounding: an integer beyond 2^53 comes out as the string of its digits.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(longDigits.test(text) ? text.replace(tokens, quotedIfRounded) : text);
}

function quotedIfRounded(token: string): string {
  if (!/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token))) return token;
  return `"${token}"`;
}
