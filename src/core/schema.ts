import * as z from 'zod/mini';
import { InvalidInputError } from './errors.js';

/** One thing that is wrong with a value: where, and a sentence. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

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
}

/** The input of a call: unknown fields are refused. */
export interface Request<S extends Shape> extends Schema<Fields<S>, InputFields<S>> {
  readonly shape: S;
}

/** What a rule finds wrong: a sentence, with the field it concerns where that is not the value itself. */
export type Finding = string | { readonly path: readonly PropertyKey[]; readonly message: string } | undefined;

/** What a schema is, as data: `toZod` builds the validator from it, the tools print it, `decode` reads by it. */
export type Definition =
  | {
      readonly kind: 'text' | 'number' | 'integer' | 'wideInteger' | 'flag' | 'anything' | 'map';
      readonly format?: string;
    }
  | { readonly kind: 'enum'; readonly values: readonly string[]; readonly open: boolean }
  | { readonly kind: 'list' | 'maybe' | 'optional'; readonly of: Schema }
  | { readonly kind: 'either'; readonly of: readonly Schema[] }
  | {
      readonly kind: 'checked';
      readonly of: Schema;
      readonly check: (value: never) => Finding;
      readonly facts?: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'read'; readonly of: Schema; readonly read: (value: unknown) => unknown }
  | { readonly kind: 'entity' | 'exact' | 'request'; readonly shape: Shape };

/** The house's schema: a definition, from which the zod schema is built on first use. Nothing is built at import. */
class Field implements Schema<never, never> {
  #zod: z.ZodMiniType | undefined;
  #compiled: z.ZodMiniType | undefined;
  readonly definition: Definition;
  readonly shape: Shape | undefined;
  readonly optional: boolean;

  constructor(definition: Definition, shape?: Shape) {
    this.definition = definition;
    this.shape = shape ?? shapeBehind(definition);
    this.optional = definition.kind === 'maybe' || definition.kind === 'optional';
  }

