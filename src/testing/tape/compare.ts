import { isObject } from '../../core/json/plain-object.js';
import { entryOf, fieldOf } from './places.js';
import type { Kind, SchemaPlace } from './conventions.js';
import { isKnownMessage } from './words.js';

/** One difference between the response on a tape and that of the fake. */
export interface ResponseDifference {
  /** The field, e.g. `questions[].status`. */
  readonly path: string;
  readonly what: 'missing' | 'extra' | 'type' | 'value' | 'entries' | 'order';
  readonly expected: string;
  readonly actual: string;
}

/** How two masked responses are compared. */
export interface ResponseComparison {
  /** Whether an id, or a secret, of the tape stands for that of the fake. */
  readonly isSame: (expected: string, actual: string) => boolean;
  /** What an id of the tape is in the fake's response, if that is known. */
  readonly idOf: (expected: string) => string;
  /** Whether only fields and types count, not values. */
  readonly typesOnly: boolean;
}

/** Compares two masked values. A path has no positions, so the same difference of many entries is one. */
export function compareValues(
  expected: unknown,
  actual: unknown,
  place: SchemaPlace,
  how: ResponseComparison,
): ResponseDifference[] {
  const found = compareAt('', { expected, actual, place }, how);
  return [...new Map(found.map((difference) => [JSON.stringify(difference), difference])).values()];
}

/** Two values at one place of two responses. */
interface Pair<T> {
  readonly expected: T;
  readonly actual: T;
  readonly place: SchemaPlace;
}

function compareAt(path: string, pair: Pair<unknown>, how: ResponseComparison): ResponseDifference[] {
  const { expected, actual, place } = pair;
  const [a, b] = [typeOf(expected), typeOf(actual)];
  if (a !== b) {
    const fits = how.typesOnly && (a === 'null' || b === 'null');
    return fits ? [] : [{ path, what: 'type', expected: a, actual: b }];
  }
  if (Array.isArray(expected) && Array.isArray(actual))
    return compareLists(`${path}[]`, { expected, actual, place: entryOf(place) }, how);
  if (isObject(expected) && isObject(actual)) return compareObjects(path, { expected, actual, place }, how);
  if (how.typesOnly && !isLearnt(place)) return [];
  const isSame =
    a === 'string' || a === 'number' ? isSameLeaf(expected as Leaf, actual as Leaf, place, how) : expected === actual;
  if (isSame || how.typesOnly) return [];
  return [{ path, what: 'value', expected: shown(expected, place), actual: shown(actual, place) }];
}

