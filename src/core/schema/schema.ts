import type * as z from 'zod/v4/core';
import { boundedArray } from './bounded-array.js';
import type { Facts } from './facts.js';
import type { Issue, RefineResult } from './issue.js';
import {
  isAny,
  isArrayOf,
  isBoolean,
  isFirstOf,
  isNullish,
  isNumber,
  isObject,
  isObjectOf,
  isOneOf,
  isOptional,
  isRefined,
  isString,
} from './fits.js';
import type { Fits } from './fits.js';
import { LazySchema, PreprocessSchema } from './lazy-schema.js';
import type { StandardSchema } from './standard-schema.js';
import {
  withCheck,
  zodBoolean,
  zodEnum,
  zodNever,
  zodNullish,
  zodNumber,
  zodObject,
  zodOptional,
  zodRecord,
  zodString,
  zodUnion,
  zodUnknown,
} from './zod-schemas.js';

/**
 * A schema of this package: a zod schema at run time, but with its own types. Zod's object types drop the JSDoc of
 * fields from declarations, and they have an index signature that hides typos.
 */
export interface Schema<out Out = unknown, out In = Out> extends StandardSchema<Out, In> {
  safeParse(
    value: unknown,
  ): { success: true; data: Out } | { success: false; error: { readonly issues: readonly Issue[] } };
}

/** The type of the values that a schema returns. */
export type Output<S> = S extends StandardSchema<infer Out, unknown> ? Out : never;
/** The type of the values that a schema accepts from a caller. */
export type Input<S> = S extends StandardSchema<unknown, infer In> ? In : never;

/** The fields of an object, by name. */
export type Shape = Readonly<Record<string, Schema>>;

/** A field that can be omitted. */
export interface Optional<Out, In = Out> extends Schema<Out | undefined, In | undefined> {
  readonly optional: true;
}

type OptionalKeys<S> = { [K in keyof S]: S[K] extends { readonly optional: true } ? K : never }[keyof S];
type Fields<S> = { [K in keyof S as K extends OptionalKeys<S> ? never : K]: Output<S[K]> } & {
  [K in keyof S as K extends OptionalKeys<S> ? K : never]?: Output<S[K]>;
};
type InputFields<S> = { [K in keyof S as K extends OptionalKeys<S> ? never : K]: Input<S[K]> } & {
  [K in keyof S as K extends OptionalKeys<S> ? K : never]?: Input<S[K]>;
};

/** An object in a response. Unknown fields are kept at run time, but they are not part of the type. */
export interface Entity<S extends Shape> extends Schema<Fields<S>> {
  readonly shape: S;
  /** @throws {InvalidInputError} when the value does not fit. */
  parse(value: unknown): Fields<S>;
}

/** The input of a call. Unknown fields are rejected. */
export interface Params<S extends Shape> extends Schema<Fields<S>, InputFields<S>> {
  readonly shape: S;
}

/** Creates a schema. The constant or function that calls it declares the type. */
function lazy(build: () => z.$ZodType, fits: Fits, facts?: Facts): never {
  return new LazySchema(build, fits, facts) as never;
}

/** Uses a schema as a part of a zod schema: zod treats a `LazySchema` as a zod schema. */
function inner(schema: Schema): z.$ZodType {
  return schema as unknown as z.$ZodType;
}

/** A string of any length, also empty. */
export const string: Schema<string> = lazy(zodString, isString);
/** A point in time as ISO 8601 text, returned unchanged: with `Z`, an offset or no time zone, with 0 to 9 decimals. */
export const dateTime: Schema<string> = lazy(zodString, isString, { format: 'date-time' });
/** An integer. A number or a string of digits is accepted, the result is a number, and it is never rounded. */
export const integer: Schema<number> = lazy(() => zodNumber('int'), Number.isSafeInteger, { type: 'integer' });
/** An integer that may exceed 2^53: a number if that is exact, otherwise a string of digits. */
export const int64: Schema<number | string> = lazy(() => zodNumber('int', true), Number.isSafeInteger, {
  type: 'int64',
});
/** A number. A number or its decimal text is accepted; the result is a number. */
export const number: Schema<number> = lazy(() => zodNumber('number'), isNumber, { type: 'number' });
/** True or false. */
export const boolean: Schema<boolean> = lazy(zodBoolean, isBoolean);
/** Any value. */
export const unknown: Schema = lazy(zodUnknown, isAny);
/** An object with any fields. */
export const record: Schema<Record<string, unknown>> = lazy(zodRecord, isObject, { type: 'record' });

