/** Returns the entry of a list that a number from 0 to 1 selects. */
export function chosen<T>(list: readonly T[], choice: number): T | undefined {
  return list[Math.floor(choice * list.length)];
}

/** Creates a seeded random number generator (mulberry32): numbers from 0 to 1, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const hexDigits = '0123456789abcdef';

/** Returns a number of hexadecimal digits that look random and are the same for the same number. */
export function hexOf(number: number, digits: number): string {
  const random = createRandom(number);
  let hex = '';
  while (hex.length < digits) hex += hexDigits.charAt(random() * 16);
  return hex;
}

/** Returns a UUID that is the same for the same number, so that two runs of a program compare. */
export function uuidOf(number: number): string {
  // The number itself keeps two of them apart.
  const own = number.toString(16).padStart(12, '0');
  const hex = hexOf(number, 20);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17)}-${own}`;
}
