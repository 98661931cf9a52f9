import type { Endpoint } from '../core/operation/endpoint.js';
import { isObject } from '../core/json/plain-object.js';
import { factsOf, shapeOf } from '../core/schema/describe.js';
import { marked, note } from './marks.js';

/** The smallest length into which the beginning of every documented response and error fits. */
export const leastChars = 500;

/** How many entries of a list, characters of a text and fields of an object are kept, the most first. */
type KeptParts = readonly [entries: number, characters: number, fields: number];
const limits: readonly KeptParts[] = [
  [Infinity, Infinity, Infinity],
  [Infinity, 1000, Infinity],
  ...[50, 45, 40, 35, 30, 25, 20, 16, 13, 10].map((entries): KeptParts => [entries, 1000, Infinity]),
  [10, 500, Infinity],
  [8, 400, Infinity],
  ...[6, 5, 4].map((entries): KeptParts => [entries, 300, Infinity]),
  ...[3, 2, 1].map((entries): KeptParts => [entries, 200, Infinity]),
  ...[Infinity, 12, 6, 3, 1].map((fields): KeptParts => [1, 100, fields]),
];

/** What a search repeats in each of its responses: long, and of no use for the next call. */
const repeated = /^(?:available_)?(?:filters|sorts?)$/;

/** The field of a response that is its list; `undefined` if it is none. */
export function listOf({ output }: Pick<Endpoint, 'output'>): string | undefined {
  const shape = shapeOf(output);
  return Object.keys(shape).find((name) => factsOf(shape[name]).list === 'main');
}

/**
 * Returns the output of an operation as JSON that is small enough for a model: without empty fields, the texts of people
 * marked. Of a list that does not fit, the first entries are whole, with the offset of the next one; of anything else there is
 * the beginning, with how much was left out.
 */
export function compactJson(output: unknown, maxChars: number, endpoint?: Endpoint, input?: unknown): string {
  const whole = marked(output, endpoint?.output) ?? null;
  const list = endpoint && isObject(whole) ? pagedListIn(whole, endpoint) : undefined;
  const value = list === undefined ? whole : withoutRepeated(whole as object);
  const entries: unknown = list === undefined ? value : (value as Record<string, unknown>)[list];
  if (!Array.isArray(entries) || jsonOf('result', value).length <= maxChars) return fitting('result', value, maxChars);
  const first = (count: number): unknown => {
    const next = nextOf(count, list === undefined, endpoint, input);
    const left = new LeftOut(`${entries.length - count} of ${entries.length} entries left out: ${next}`);
    const kept = [...(entries as unknown[]).slice(0, count), left];
    return list === undefined ? kept : { ...(value as object), [list]: kept };
  };
  const count = most(entries.length - 1, (each) => jsonOf('result', first(each)).length <= maxChars);
  return fitting('result', first(Math.max(count, 1)), maxChars);
}

/** The field of a response whose entries `offset` skips: its list, or the only one where the schema names none. */
function pagedListIn(value: object, endpoint: Endpoint): string | undefined {
  const named = listOf(endpoint);
  if (named !== undefined || !('offset' in shapeOf(endpoint.input))) return named;
  return Object.entries(value).find(([, each]) => Array.isArray(each))?.[0];
}

function withoutRepeated(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !repeated.test(name)));
}

/** Returns JSON of a value under a name, behind a note if it has texts of people; of long values only the beginning. */
export function fitting(name: string, value: unknown, maxChars: number): string {
  let json = '';
  for (const each of limits) {
    json = jsonOf(name, shortened(value, each));
    if (json.length <= maxChars) return json;
  }
  return JSON.stringify({ [name]: null, leftOut: `${json.length} characters do not fit; ask for less` });
}

function jsonOf(name: string, value: unknown): string {
  const json = JSON.stringify({ [name]: value });
  return json.includes('«') ? JSON.stringify({ note, [name]: value }) : json;
}

/** What stands in place of the entries behind the first ones. It is never shortened. */
class LeftOut {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): string {
    return this.#text;
  }
}

/** How to get the entries behind the first ones. */
function nextOf(count: number, isBare: boolean, endpoint: Endpoint | undefined, input: unknown): string {
  const shape = endpoint ? shapeOf(endpoint.input) : {};
  // A bare list has an entry for each of the ids; within those entries, `offset` skips others.
  if (isBare && 'ids' in shape) return 'ask for fewer ids';
  if (!('offset' in shape)) return 'the service has no pages of this list';
  const { offset = 0 } = (input ?? {}) as { offset?: number };
  return `ask for fewer (limit), or go on with offset ${offset + count}`;
}

/** The largest number up to `limit` that fits; 0 if none does. What fits is not above what does not. */
function most(limit: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function shortened(value: unknown, limits: KeptParts): unknown {
  const [entries, characters, fields] = limits;
  if (typeof value === 'string' && value.length > characters) {
    const end = value.endsWith('»') ? '»' : '';
    return `${value.slice(0, characters)}${end} (${value.length - characters} more characters left out)`;
  }
  if (Array.isArray(value)) {
    const [last] = value.slice(-1) as unknown[];
    const all = last instanceof LeftOut ? value.slice(0, -1) : value;
    const kept = all.slice(0, entries).map((entry) => shortened(entry, limits));
    if (last instanceof LeftOut) return [...kept, last];
    const left = value.length - entries;
    return left > 0 ? [...kept, `${left} of ${value.length} entries left out`] : kept;
  }
  if (typeof value !== 'object' || value === null) return value;
  const all = Object.entries(value);
  const left = all.length > fields ? { leftOut: `${all.length - fields} more fields` } : {};
  return {
    ...Object.fromEntries(all.slice(0, fields).map(([name, each]) => [name, shortened(each, limits)])),
    ...left,
  };
}
