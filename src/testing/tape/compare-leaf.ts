import type { Kind, SchemaPlace } from './conventions.js';
import type { TapeIds } from './ids.js';
import { isKnownMessage } from './words.js';

/** Whether a place has ids or secrets. They are learnt also where only types are compared: later requests have them. */
export function isLearnt({ kinds }: SchemaPlace): boolean {
  return kinds.some((kind) => kind === 'id' || kind === 'secret' || kind === 'link');
}

/** Whether two masked values of one type are the same. */
export function isSameLeaf(expected: unknown, actual: unknown, { kinds }: SchemaPlace, ids: TapeIds): boolean {
  if (typeof expected !== 'string' && typeof expected !== 'number') return expected === actual;
  const [a, b] = [String(expected), String(actual)];
  const is = (kind: Kind): boolean => kinds.includes(kind);
  if (is('id') || is('secret')) return ids.isSame(a, b);
  if (is('link')) return isSameLink(a.split('/'), b.split('/'), ids);
  if (is('date')) return shapeOf(a) === shapeOf(b);
  const isText = is('error text') ? !isKnownMessage(a) && !isKnownMessage(b) && /\s/.test(a + b) : kinds.length === 0;
  // A number outside the schemas can be an id.
  return isText && typeof expected === 'string' ? lengthClass(a) === lengthClass(b) : isText || a === b;
}

function isSameLink(a: readonly string[], b: readonly string[], ids: TapeIds): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index] || ids.isSame(part, b[index] ?? ''));
}

/** The form of a date: its digits are zeros, so that the number of decimals and the zone stay. */
function shapeOf(text: string): string {
  return text.replace(/\d/g, '0').replace(/[+-]00:?00$/, (zone) => (zone.includes(':') ? '+00:00' : '+0000'));
}

/** Texts are equal if they are empty, short or long alike: their limits are 350, 2,000 and 3,500 characters. */
function lengthClass(text: string): string {
  const { length } = Array.from(text);
  const limits = [0, 20, 100, 350, 2000, 3500];
  return `${limits.findIndex((limit) => length <= limit)} ${/[ж→]/.test(text) ? 'other alphabet' : ''}`;
}

/** What a report shows of a value: a masked text, and an id, say nothing but their class. */
export function shown(value: unknown, { kinds }: SchemaPlace): string {
  if (typeof value !== 'string' && typeof value !== 'number') return String(value);
  if (kinds.includes('id') || kinds.includes('link')) return 'an id';
  if (kinds.includes('date')) return String(value);
  if (kinds.length > 0) return JSON.stringify(value);
  return value === '' ? 'an empty text' : `a text of ${Array.from(String(value)).length} characters`;
}
