/** An integer of fewer digits is exact as a number. */
const wide = 16;
// A text is read run by run: character by character, a long one would overflow the stack of the expression.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON without rounding: an integer beyond 2^53 comes out as the string of its digits.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(holdsWideDigits(text) ? text.replace(tokens, quotedIfRounded) : text);
}

function quotedIfRounded(token: string): string {
  if (!/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token))) return token;
  return `"${token}"`;
}

/** Whether so many digits stand in a row: of such a row, every sixteenth place of the text meets one. */
function holdsWideDigits(text: string): boolean {
  for (let at = wide - 1; at < text.length; at += wide) {
    if (isDigit(text, at) && rowAround(text, at) >= wide) return true;
  }
  return false;
}

function rowAround(text: string, at: number): number {
  let [from, to] = [at, at + 1];
  while (at - from < wide && isDigit(text, from - 1)) from -= 1;
  while (to - from < wide && isDigit(text, to)) to += 1;
  return to - from;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
