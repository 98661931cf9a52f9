import { isObject, isPlainObject, writtenInteger } from '../core/json/json.js';
import * as s from '../core/schema/define.js';
import type { Facts, Optional, Output, Schema } from '../core/schema/schema.js';

export const noInput = s.strictObject({});
/** An input without fields: `{}`, or nothing. */
export type NoInput = Readonly<Record<string, never>>;

/** The id of a question, user, pack, order or shipment in an input: a number, or a string of digits. */
export const id: Schema<number | string> = s.withFacts(
  s.refine(s.longInt, (value) => (String(value).startsWith('-') ? 'an id is not negative' : undefined), { minimum: 0 }),
  { write: writtenInteger },
);

/** The id of an item, message or file in a response: a string, or an integer that becomes one. */
export const keyOf: Schema<string> = s.preprocess(s.string, keyText);

/** The id of an item, message or file in an input: a string, or an integer that is sent as one. */
export const key: Schema<string | number> = s.withFacts(
  s.refine(s.textOrInt, (value) => (value === '' ? 'an id is not empty' : undefined), { minLength: 1 }),
  { write: keyText },
);

function keyText(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

/** A site. The specification names these sites by country; other sites are accepted too. */
export const siteId: Schema<string> = s.refine(
  s.openEnum('MLA', 'MLB', 'MLM', 'MLC', 'MCO', 'MLU', 'MPE', 'MEC'),
  (value) => (/^[A-Za-z0-9]+$/.test(value) ? undefined : '`site_id` takes a site code such as "MLA"'),
  { pattern: '^[A-Za-z0-9]+$' },
);

/** A text that is not blank and has at most `most` characters (Unicode code points). */
export function boundedText(name: string, most: number, what: string): Schema<string> {
  return s.refine(
    s.string,
    (value) => {
      if (value.trim() === '') return `\`${name}\` is blank; ${what} takes 1 to ${most} characters`;
      if (!value.isWellFormed()) return `\`${name}\` contains half a surrogate pair, which UTF-8 cannot encode`;
      const length = lengthOf(value);
      return length > most ? `\`${name}\` has ${length} characters; ${what} takes at most ${most}` : undefined;
    },
    { minLength: 1, maxLength: most },
  );
}

/**
 * Counts code points. Other ways to count give larger numbers, so no text that the service would accept is rejected.
 */
export function lengthOf(value: string): number {
  return Array.from(value).length;
}

/** An integer of at least `least`. */
// @__NO_SIDE_EFFECTS__
export function atLeast(least: number, name: string): Schema<number> {
  const rule = (value: number): string | undefined => (value < least ? `\`${name}\` is at least ${least}` : undefined);
  return s.refine(s.int, rule, { minimum: least });
}

/** The number of entries per page, at least 1. The service's default is 50; the largest seen in production is 100. */
export const limit: Optional<number> = s.optional(atLeast(1, 'limit'));
/** The number of entries to skip, at least 0. */
export const offset: Optional<number> = s.optional(atLeast(0, 'offset'));

export const paging = s.looseObject({
  /** The number of entries in the list. It is not reliable while the list changes. */
  total: s.nullish(s.integer),
  offset: s.nullish(s.integer),
  limit: s.nullish(s.integer),
});
/** The position of a page in its list. */
export type Paging = Output<typeof paging>;

/**
 * A list that may be `null` or absent. `list` says what an invalid entry means: in the `main` list of a response, it is left
 * out and reported to `onDrift`.
 */
// @__NO_SIDE_EFFECTS__
export function nullishArray<Out>(of: Schema<Out>, list?: Facts['list']): Optional<Out[] | null> {
  return s.nullish(s.array(of) as Schema<Out[]>, list && { list });
}

/** A list of an input with at least one entry. */
// @__NO_SIDE_EFFECTS__
export function nonEmptyArray<Out, In>(of: Schema<Out, In>, name: string, entry: string): Schema<Out[], readonly In[]> {
  const rule = ({ length }: Out[]): string | undefined =>
    length === 0 ? `\`${name}\` is empty; it takes at least one ${entry}` : undefined;
  return s.refine(s.array(of), rule, { minItems: 1 });
}

export const searchOption = s.looseObject({
  /** The id of a filter is the name of a query parameter; that of an order is a value of the parameter `sort`. */
  id: keyOf,
  /** The name for people. */
  name: s.nullish(s.string),
  type: s.nullish(s.string),
  /** The values of a filter, or only their ids. */
  values: nullishArray(
    s.union(
      s.looseObject({ id: s.nullish(keyOf), name: s.nullish(s.string), results: s.nullish(s.integer) }),
      s.string,
    ),
  ),
});
/** A filter or an order that a search offers or has used. */
export interface SearchOption extends Output<typeof searchOption> {}

/** A filter or an order, or only its id. */
export const searchOptionOrId: Schema<SearchOption | string> = s.union<SearchOption, string>(searchOption, s.string);

/** An object or a list whose content is not documented. */
export const listOrObject: Schema = s.union(s.array(s.unknown), s.record);

/** Accepts a list in a response that is a bare list, an object with the list as `name` or as `results`, or `null`. */
// @__NO_SIDE_EFFECTS__
export function listIn(name: string): (value: unknown) => unknown {
  return (value) => {
    if (value === null || value === undefined) return { [name]: null };
    if (Array.isArray(value)) return { [name]: value };
    if (typeof value !== 'object' || name in value || !('results' in value)) return value;
    const { results, ...rest } = value;
    return { ...rest, [name]: results };
  };
}

/** Accepts every known shape of a list, with `paging` or the fields of `paging`. */
// @__NO_SIDE_EFFECTS__
export function pagedListIn(name: string): (value: unknown) => unknown {
  const inObject = listIn(name);
  return (body) => {
    const value = inObject(body);
    if (typeof value !== 'object' || value === null || !('paging' in value)) return value;
    const { paging: given, ...rest } = value;
    return isPlainObject(given) ? { ...given, ...rest } : value;
  };
}

/**
 * Accepts a bare list, nothing, an object with the list as one of the names or as `results`, and one entry alone: an
 * object with the field `key`.
 */
// @__NO_SIDE_EFFECTS__
export function bareList(key: string, ...names: readonly string[]): (value: unknown) => unknown {
  return (value) => {
    if (value === null || value === undefined) return [];
    if (!isObject(value)) return value;
    if (key in value) return [value];
    const name = [...names, 'results'].find((each) => Array.isArray(value[each]));
    return name === undefined ? value : value[name];
  };
}

/** Accepts an object also as the only entry of a list. */
export function alone(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;
}

/** Changes each entry of the list in an object. */
// @__NO_SIDE_EFFECTS__
export function eachIn(name: string, change: (entry: unknown) => unknown): (value: unknown) => unknown {
  return (value) => {
    const list = (value as Record<string, unknown> | null | undefined)?.[name];
    return Array.isArray(list) ? { ...(value as object), [name]: list.map(change) } : value;
  };
}

/**
 * The entity, or another response body as it came, for operations whose response is not documented. A body with a `key`
 * is the entity: it is read like any other, and what differs is reported.
 */
// @__NO_SIDE_EFFECTS__
export function orAnything<Out>(
  entity: Schema<Out>,
  key: keyof Out & string,
  reader: (value: unknown) => unknown = (value) => value,
): Schema<Out | undefined> {
  const isEntity = (value: unknown): boolean => isObject(value) && value[key] !== undefined && value[key] !== null;
  const other = s.refine(s.unknown, (value) => (isEntity(value) ? 'does not fit' : undefined));
  const read = orAsItCame(s.union(entity, other));
  return s.preprocess(read as Schema<Out | undefined>, (value) => {
    const changed = reader(value);
    return isEntity(changed) ? changed : value;
  });
}

/**
 * The response to a write of which the caller needs nothing. Any other body is returned as it came and reported, and an
 * empty one is `undefined`: the write is done.
 */
// @__NO_SIDE_EFFECTS__
export function orAsItCame<Out>(of: Schema<Out, unknown>): Schema<Out | undefined> {
  return s.withFacts(of as Schema<Out>, { acceptsAny: true });
}

/**
 * Whether a value is a word of the service, for example a status or a code. Upper and lower case vary, and at run time
 * the value can have another type.
 */
export function isWord(value: unknown, word: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === word.toLowerCase();
}
