/** An integer with fewer digits is exact as a number. */
const longDigits = 16;
const quote = 34;
const backslash = 92;

/**
 * Parses JSON without rounding: an integer that exceeds 2^53 becomes a string of digits. The time is linear in the
 * length of any text.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasLongInteger(text)) return value;
  // The text is valid JSON here, so strings and numbers can be distinguished from left to right.
  const quoted = quoteUnsafeIntegers(text);
  return quoted === text ? value : JSON.parse(quoted);
}

/** Puts quotes around each integer that a number cannot represent exactly. */
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

/** A digit or one of `-`, `+`, `.`, `e`, `E`. This includes the `e` of `true` and `false`, which is not an integer. */
function isNumberPart(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 45 || code === 43 || code === 46 || code === 101 || code === 69;
}

function isUnsafeInteger(number: string): boolean {
  return isDigits(number) && !Number.isSafeInteger(Number(number));
}

/**
 * Whether the text contains 16 digits in a row. Such a row includes one of every 16 positions, so only these are
 * checked.
 */
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

/** An integer beyond 2^53. It is written into JSON as its digits, without quotes. */
export class LongInteger {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }

  /** Called by `JSON.stringify`, where the platform has `rawJSON`. */
  toJSON(): unknown {
    return (JSON as RawJson).rawJSON?.(this.digits);
  }
}

/** Not every platform has it, and the types of this edition of the language do not. */
type RawJson = JSON & { readonly rawJSON?: (text: string) => unknown };

/** Returns digits as a number if that is exact; every other value as it is. */
export function exact(value: unknown): unknown {
  return isDigits(value) && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

export function isDigits(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d+$/.test(value);
}

/** Returns a checked id as it is written: exactly, as an integer. */
export function writtenInteger(value: number | string): number | LongInteger {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : new LongInteger(String(value).replace(/^0+/, ''));
}

/** What is wrong with a value that `isRounded`. */
export const rounded = 'is beyond 2^53 and would be rounded; pass it as a string';

/** Whether a value is an integer that is not exact: an id may have been rounded to it. */
export function isRounded(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** Whether a value is an object without a class, also from another realm or without a prototype. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether a value is an object and no list, as an object of JSON is. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Drops `undefined` fields, which would replace default values. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