/**
 * One of the known values, or a value that the service added later.
 *
 * @example
 * const state = openEnum('active', 'paused'); // also delivers 'archived'
 */
export function openEnum<const V extends string>(...values: readonly V[]): Schema<V | (string & {})> {
  return lazy(zodString, isString, { values });
}

/**
 * Exactly one of these values.
 *
 * @example
 * const unit = enumOf('day', 'hour'); // rejects 'week'
 */
export function enumOf<const V extends string>(...values: readonly V[]): Schema<V> {
  return lazy(() => zodEnum(values), isOneOf(values));
}

/**
 * A list. In an input, it can be `readonly`.
 *
 * @example
 * const names = array(string);
 */
export function array<Out, In = Out>(of: Schema<Out, In>): Schema<Out[], readonly In[]> {
  return lazy(() => boundedArray(inner(of)), isArrayOf(of));
}

/**
 * A field of a response that may be absent or `null`.
 *
 * @example
 * const reply = response({ id: integer, text: nullish(string) });
 */
export function nullish<Out>(of: Schema<Out>): Optional<Out | null> {
  return lazy(() => zodNullish(inner(of)), isNullish(of));
}

/**
 * A field of an input that can be omitted.
 *
 * @example
 * const search = params({ q: string, limit: optional(integer) });
 */
export function optional<Out, In>(of: Schema<Out, In>): Optional<Out, In> {
  return lazy(() => zodOptional(inner(of)), isOptional(of));
}

/** Returns the same schema with facts. */
export function withFacts<S extends Schema>(of: S, facts: Facts): S {
  return lazy(() => zodOf(of), (of as unknown as LazySchema).fits, facts);
}

/**
 * The first schema that the value fits.
 *
 * @example
 * const id = union(integer, string);
 */
export function union<A, B, InA = A, InB = B>(a: Schema<A, InA>, b: Schema<B, InB>): Schema<A | B, InA | InB> {
  return lazy(() => zodUnion(inner(a), inner(b)), isFirstOf(a));
}

/**
 * A schema with an additional rule. `facts` are the keywords for the rule in the OpenAPI document (`maxLength`, ...).
 *
 * @example
 * const even = refine(integer, (value) => (value % 2 === 0 ? undefined : 'the number is odd'));
 */
export function refine<Out, In>(
  of: Schema<Out, In>,
  check: (value: Out) => RefineResult,
  facts?: Facts,
): Schema<Out, In> {
  const rule = check as (value: unknown) => RefineResult;
  const inherited = of instanceof LazySchema ? of.facts : undefined;
  return lazy(() => withCheck(zodOf(of), rule), isRefined(of, rule), { ...inherited, ...facts });
}

/** Returns the zod schema itself, to which checks can be added. */
function zodOf(schema: Schema): z.$ZodType {
  return schema instanceof LazySchema ? schema.zod : inner(schema);
}

/**
 * Changes the value with `reader` before `of` checks it, so that one schema accepts several shapes. A reader must
 * return the same value if it has nothing to change. If it changed the value, `note` receives the result and the original
 * value.
 *
 * @example
 * const text = preprocess<string>(string, (value) => (typeof value === 'number' ? String(value) : value));
 */
export function preprocess<Out, In = Out>(
  of: Schema<Out>,
  reader: (value: unknown) => unknown,
  note?: (data: Out, value: unknown) => void,
): Schema<Out, In> {
  return new PreprocessSchema(of, reader, note) as never;
}

/**
 * An object in a response. Wrap a field in `nullish` if the object is useful without it.
 *
 * @example
 * const order = response({ id: integer, total: nullish(number), buyer: nullish(response({ id: integer })) });
 */
export function response<const S extends Shape>(shape: S): Entity<S> {
  return lazy(() => zodObject(shape, zodUnknown()), isObjectOf(shape, true));
}

/**
 * The input of a call. Unknown fields are rejected.
 *
 * @example
 * const orderParams = params({ order_id: integer, note: optional(string) });
 */
export function params<const S extends Shape>(shape: S): Params<S> {
  return lazy(() => zodObject(shape, zodNever()), isObjectOf(shape, false));
}

/**
 * An object that is reduced to these fields.
 *
 * @example
 * const orderState = picked({ id: integer, status: nullish(string) });
 */
export function picked<const S extends Shape>(shape: S): Entity<S> {
  return lazy(() => zodObject(shape), isObjectOf(shape, false));
}
