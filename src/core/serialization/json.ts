/** An integer of fewer digits is exact as a number. */
const longDigits = 16;
const quote = 34;
const backslash = 92;

/**
 * Parses JSON without rounding: an integer beyond 2^53 becomes the string of its digits. It takes time in proportion to
 * the length of the text, whatever the text contains.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasLongInteger(text)) return value;
  // Only now, in text that is known to be JSON, strings and numbers can be told apart without looking back.
  const quoted = quoteUnsafeIntegers(text);
  return quoted === text ? value : JSON.parse(quoted);
}

/** Puts quotes around each integer that a number cannot hold exactly. */
function quoteUnsafeIntegers(json: string): string {
  let [quoted, from, at] = ['', 0, 0];
  while (at < json.length) {
    if (json.charCodeAt(at) === quote) {
      at = endOfString(json, at);
    } else if (isNumberPart(json.charCodeAt(at))) {
      const end = endOfNumber(json, at);
      if (end - at >= longDigits && isUnsafeInteger(json.slice(at, end))) {
        quoted += `${json.slice(from, at)}"${json.slice(at, end)}"`;
        from = end;
      }
      at = end;
    } else {
      at += 1;
    }
  }
  return quoted + json.slice(from);
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end + 1;
}

/** A quote is escaped after an odd number of backslashes. */
function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

function endOfNumber(json: string, start: number): number {
  let end = start + 1;
  while (isNumberPart(json.charCodeAt(end))) end += 1;
  return end;
}

/** A digit or one of `-`, `+`, `.`, `e`, `E`; also the `e` of `true` and `false`, which is no integer. */
function isNumberPart(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 45 || code === 43 || code === 46 || code === 101 || code === 69;
}

function isUnsafeInteger(number: string): boolean {
  return /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number));
}

/** Whether 16 digits stand in a row: such a row covers one of every 16 positions of the text. */
function hasLongInteger(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (isDigit(text, at) && digitsAround(text, at) >= longDigits) return true;
  }
  return false;
}

function digitsAround(text: string, at: number): number {
  let [from, to] = [at, at + 1];
  while (at - from < longDigits && isDigit(text, from - 1)) from -= 1;
  while (to - from < longDigits && isDigit(text, to)) to += 1;
  return to - from;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