function typeOf(value: unknown): string {
  return value === null || value === undefined ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

function compareObjects(
  path: string,
  { expected, actual, place }: Pair<Readonly<Record<string, unknown>>>,
  how: ResponseComparison,
): ResponseDifference[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((name): ResponseDifference[] => {
    const at = path === '' ? name : `${path}.${name}`;
    const [a, b] = [expected[name], actual[name]];
    if (!Object.hasOwn(actual, name)) return [{ path: at, what: 'missing', expected: typeOf(a), actual: 'absent' }];
    if (!Object.hasOwn(expected, name)) return [{ path: at, what: 'extra', expected: 'absent', actual: typeOf(b) }];
    return compareAt(at, { expected: a, actual: b, place: fieldOf(place, name) }, how);
  });
}

/** Compares the entries that are the same one, by their ids, else by their positions. */
function compareLists(path: string, list: Pair<readonly unknown[]>, how: ResponseComparison): ResponseDifference[] {
  const { expected, actual, place } = list;
  // A count in a list can look like an id.
  const isOfIds = place.kinds.length === 0 || isLearnt(place);
  const pairs = paired(expected, actual, isOfIds ? how.idOf : String);
  const found = pairs.flatMap(([a, b]) => compareAt(path, { expected: expected[a], actual: actual[b], place }, how));
  if (how.typesOnly) return found;
  if (expected.length !== actual.length)
    found.push({ path, what: 'entries', expected: String(expected.length), actual: String(actual.length) });
  else if (pairs.length < expected.length)
    found.push({ path, what: 'value', expected: 'these entries', actual: 'others' });
  const isReversed = directionOf(expected, place) * directionOf(actual, place) < 0;
  if (isReversed || pairs.some(([, b], index) => b < (pairs[index - 1]?.[1] ?? -1)))
    found.push({ path, what: 'order', expected: 'this order', actual: 'another' });
  return found;
}

/** Whether the first dates of entries ascend (1) or descend (-1); 0 if neither. */
function directionOf(list: readonly unknown[], { fields = {} }: SchemaPlace): number {
  const name = Object.keys(fields).find((each) => fields[each]?.kinds.includes('date')) ?? '';
  const [first, last] = [list[0], list.at(-1)].map((entry) => Date.parse(String(isObject(entry) && entry[name])));
  return Math.sign((last ?? 0) - (first ?? 0)) || 0;
}

/** Returns the positions of entries that are the same one. */
function paired(
  expected: readonly unknown[],
  actual: readonly unknown[],
  idOf: ResponseComparison['idOf'],
): readonly (readonly [number, number])[] {
  const positions = expected.map((_, index) => index);
  const byPosition = positions.slice(0, actual.length).map((index) => [index, index] as const);
  const wanted = expected.map((each) => keyOf(each)).map((key) => (key === undefined ? undefined : idOf(key)));
  const given = actual.map((each) => keyOf(each));
  if (!isUnique(wanted) || !isUnique(given) || !wanted.some((key) => given.includes(key))) return byPosition;
  const left = given.flatMap((key, index) => (wanted.includes(key) ? [] : [index]));
  return positions.flatMap((index) => {
    const found = given.indexOf(wanted[index]);
    // The id of an entry that the fake has made meanwhile is not known yet.
    const other = found >= 0 ? found : wanted[index] === keyOf(expected[index]) ? left.shift() : undefined;
    return other === undefined ? [] : [[index, other] as const];
  });
}

const keys = [
  'id',
  'option_id',
  'question_id',
  'item_id',
  'user_id',
  'service_id',
  'message_id',
  'resource',
  'filename',
];

function keyOf(entry: unknown): string | undefined {
  if (typeof entry === 'string' || typeof entry === 'number') return String(entry);
  const fields = isObject(entry) && isObject(entry.body) ? entry.body : entry;
  if (!isObject(fields)) return undefined;
  const key = keys.map((name) => fields[name]).find((value) => typeof value === 'string' || typeof value === 'number');
  return key === undefined ? undefined : String(key);
}

function isUnique(list: readonly (string | undefined)[]): boolean {
  return !list.includes(undefined) && new Set(list).size === list.length;
}

type Leaf = string | number;

/** Ids and secrets are learnt also where only types are compared: later requests have them. */
function isLearnt({ kinds }: SchemaPlace): boolean {
  return kinds.includes('id') || kinds.includes('secret') || kinds.includes('link');
}

function isSameLeaf(expected: Leaf, actual: Leaf, { kinds }: SchemaPlace, how: ResponseComparison): boolean {
  const [a, b] = [String(expected), String(actual)];
  const is = (kind: Kind): boolean => kinds.includes(kind);
  if (is('id') || is('secret')) return how.isSame(a, b);
  if (is('link')) return isSameLink(a, b, how);
  if (is('date')) return shapeOf(a) === shapeOf(b);
  if (is('error text') && !isKnownMessage(a) && !isKnownMessage(b) && /\s/.test(a + b))
    return lengthClass(a) === lengthClass(b);
  if (kinds.length > 0) return a === b;
  return typeof expected === 'number' || lengthClass(a) === lengthClass(b);
}

function isSameLink(expected: string, actual: string, how: ResponseComparison): boolean {
  const [a, b] = [expected.split('/'), actual.split('/')];
  return a.length === b.length && a.every((part, index) => part === b[index] || how.isSame(part, b[index] ?? ''));
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
function shown(value: unknown, { kinds }: SchemaPlace): string {
  if (typeof value !== 'string' && typeof value !== 'number') return String(value);
  if (kinds.includes('id') || kinds.includes('link')) return 'an id';
  if (kinds.includes('date')) return String(value);
  if (kinds.length > 0) return JSON.stringify(value);
  return value === '' ? 'an empty text' : `a text of ${Array.from(String(value)).length} characters`;
}