  /** The zod schema. */
  get zod(): z.ZodMiniType {
    return (this.#zod ??= build(this.definition));
  }

  safeParse(value: unknown): { success: true; data: never } | { success: false; error: { issues: readonly Issue[] } } {
    this.#compiled ??= z.compile(this.zod);
    const result = this.#compiled.safeParse(value);
    if (result.success) return { success: true, data: result.data as never };
    return { success: false, error: { issues: result.error.issues.flatMap((issue) => sentences(issue, value)) } };
  }

  /** @throws {InvalidInputError} when the value does not fit. */
  parse(value: unknown): never {
    const result = this.safeParse(value);
    if (result.success) return result.data;
    throw new InvalidInputError(result.error.issues, 'The value does not fit: ');
  }
}

function isField(schema: Schema): schema is Schema & Field {
  return schema instanceof Field;
}

function shapeBehind(definition: Definition): Shape | undefined {
  const of = definition.kind === 'checked' || definition.kind === 'read' ? definition.of : undefined;
  return of !== undefined && isField(of) ? of.shape : undefined;
}

/** What a schema is made of; `undefined` for a schema that was not built with this file. */
export function definitionOf(schema: Schema): Definition | undefined {
  return isField(schema) ? schema.definition : undefined;
}

/** The zod schema behind a schema, built on first use. */
export function zodOf(schema: Schema): z.ZodMiniType {
  return isField(schema) ? schema.zod : (schema as unknown as z.ZodMiniType);
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

/** Reads the value with a function before `of` checks it: how one schema takes several shapes. */
export function read<Out, In = Out>(of: Schema<Out>, reader: (value: unknown) => unknown): Schema<Out, In> {
  return field({ kind: 'read', of, read: reader });
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

const digits = /^-?\d+$/;
const decimal = /^-?\d+(\.\d+)?$/;

const written = (pattern: RegExp) => z.string().check(z.regex(pattern));

function build(definition: Definition): z.ZodMiniType {
  switch (definition.kind) {
    case 'text':
      return z.string();
    case 'flag':
      return z.boolean();
    case 'anything':
      return z.unknown();
    case 'map':
      return z.record(z.string(), z.unknown());
    case 'integer':
      return z.union([z.int(), z.pipe(z.pipe(written(digits), z.transform(Number)), z.int())], 'an integer');
    case 'wideInteger':
      return z.union([z.int(), z.pipe(written(digits), z.transform(exactInteger))], 'an integer');
    case 'number':
      return z.union([z.number(), z.pipe(written(decimal), z.transform(Number))], 'a number');
    case 'enum':
      return definition.open ? z.string() : z.enum(definition.values as [string, ...string[]]);
    case 'list':
      return z.array(zodOf(definition.of));
    case 'maybe':
      return z.optional(z.nullable(zodOf(definition.of)));
    case 'optional':
      return z.optional(zodOf(definition.of));
    case 'either':
      return z.union(definition.of.map((each) => zodOf(each)) as [z.ZodMiniType, z.ZodMiniType]);
    case 'read':
      return z.pipe(z.transform(definition.read), zodOf(definition.of));
    case 'checked':
      return zodOf(definition.of).check(checkWith(definition.check as (value: unknown) => Finding));
    default: {
      const shape = Object.fromEntries(Object.entries(definition.shape).map(([name, of]) => [name, zodOf(of)]));
      if (definition.kind === 'entity') return z.looseObject(shape);
      return definition.kind === 'exact' ? z.object(shape) : z.strictObject(shape);
    }
  }
}

function checkWith(check: (value: unknown) => Finding): z.core.CheckFn<unknown> {
  return ({ value, issues }) => {
    const found = check(value);
    if (found === undefined) return;
    const { path, message } = typeof found === 'string' ? { path: [], message: found } : found;
    issues.push({ code: 'custom', input: value, path: [...path], message });
  };
}

/** A number where that is exact, else the digits. */
export function exactInteger(written: string): number | string {
  const value = Number(written);
  return Number.isSafeInteger(value) ? value : written;
}

type ZodIssue = z.core.$ZodIssue;

/** What zod found, as sentences that name the field and what it takes; values are never repeated. */
function sentences(issue: ZodIssue, root: unknown): Issue[] {
  const { path } = issue;
  const say = (message: string): Issue[] => [{ path, message: `${nameOf(path)} ${message}` }];
  switch (issue.code) {
    case 'custom':
      return [{ path, message: issue.message }];
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `${nameOf([...path, key])} is not a field here`,
      }));
    case 'too_big':
      return say('is beyond 2^53 and would be rounded');
    case 'invalid_value':
      return say(`takes ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`);
    case 'invalid_union':
      return unionSentences(issue, root);
    case 'invalid_type':
      return say(takes(a(issue.expected), path, root));
    default:
      return say('does not fit');
  }
}

/** Of a union's failures, the one that came furthest says most. */
function unionSentences(issue: Extract<ZodIssue, { code: 'invalid_union' }>, root: unknown): Issue[] {
  const { path } = issue;
  const failures = 'errors' in issue ? issue.errors : [];
  const further = (each: ZodIssue): boolean =>
    each.path.length > 0 || each.code === 'custom' || each.code === 'too_big';
  const furthest = failures.find((each) => each.some(further));
  if (furthest) return furthest.flatMap((inner) => sentences({ ...inner, path: [...path, ...inner.path] }, root));
  const expected = failures.flatMap((each) =>
    each.flatMap((inner) => ('expected' in inner ? [a(inner.expected)] : [])),
  );
  const named = issue.message === 'Invalid input' ? [...new Set(expected)].join(' or ') : issue.message;
  return [{ path, message: `${nameOf(path)} ${takes(named || 'another value', path, root)}` }];
}

function takes(what: string, path: readonly PropertyKey[], root: unknown): string {
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], root);
  return value === undefined ? `is missing; it takes ${what}` : `takes ${what}`;
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'the value' : `\`${path.map(String).join('.')}\``;
}

function a(type: string): string {
  if (type === 'int') return 'an integer';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
