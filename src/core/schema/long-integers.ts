import { derived, preprocess, unknown } from './schema.js';
import type { Schema } from './schema.js';

/** An integer of any size in an input: a number if that is exact, otherwise a string of digits. */
export const longInt: Schema<number | string> = /* @__PURE__ */ derived(unknown, {
  check: ({ value: input, issues }) => {
    if (Number.isSafeInteger(input) || isDigits(input)) return;
    if (Number.isInteger(input))
      issues.push({ code: 'too_big', origin: 'int', maximum: Number.MAX_SAFE_INTEGER, input });
    else issues.push({ code: 'invalid_type', expected: 'int', input });
  },
  facts: { type: 'int64' },
  keywords: { type: ['integer', 'string'], pattern: '^-?\\d+$' },
});
/** A text in an input, or an integer that is sent as one. */
export const textOrInt: Schema<string | number> = /* @__PURE__ */ derived(unknown, {
  check: ({ value: input, issues }) => {
    if (typeof input !== 'string' && !Number.isSafeInteger(input))
      issues.push({ code: 'invalid_type', expected: 'string', input });
  },
  facts: { type: 'string' },
  keywords: { type: ['string', 'integer'] },
});
/** An integer in a response that may exceed 2^53: a number if that is exact, otherwise a string of digits. */
export const int64: Schema<number | string> = /* @__PURE__ */ preprocess(longInt, exact);

/** Returns digits as a number if that is exact; every other value as it is. */
export function exact(value: unknown): unknown {
  return isDigits(value) && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function isDigits(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d+$/.test(value);
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
}

/** Returns a checked id as it is written: exactly, as an integer. */
export function writtenInteger(value: number | string): number | LongInteger {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : new LongInteger(String(value).replace(/^0+/, ''));
}
