import { createRandom } from './random.js';

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
