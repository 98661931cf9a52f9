import { isObject } from '../../core/json/plain-object.js';
import { isLearnt, isSameLeaf, shown } from './compare-leaf.js';
import type { SchemaPlace } from './conventions.js';
import type { TapeIds } from './ids.js';
import { entryOf, fieldOf, placesOf } from './places.js';
import { fieldsOf } from './tape.js';
import type { TapeExchange } from './tape.js';

/** One difference between the response on a tape and that of the fake. */
export interface ResponseDifference {
  /** The field, e.g. `questions[].status`. */
  readonly path: string;
  readonly what: 'missing' | 'extra' | 'type' | 'value' | 'entries' | 'order';
  readonly expected: string;
  readonly actual: string;
}

/** How responses are compared. */
interface Compared {
  readonly ids: TapeIds;
  /** Whether only fields and types count, not values. */
  readonly typesOnly: boolean;
}

/**
 * Compares the response on a tape with that of a fake. A path has no positions, so the same difference of many entries is one.
 */
export function differencesOf(expected: TapeExchange, actual: TapeExchange, how: Compared): ResponseDifference[] {
  const outcome = outcomeDifferences(outcomeOf(expected), outcomeOf(actual));
  const differs = (name: string): boolean => outcome.some(({ path }) => path === name);
  // With another status, the bodies have nothing in common but the code.
  if (differs('status')) return outcome.filter(({ path }) => path === 'status' || path === 'code');
  if (differs('kind of body')) return outcome.filter(({ path }) => path !== 'code');
  const { response: place } = placesOf(expected.method, expected.path, expected.status);
  const inBody = compareAt('', expected.response.value, actual.response.value, place, how);
  const others = inBody.filter(({ path }) => !differs('code') || (path !== 'error' && path !== 'code'));
  return [...new Map([...outcome, ...others].map((each) => [JSON.stringify(each), each])).values()];
}

type Compare<T> = (path: string, expected: T, actual: T, place: SchemaPlace, how: Compared) => ResponseDifference[];

const compareAt: Compare<unknown> = (path, expected, actual, place, how) => {
  const [a, b] = [typeOf(expected), typeOf(actual)];
  if (a !== b) {
    const fits = how.typesOnly && (a === 'null' || b === 'null');
    return fits ? [] : [{ path, what: 'type', expected: a, actual: b }];
  }
  if (Array.isArray(expected) && Array.isArray(actual))
    return compareLists(`${path}[]`, expected, actual, entryOf(place), how);
  if (isObject(expected) && isObject(actual)) return compareObjects(path, expected, actual, place, how);
  if (how.typesOnly && !isLearnt(place)) return [];
  if (isSameLeaf(expected, actual, place, how.ids) || how.typesOnly) return [];
  return [{ path, what: 'value', expected: shown(expected, place), actual: shown(actual, place) }];
};

const compareObjects: Compare<Readonly<Record<string, unknown>>> = (path, expected, actual, place, how) =>
  namesIn(expected, actual).flatMap((name): ResponseDifference[] => {
    const at = path === '' ? name : `${path}.${name}`;
    const [a, b] = [expected[name], actual[name]];
    if (!Object.hasOwn(actual, name)) return [{ path: at, what: 'missing', expected: typeOf(a), actual: 'absent' }];
    if (!Object.hasOwn(expected, name)) return [{ path: at, what: 'extra', expected: 'absent', actual: typeOf(b) }];
    return compareAt(at, a, b, fieldOf(place, name), how);
  });

/** Compares the entries that are the same one. */
const compareLists: Compare<readonly unknown[]> = (path, expected, actual, place, how) => {
  const pairs = pairsOf(expected, actual, place, how.ids);
  const found = pairs.flatMap(([a, b]) => compareAt(path, expected[a], actual[b], place, how));
  if (how.typesOnly) return found;
  if (expected.length !== actual.length)
    found.push({ path, what: 'entries', expected: String(expected.length), actual: String(actual.length) });
  else if (pairs.length < expected.length)
    found.push({ path, what: 'value', expected: 'these entries', actual: 'others' });
  const isReversed = directionOf(expected, place) * directionOf(actual, place) < 0;
  if (isReversed || pairs.some(([, b], index) => b < (pairs[index - 1]?.[1] ?? -1)))
    found.push({ path, what: 'order', expected: 'this order', actual: 'another' });
  return found;
};

