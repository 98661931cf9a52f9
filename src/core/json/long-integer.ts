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
