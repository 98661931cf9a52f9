import { createRandom } from './random.js';

/** Returns a number of hexadecimal digits that look random and are the same for the same number. */
export function hexOf(number: number, digits: number): string {
  const random = createRandom(number);
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
}

/** Returns a UUID that is the same for the same number, so that two runs of a program compare. */
export function uuidOf(number: number): string {
  // The number itself keeps two of them apart.
  const digits = `${hexOf(number, 20)}${number.toString(16).padStart(12, '0')}`;
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
