import * as z from 'zod/v4/core';
import type { RefineResult } from '../errors/errors.js';
import { exact, isDigits } from '../json/json.js';
import { LazySchema } from './schema.js';
import type { Entity, Facts, Keywords, Optional, Params, Schema, Shape } from './schema.js';

/** Creates a schema. The constant or function that calls it declares the type. */
// @__NO_SIDE_EFFECTS__
function lazy(build: () => z.$ZodType, facts?: Facts, keywords?: Keywords): never {
  return new LazySchema(build, facts, keywords) as never;
}

/** @internal Users have no zod of ours, so its types are no part of the declarations. */
interface Additions {
  readonly check?: z.CheckFn<unknown>;
  readonly facts?: Facts;
  readonly keywords?: Keywords;
}

/**
 * Returns a copy of a schema with one more check, or with more that is known of it.
 *
 * @internal
 */
// @__NO_SIDE_EFFECTS__
export function derived(of: Schema<unknown, unknown>, { check, facts, keywords }: Additions): never {
  const parent = of as unknown as LazySchema;
  const build = (): z.$ZodType => {
    const { def } = parent._zod;
    return z.clone(parent, check ? { ...def, checks: [...(def.checks ?? []), z._check(check)] } : def);
  };
  return lazy(build, { ...parent.facts, ...facts }, { ...parent.keywords, ...keywords });
}

/** A string of any length, also empty. */
export const string: Schema<string> = /* @__PURE__ */ lazy(() => new z.$ZodString({ type: 'string' }));
/** A point in time as ISO 8601 text, returned unchanged: with `Z`, an offset or no time zone, with 0 to 9 decimals. */
export const dateTime: Schema<string> = /* @__PURE__ */ derived(string, { keywords: { format: 'date-time' } });
/** True or false. */
export const boolean: Schema<boolean> = /* @__PURE__ */ lazy(() => new z.$ZodBoolean({ type: 'boolean' }));
/** Any value. */
export const unknown: Schema = /* @__PURE__ */ lazy(() => new z.$ZodUnknown({ type: 'unknown' }));
/** No value. */
const never: Schema<never> = /* @__PURE__ */ lazy(() => new z.$ZodNever({ type: 'never' }));
/** An object with any fields. */
export const record: Schema<Record<string, unknown>> = /* @__PURE__ */ lazy(
  () => new z.$ZodRecord({ type: 'record', keyType: new z.$ZodString({ type: 'string' }), valueType: unknown }),
);

/** An integer that is exact as a number. */
export const int: Schema<number> = /* @__PURE__ */ lazy(
  () => new z.$ZodNumberFormat({ type: 'number', check: 'number_format', format: 'safeint', abort: true }),
);
/** An integer in a response. A number or a string of digits is accepted, the result is a number, and it is never rounded. */
export const integer: Schema<number> = /* @__PURE__ */ preprocess(int, (value) =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value,
);
/** An integer of any size in an input: a number if that is exact, otherwise a string of digits. */
export const longInt: Schema<number | string> = /* @__PURE__ */ derived(unknown, {
  check: ({ value: input, issues }) => {
    if (Number.isSafeInteger(input) || isDigits(input)) return;
    if (Number.isInteger(input))
      issues.push({ code: 'too_big', origin: 'int', maximum: Number.MAX_SAFE_INTEGER, input });
    else issues.push({ code: 'invalid_type', expected: 'int', input });
  },
  facts: { type: 'int64' },
  keywords: { type: ['integer', 'string'], pattern: '^-?\\d+$' },
});
/** A text in an input, or an integer that is sent as one. */
export const textOrInt: Schema<string | number> = /* @__PURE__ */ derived(unknown, {
  check: ({ value: input, issues }) => {
    if (typeof input !== 'string' && !Number.isSafeInteger(input))
      issues.push({ code: 'invalid_type', expected: 'string or an integer' as 'string', input });
  },
  facts: { type: 'string' },
  keywords: { type: ['string', 'integer'] },
});
/** An integer in a response that may exceed 2^53: a number if that is exact, otherwise a string of digits. */
export const int64: Schema<number | string> = /* @__PURE__ */ preprocess(longInt, exact);

/** A number in a response. A number or its decimal text is accepted; the result is a number. */
export const number: Schema<number> = /* @__PURE__ */ preprocess(
  lazy(() => new z.$ZodNumber({ type: 'number' })) as Schema<number>,
  (value) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value),
);

/**
 * One of the known values, or a value that the service added later.
 *
 * @example
 * const state = openEnum('active', 'paused'); // also delivers 'archived'
 */
// @__NO_SIDE_EFFECTS__
export function openEnum<const V extends string>(...values: readonly V[]): Schema<V | (string & {})> {
  const anyOf = [{ type: 'string', enum: values }, { type: 'string' }];
  return lazy(() => new z.$ZodString({ type: 'string' }), { values }, { anyOf });
}

