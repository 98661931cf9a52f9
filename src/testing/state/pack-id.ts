/** The id of a pack: a number, or its digits if it is beyond 2^53. */
export type PackId = number | string;

/** Reads the id of a pack; `undefined` when it is no integer of at least 1, and up to 20 digits. */
export function packIdOf(value: unknown): PackId | undefined {
  const digits = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof digits !== 'string' || !/^[1-9]\d{0,19}$/.test(digits)) return undefined;
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;
}
