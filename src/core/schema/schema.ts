import type { Definition, Finding } from './definition.js';
import { Field } from './field.js';
import type { Issue } from './issue.js';

/** What an endpoint needs of a schema. Every zod 4 schema, classic or mini, has it. `In` is what a caller may give. */
export interface Schema<out Out = unknown, out In = Out> {
  safeParse(
    value: unknown,
  ): { success: true; data: Out } | { success: false; error: { readonly issues: readonly Issue[] } };
  readonly input?: In;
}

/** What a schema delivers. */
export type Output<S> = S extends Schema<infer Out, unknown> ? Out : never;
/** What a caller may give to a schema. */
export type Input<S> = S extends Schema<unknown, infer In> ? In : never;

/** The fields of an object, by name. */
export type Shape = Readonly<Record<string, Schema>>;

/** A field that may be left out. */
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

/** An object the service delivers: unknown fields stay at run time and are left out of the type. */
export interface Entity<S extends Shape> extends Schema<Fields<S>> {
  readonly shape: S;
  /** @throws {InvalidInputError} when the value does not fit. */
  parse(value: unknown): Fields<S>;
}

/** The input of a call: unknown fields are refused. */
export interface Request<S extends Shape> extends Schema<Fields<S>, InputFields<S>> {
  readonly shape: S;
}

function field<Out, In = Out>(definition: Definition): Schema<Out, In> {
  return new Field(definition);
}

/** A text of any length, also an empty one. */
export const text: Schema<string> = field({ kind: 'text' });
/** A point in time as ISO 8601 text, delivered as it came: with `Z`, an offset or no zone, with 0 to 9 decimals. */
export const instant: Schema<string> = field({ kind: 'text', format: 'date-time' });
/** A documented integer, read from a number or a string of digits, delivered as a number; refused beyond 2^53. */
export const integer: Schema<number> = field({ kind: 'integer' });
/** An integer that may be longer than 2^53: a number where that is exact, else the string of its digits. */
export const wideInteger: Schema<number | string> = field({ kind: 'wideInteger' });
/** A number, read from a number or a string of one. */
export const number: Schema<number> = field({ kind: 'number' });
/** True or false. */
export const flag: Schema<boolean> = field({ kind: 'flag' });
/** Whatever came. */
export const anything: Schema = field({ kind: 'anything' });
/** An object of whatever fields. */
export const map: Schema<Record<string, unknown>> = field({ kind: 'map' });

/** One of the known words, or one that the service has added since. */
export function openEnum<const V extends string>(...values: readonly V[]): Schema<V | (string & {})> {
  return field({ kind: 'enum', values, open: true });
}

/** One of these words and no other. */
export function closedEnum<const V extends string>(...values: readonly V[]): Schema<V> {
  return field({ kind: 'enum', values, open: false });
}

/** A list; `In` is kept so that an input may be given as `readonly`. */
export function list<Out, In = Out>(of: Schema<Out, In>): Schema<Out[], readonly In[]> {
  return field({ kind: 'list', of });
}

/** In an answer: may be absent or `null`. */
export function maybe<Out>(of: Schema<Out>): Optional<Out | null> {
  return field({ kind: 'maybe', of }) as Optional<Out | null>;
}

/** In an input: may be left out. */
export function optional<Out, In>(of: Schema<Out, In>): Optional<Out, In> {
  return field({ kind: 'optional', of }) as unknown as Optional<Out, In>;
}

/** The first that fits. */
export function either<A, B, InA = A, InB = B>(a: Schema<A, InA>, b: Schema<B, InB>): Schema<A | B, InA | InB> {
  return field({ kind: 'either', of: [a, b] });
}

/** A schema with a rule of its own; `facts` are what the OpenAPI document says of the rule (`maxLength`, ...). */
export function checked<Out, In>(
  of: Schema<Out, In>,
  check: (value: Out) => Finding,
  facts?: Readonly<Record<string, unknown>>,
): Schema<Out, In> {
  return field({ kind: 'checked', of, check, ...(facts && { facts }) });
}

/**
 * Reads the value with a function before `of` checks it: how one schema takes several shapes. `note` may mark what
 * came of a value that is read by itself, not as part of another.
 */
export function read<Out, In = Out>(
  of: Schema<Out>,
  reader: (value: unknown) => unknown,
  note?: (data: Out, value: unknown) => void,
): Schema<Out, In> {
  return field({ kind: 'read', of, read: reader, ...(note && { note }) });
}

/** An object the service delivers; wrap in `maybe` every field without which it still has sense. */
export function entity<const S extends Shape>(shape: S): Entity<S> {
  return new Field({ kind: 'entity', shape }, shape) as unknown as Entity<S>;
}

/** An object reduced to these fields: nothing else is delivered. */
export function exact<const S extends Shape>(shape: S): Entity<S> {
  return new Field({ kind: 'exact', shape }, shape) as unknown as Entity<S>;
}

/** The input of a call. */
export function request<const S extends Shape>(shape: S): Request<S> {
  return new Field({ kind: 'request', shape }, shape) as unknown as Request<S>;
}