/** Exactly one of these values. */
// @__NO_SIDE_EFFECTS__
export function enumOf<const V extends string>(...values: readonly V[]): Schema<V> {
  return lazy(
    () => new z.$ZodEnum({ type: 'enum', entries: Object.fromEntries(values.map((value) => [value, value])) }),
  );
}

/** After this many wrong entries in one value, its lists are not read further: millions of issues would take 3 GB. */
const maxWrongEntries = 1000;

/** Zod's context of one parse, which every schema of a value receives. */
type Context = z.ParseContextInternal & { wrongEntries?: number };

/** Assertions of TypeScript take a constant whose type is declared. */
const ListOfZod: z.$constructor<z.$ZodArray> = z.$ZodArray;

/** A list of zod that stops where too many entries of the whole value are wrong. */
const BoundedArray: z.$constructor<z.$ZodArray> = /* @__PURE__ */ z.$constructor('BoundedArray', (inst, def) => {
  ListOfZod.init(inst, def);
  const parse = inst._zod.parse.bind(inst._zod);
  inst._zod.parse = (payload, context: Context) => {
    const list: unknown = payload.value;
    if (!Array.isArray(list) || context.async) return parse(payload, context);
    const read: unknown[] = [];
    payload.value = read;
    for (const [index, value] of (list as unknown[]).entries()) {
      if ((context.wrongEntries ?? 0) >= maxWrongEntries) {
        const message = 'was not read: too many entries are wrong';
        if (payload.issues.length === 0) payload.issues.push({ code: 'custom', input: list, message, inst });
        return payload;
      }
      const entry = def.element._zod.run({ value, issues: [] }, context);
      if (entry instanceof Promise) throw new z.$ZodAsyncError();
      read.push(entry.value);
      if (entry.issues.length === 0) continue;
      for (const issue of entry.issues) payload.issues.push({ ...issue, path: [index, ...(issue.path ?? [])] });
      context.wrongEntries = (context.wrongEntries ?? 0) + 1;
    }
    return payload;
  };
});

/** A list. In an input, it can be `readonly`. */
// @__NO_SIDE_EFFECTS__
export function array<Out, In = Out>(of: Schema<Out, In>): Schema<Out[], readonly In[]> {
  return lazy(() => new BoundedArray({ type: 'array', element: of }));
}

/** A field of a response that may be absent or `null`. */
// @__NO_SIDE_EFFECTS__
export function nullish<Out>(of: Schema<Out>, facts?: Facts): Optional<Out | null> {
  const build = (): z.$ZodType =>
    new z.$ZodOptional({ type: 'optional', innerType: new z.$ZodNullable({ type: 'nullable', innerType: of }) });
  return lazy(build, facts);
}

/**
 * The same schema, which returns what has this name: `named<Asker>(asker)`. It is not compared with the type, because the type is
 * declared by the schema.
 */
// @__NO_SIDE_EFFECTS__
export function named<Out>(of: Schema<unknown, unknown>): Schema<Out> {
  return of as Schema<never>;
}

/** A field of an input that can be omitted. */
// @__NO_SIDE_EFFECTS__
export function optional<Out, In>(of: Schema<Out, In>): Optional<Out, In> {
  return lazy(() => new z.$ZodOptional({ type: 'optional', innerType: of }));
}

/** Returns the same schema with facts. */
// @__NO_SIDE_EFFECTS__
export function withFacts<S extends Schema>(of: S, facts: Facts): S {
  return derived(of, { facts });
}

/** A schema that prints as this JSON Schema, and checks what `reader` returns. It stays of its kind: some libraries take only objects. */
// @__NO_SIDE_EFFECTS__
export function printedAs<Out, In>(
  of: Schema<Out, In>,
  json: object,
  reader: (value: unknown) => unknown,
): Schema<Out, In> {
  const build = (): z.$ZodType => {
    const parent = of as unknown as LazySchema;
    const { _zod } = z.clone(parent, parent._zod.def);
    const run = _zod.run.bind(_zod);
    _zod.run = (payload, context) => run({ ...payload, value: reader(payload.value) }, context);
    _zod.toJSONSchema = () => structuredClone(json);
    return { _zod } as z.$ZodType;
  };
  return lazy(build);
}

/** The first schema that the value fits. */
// @__NO_SIDE_EFFECTS__
export function union<A, B, InA = A, InB = B>(a: Schema<A, InA>, b: Schema<B, InB>): Schema<A | B, InA | InB> {
  return lazy(() => new z.$ZodUnion({ type: 'union', options: [a, b] }));
}