/** Returns the positions of entries that are the same one, by the first id that no two of them share, else by position. */
function pairsOf(
  expected: readonly unknown[],
  actual: readonly unknown[],
  place: SchemaPlace,
  ids: TapeIds,
): (readonly [number, number])[] {
  // A count in a list can look like an id.
  const isOfIds = place.kinds.length === 0 || isLearnt(place);
  for (const keyOf of keysOf(expected[0], place)) {
    const [own, given] = [expected.map(keyOf), actual.map(keyOf)];
    const wanted = own.map((key) => (key !== undefined && isOfIds ? ids.asMasked(key) : key));
    if (!isUnique(wanted) || !isUnique(given) || !wanted.some((key) => given.includes(key))) continue;
    const left = given.flatMap((key, index) => (wanted.includes(key) ? [] : [index]));
    return wanted.flatMap((key, index) => {
      const found = given.indexOf(key);
      // The id of an entry that the fake has made meanwhile is not known yet.
      const other = found >= 0 ? found : key === own[index] ? left.shift() : undefined;
      return other === undefined ? [] : [[index, other] as const];
    });
  }
  return expected.slice(0, actual.length).map((_, index) => [index, index] as const);
}

/** What is compared beside the body. */
type ComparedOutcome = Readonly<Record<string, string>>;

function outcomeOf({ status, responseHeaders, response }: TapeExchange): ComparedOutcome {
  const headers = Object.entries(responseHeaders).map(([name, value]) => [`header ${name}`, value] as const);
  const code = codeOf(status, response.value);
  return { status: String(status), code, ...Object.fromEntries(headers), 'kind of body': response.kind };
}

/** Returns the code of an error; `none` if there is none. */
export function codeOf(status: number, body: unknown): string {
  if (status < 400 || !isObject(body)) return 'none';
  return [body.error, body.code].find((code) => typeof code === 'string') ?? 'none';
}

function outcomeDifferences(expected: ComparedOutcome, actual: ComparedOutcome): ResponseDifference[] {
  return namesIn(expected, actual).flatMap((path) => {
    const [a = 'absent', b = 'absent'] = [expected[path], actual[path]];
    return a === b ? [] : [{ path, what: 'value' as const, expected: a, actual: b }];
  });
}

function namesIn(...objects: readonly object[]): string[] {
  return [...new Set(objects.flatMap(Object.keys))];
}

function typeOf(value: unknown): string {
  return value === null || value === undefined ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

/** Whether the first dates of entries ascend (1) or descend (-1); 0 if neither. */
function directionOf(list: readonly unknown[], { fields = {} }: SchemaPlace): number {
  const name = Object.keys(fields).find((each) => fields[each]?.kinds.includes('date')) ?? '';
  const [first, last] = [list[0], list.at(-1)].map((entry) => Date.parse(String(fieldsOf(entry)[name])));
  return Math.sign((last ?? 0) - (first ?? 0)) || 0;
}

/** Returns what can name an entry: itself, or one of its ids, of which `id` is the first. */
function keysOf(entry: unknown, place: SchemaPlace): ((entry: unknown) => string | undefined)[] {
  if (!isObject(entry)) return [textOf];
  const isKey = (name: string): boolean => /(^|_)id$/.test(name) || isLearnt(fieldOf(place, name));
  const names = Object.keys(contentOf(entry)).filter(isKey);
  return names
    .sort((a, b) => Number(b === 'id') - Number(a === 'id'))
    .map((name) => (each) => textOf(contentOf(each)[name]));
}

/** An entry of a multi-get has its content in a field. */
function contentOf(entry: unknown): Readonly<Record<string, unknown>> {
  const { body } = fieldsOf(entry);
  return isObject(body) ? body : fieldsOf(entry);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function isUnique(list: readonly (string | undefined)[]): boolean {
  return !list.includes(undefined) && new Set(list).size === list.length;
}