/** A schema with an additional rule. `keywords` say the rule in JSON Schema (`maxLength`, ...), or describe it. */
// @__NO_SIDE_EFFECTS__
export function refine<Out, In>(
  of: Schema<Out, In>,
  rule: (value: Out) => RefineResult,
  keywords?: Keywords,
): Schema<Out, In> {
  const check: z.CheckFn<unknown> = ({ value, issues }) => {
    const found = rule(value as Out);
    if (found === undefined) return;
    const { path, message } = typeof found === 'string' ? { path: [], message: found } : found;
    issues.push({ code: 'custom', input: value, path: [...path], message });
  };
  return derived(of, { check, keywords: keywords ?? {} });
}

/** A schema whose result is replaced by what `change` returns. Only for responses. */
// @__NO_SIDE_EFFECTS__
export function overwrite<Out>(of: Schema<Out>, change: (value: Out) => Out): Schema<Out> {
  const check: z.CheckFn<unknown> = (payload) => {
    payload.value = change(payload.value as Out);
  };
  return derived(of, { check, facts: { change } });
}

/**
 * Changes the value with `reader` before `of` checks it, so that one schema accepts several shapes. Only for responses: an
 * input is sent as it was checked. What changes the structure stands in front of the whole response, because the paths
 * of issues are those of the changed value.
 */
// @__NO_SIDE_EFFECTS__
export function preprocess<Out, In = Out>(
  of: Schema<Out, unknown>,
  reader: (value: unknown) => unknown,
): Schema<Out, In> {
  return lazy(() => {
    const read = new z.$ZodTransform({ type: 'transform', transform: reader });
    return new z.$ZodPreprocess({ type: 'pipe', in: read, out: of });
  });
}

/** An object in a response. Wrap a field in `nullish` if the object is useful without it. */
// @__NO_SIDE_EFFECTS__
export function looseObject<const S extends Shape>(shape: S): Entity<S> {
  return objectOf(shape, unknown);
}

/** The input of a call. Unknown fields are rejected. */
// @__NO_SIDE_EFFECTS__
export function strictObject<const S extends Shape>(shape: S): Params<S> {
  return objectOf(shape, never);
}

/** An object that is reduced to these fields. */
// @__NO_SIDE_EFFECTS__
export function object<const S extends Shape>(shape: S): Entity<S> {
  return objectOf(shape);
}

/** `$ZodObjectJIT` is what `z.object` of zod uses: where the platform allows `eval`, it is twice as fast. */
// @__NO_SIDE_EFFECTS__
function objectOf(shape: Shape, catchall?: z.$ZodType): never {
  const def = { type: 'object', shape } as const;
  return lazy(() => new z.$ZodObjectJIT(catchall ? { ...def, catchall } : def));
}

const iso = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** A point in time in an input: a `Date`, or ISO 8601 text, which is sent unchanged. */
export const dateTimeInput: Schema<Date | string> = withFacts(
  refine(
    unknown as Schema<Date | string>,
    (value) => {
      const written = writtenDate(value);
      return typeof written !== 'string' || timeOf(written) === undefined || !isIso(written)
        ? 'a date is a Date or ISO 8601 text such as "2026-03-01T00:00:00Z"'
        : undefined;
    },
    { type: 'string', format: 'date-time' },
  ),
  { type: 'string', write: writtenDate },
);

/** Whether the text has `T` before the time, and a day that its month has: `Date.parse` reads February 30 as March 2. */
export function isIso(written: string): boolean {
  const day = written.slice(0, 10);
  return !written.includes(' ') && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}

/** A date as it is sent; an invalid `Date` becomes an empty text, which the rule above rejects. */
export function writtenDate(date: Date | string): string {
  if (!(date instanceof Date)) return date;
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** Whether `from` is after `to`; `undefined` if only one of them has a time zone, because then the order is unknown. */
export function isAfter(from: string, to: string): boolean | undefined {
  const [start, end] = [timeOf(from), timeOf(to)];
  return start?.zoned === end?.zoned && start && end ? start.at > end.at : undefined;
}

/**
 * Returns the milliseconds since 1970 of ISO 8601 text; `NaN` for other text. Without a time zone, it is read as UTC.
 */
export function millisecondsOf(written: string): number {
  return timeOf(written)?.at ?? Number.NaN;
}

/** Whether ISO 8601 text has a time zone. */
export function isZoned(written: string): boolean {
  return timeOf(written)?.zoned === true;
}

function timeOf(written: string): { at: number; zoned: boolean } | undefined {
  const found = iso.exec(written);
  if (!found) return undefined;
  const zone = found[1];
  const colons = zone && /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : (zone ?? 'Z');
  const bare = (zone ? written.slice(0, -zone.length) : written).replace(' ', 'T');
  const at = Date.parse(bare.length === 10 ? `${bare}T00:00Z` : bare + colons);
  return Number.isNaN(at) ? undefined : { at, zoned: zone !== undefined };
}
