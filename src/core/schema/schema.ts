import * as z from 'zod/v4/core';
import { InvalidInputError, type Issue, type Path } from '../errors/errors.js';

/**
 * What an endpoint needs from a schema: Standard Schema 1, which zod, Valibot, ArkType and this package's schemas
 * implement. `In` is the type of the input, `Out` is the type of the validated output.
 */
export interface StandardSchema<out Out = unknown, out In = Out> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
  };
}

/** The result of validation by a Standard Schema. */
export type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** An issue of a Standard Schema. */
export type StandardIssue = Extract<StandardResult<unknown>, { readonly issues: readonly unknown[] }>['issues'][number];

/**
 * A schema of this package: a zod schema at run time, but with its own types. Zod's object types drop the JSDoc of
 * fields from declarations, and they have an index signature that hides typos.
 */
export interface Schema<out Out = unknown, out In = Out> extends StandardSchema<Out, In> {
  /** What makes it a part of the user's own zod schemas. */
  readonly _zod: ZodInternals<Out, In>;
  /**
   * Returns the value as the client returns it.
   *
   * @throws {InvalidInputError} when the value does not fit.
   */
  parse(value: unknown): Out;
  /** Returns the value, or what is wrong with it. */
  safeParse(
    value: unknown,
  ): { success: true; data: Out } | { success: false; error: { readonly issues: readonly Issue[] } };
}

/**
 * What the types of `zod/v4/core` read of a schema. They are not imported: users without zod have none. What only zod's
 * code reads is `never`, which fits the type of every version of zod.
 */
interface ZodInternals<out Out, out In> extends Readonly<Record<OnlyForZod, never>> {
  readonly output: Out;
  readonly input: In;
  readonly optin?: 'optional' | undefined;
  readonly optout?: 'optional' | undefined;
}

type OnlyForZod = 'version' | 'def' | 'deferred' | 'run' | 'parse' | 'traits' | 'pattern' | 'constr' | 'bag' | 'isst';

/** What a schema returns, or what a call of an endpoint delivers: `Output<typeof endpoints.questions.get>`. */
export type Output<S> =
  S extends StandardSchema<infer Out, unknown> ? Out : S extends { readonly output: infer Of } ? Output<Of> : never;
/** What a schema accepts, or what a call of an endpoint takes: `Input<typeof endpoints.questions.answer>`. */
export type Input<S> =
  S extends StandardSchema<unknown, infer In> ? In : S extends { readonly input: infer Of } ? Input<Of> : never;

/** The fields of an object, by name. */
export type Shape = Readonly<Record<string, Schema>>;

/** A field that can be omitted. */
export interface Optional<Out, In = Out> extends Schema<Out | undefined, In | undefined> {
  readonly optional: true;
  readonly _zod: ZodInternals<Out | undefined, In | undefined> & {
    readonly optin: 'optional';
    readonly optout: 'optional';
  };
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
}

/** The input of a call. Unknown fields are rejected. The type has no name, so that an editor shows its fields. */
export interface Params<S extends Shape> extends Schema<Fields<S>, { [K in keyof InputFields<S>]: InputFields<S>[K] }> {
  readonly shape: S;
}

/** What this package knows of a schema, and zod does not. */
export interface Facts {
  /** The documented type, if zod's definition does not contain it. */
  readonly type?: 'string' | 'int64';
  /** The known values of an open enum. */
  readonly values?: readonly string[];
  /**
   * What happens to an invalid entry of a list. `main`: the entry is left out; the list is the main content of the
   * response. `whole`: the list is invalid, and so is the object that contains it.
   */
  readonly list?: 'main' | 'whole';
  /** Any other value is returned as it came, and reported: the call has succeeded without it. */
  readonly acceptsAny?: true;
  /** What replaces a value of a response after it was read. */
  readonly change?: (value: never) => unknown;
  /** How a value of an input is written into the request, if not as it is. */
  readonly write?: (value: never) => unknown;
}

/** Keywords of JSON Schema, which `z.toJSONSchema` prints. */
export interface Keywords {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly pattern?: string;
  readonly format?: 'date-time';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly object[];
}

/**
 * A zod schema that is created on first use: creating the 440 schemas of this package at import takes 6 to 9 ms, as long
 * as half of the import. Zod treats it as a zod schema, because it has `_zod`.
 *
 * @internal
 */
export class LazySchema {
  readonly facts: Facts;
  readonly keywords: Keywords;
  readonly #build: () => z.$ZodType;

  constructor(build: () => z.$ZodType, facts: Facts = {}, keywords: Keywords = {}) {
    this.#build = build;
    this.facts = facts;
    this.keywords = keywords;
  }

  get _zod(): z.$ZodType['_zod'] {
    const { _zod: value } = this.#build();
    // A plain property from now on: a page of 50 is parsed in half the time.
    Object.defineProperty(this, '_zod', { value });
    // Where every copy of zod finds them.
    z.globalRegistry.add(this, this.keywords as z.GlobalMeta);
    return value;
  }

  get shape(): unknown {
    return (this._zod.def as { shape?: unknown }).shape;
  }

  // Stryker disable next-line StringLiteral: the tester cannot change the name of a property.
  get '~standard'(): StandardSchema['~standard'] {
    const validate: StandardSchema['~standard']['validate'] = (value) => {
      const result = this.safeParse(value);
      return result.success ? { value: result.data } : { issues: result.error.issues };
    };
    // They are schemas of zod: with this name, other libraries print them as JSON Schema.
    return { version: 1, vendor: 'zod', validate };
  }

  safeParse(value: unknown): ReturnType<Schema['safeParse']> {
    const result = zodParse(this, value);
    return result.success ? result : { success: false, error: { issues: sentences(result.issues, value) } };
  }

  /** @throws {InvalidInputError} when the value does not fit. */
  parse(value: unknown): unknown {
    const result = this.safeParse(value);
    if (result.success) return result.data;
    throw new InvalidInputError(result.error.issues, 'The value does not fit: ');
  }
}

export type ZodIssues = readonly z.$ZodIssue[];

/** A zod schema, of this package or of the user. Users have no zod of ours, so its types are no part of the declarations. */
interface ZodSchema {
  readonly _zod: unknown;
}

/** The schemas that have read a value. Zod generates code for one that reads a second: for a single value, that takes longer. */
const used = new WeakSet<ZodSchema>();

/** A parsed value, or zod's issues. Each issue says what its place takes, in words of this package. */
export function zodParse(
  schema: ZodSchema,
  value: unknown,
): { readonly success: true; readonly data: unknown } | { readonly success: false; readonly issues: ZodIssues } {
  const jitless = !used.has(schema);
  used.add(schema);
  // The words are given to this parse alone: zod's global configuration belongs to the application.
  const result = z.safeParse(schema as z.$ZodType, value, { error: expectedBy, jitless });
  if (result.success) return result;
  return { success: false, issues: result.error.issues.flatMap(innermost) };
}

/** Formats issues of zod about a value. */
export function sentences(issues: ZodIssues, value: unknown): readonly Issue[] {
  return issues.map((issue) => formatIssue(issue, issue.path, value));
}

/** What a value takes, in words: the message that zod puts into an issue. It never contains the value. */
function expectedBy(issue: z.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return a(isInteger(issue.inst) ? 'int' : issue.expected) + fieldsNeededBy(issue.inst);
    case 'invalid_value':
      return issue.values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(' or ');
    case 'invalid_union':
      return [...new Set(issue.errors.flatMap((each) => each.filter(isType).map(({ message }) => message)))].join(
        ' or ',
      );
    default:
      return 'Invalid input';
  }
}

function isType({ code }: z.$ZodIssue): boolean {
  return code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union';
}

function isInteger(schema: unknown): boolean {
  return (schema as { _zod?: { def: { format?: unknown } } } | undefined)?._zod?.def.format === 'safeint';
}

/** The fields that an input must have: what is no object shows nobody which. */
function fieldsNeededBy(schema: unknown): string {
  const def = (schema as { _zod?: { def: z.$ZodObjectDef } } | undefined)?._zod?.def;
  if (def?.type !== 'object' || unknownKeys(def) !== 'reject') return '';
  const needed = Object.entries(def.shape).filter(
    ([, field]) => inspect(field as unknown as Schema).kind !== 'optional',
  );
  return needed.length === 0 ? '' : ` with ${needed.map(([name]) => `\`${name}\``).join(', ')}`;
}

function a(type: string): string {
  if (type === 'int') return 'an integer';
  // The type that zod states for a missing field of any value.
  if (type === 'nonoptional') return 'a value';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/**
 * Replaces the issue of a union by those of the option that matched most of the value, and the issue of several unknown
 * fields by one for each.
 */
function innermost(issue: z.$ZodIssue): z.$ZodIssue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
  if (issue.code !== 'invalid_union') return [issue];
  const option = issue.errors.find((each) => each.some(isInside));
  return option?.flatMap((each) => innermost({ ...each, path: [...issue.path, ...each.path] })) ?? [issue];
}

/** Whether an issue shows that the value has the type of the schema, and that something in it is wrong. */
export function isInside({ code, path }: Pick<z.$ZodIssue, 'code' | 'path'>): boolean {
  return path.length > 0 || code === 'custom' || code === 'too_big' || code === 'too_small';
}

/**
 * Formats an issue of zod as a sentence that names the field and what it takes. `path` is where the field is in `root`.
 * The only place where the sentences of `InvalidInputError` and of drift are made.
 */
export function formatIssue(issue: z.$ZodIssue, path: Path, root: unknown): Issue {
  return {
    path,
    message:
      issue.code === 'custom' ? withPath(path, issue.message, root) : `${nameOf(path)} ${verb(issue, path, root)}`,
  };
}

function verb(issue: z.$ZodIssue, path: Path, root: unknown): string {
  if (issue.code === 'unrecognized_keys') return 'is not a field here';
  // A limit of the user's own zod schema has another origin.
  if ((issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'int')
    return 'is beyond 2^53 and would be rounded';
  if (!isType(issue)) return 'does not fit';
  const takes = `takes ${issue.message || 'another value'}`;
  return valueAt(path, root) === undefined ? `is missing; it ${takes}` : takes;
}

/** Returns the value at a path; `undefined` if there is none. */
export function valueAt(path: Path, root: unknown): unknown {
  return path.reduce((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], root);
}

/** Names the whole path in the message of a rule, which knows at most the name of its field. */
function withPath(path: Path, message: string, root: unknown): string {
  const name = nameOf(path);
  if (path.length === 0 || message.includes(name)) return message;
  const own = nameOf(path.slice(-1));
  if (message.startsWith(own)) return name + message.slice(own.length);
  return valueAt(path, root) === undefined ? `${name} is missing; ${message}` : `${name}: ${message}`;
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'the value' : `\`${path.map(String).join('.')}\``;
}

/** Whether a schema is one of this package. */
function isOwn(schema: StandardSchema | undefined): schema is StandardSchema & LazySchema {
  return schema instanceof LazySchema;
}

/** Returns the facts of a schema. */
export function factsOf(schema: StandardSchema | undefined): Facts {
  return isOwn(schema) ? schema.facts : {};
}

/** Returns the keywords of JSON Schema that were given to a schema. */
export function keywordsOf(schema: StandardSchema | undefined): Keywords {
  return isOwn(schema) ? schema.keywords : {};
}

/** The structure of a schema: its kind, and the schemas that it contains. */
export type Inspected =
  | { readonly kind: 'string' | 'number' | 'integer' | 'int64' | 'boolean' | 'unknown' | 'record' }
  | { readonly kind: 'enum'; readonly values: readonly string[]; readonly open: boolean }
  | { readonly kind: 'array' | 'optional' | 'nullable'; readonly of: Schema }
  | { readonly kind: 'preprocess'; readonly of: Schema; readonly reader: (value: unknown) => unknown }
  | { readonly kind: 'union'; readonly of: readonly Schema[] }
  | { readonly kind: 'object'; readonly shape: Shape; readonly unknownKeys: 'keep' | 'reject' | 'drop' };

/** Returns the structure of a schema. Schemas of other libraries, and other kinds of zod schemas, are `unknown`. */
export function inspect(schema: StandardSchema | undefined): Inspected {
  const { type, values } = factsOf(schema);
  if (type) return { kind: type };
  if (values) return { kind: 'enum', values, open: true };
  const def = (schema as { _zod?: { def: unknown } } | undefined)?._zod?.def as z.$ZodTypes['_zod']['def'] | undefined;
  switch (def?.type) {
    case 'string':
    case 'boolean':
    case 'record':
      return { kind: def.type };
    case 'number':
      return { kind: (def as { format?: string }).format === 'safeint' ? 'integer' : 'number' };
    case 'enum':
      return { kind: 'enum', values: Object.values(def.entries).map(String), open: false };
    case 'array':
      return { kind: 'array', of: inner(def.element) };
    case 'optional':
    case 'nullable':
      return { kind: def.type, of: inner(def.innerType) };
    case 'pipe': {
      const reader = readerOf(def);
      return reader ? { kind: 'preprocess', of: inner(def.out), reader } : { kind: 'unknown' };
    }
    case 'union':
      return { kind: 'union', of: def.options.map(inner) };
    case 'object':
      return { kind: 'object', shape: def.shape as unknown as Shape, unknownKeys: unknownKeys(def) };
    default:
      return { kind: 'unknown' };
  }
}

/** Returns the fields of an object schema, also if it is preprocessed; `{}` for other schemas. */
export function shapeOf(schema: StandardSchema): Shape {
  const found = inspect(schema);
  if (found.kind === 'object') return found.shape;
  return found.kind === 'preprocess' ? shapeOf(found.of) : {};
}

/** The name of the field that takes entries of any name, for example `filters`. */
export function openFieldOf(shape: Shape): string | undefined {
  return Object.keys(shape).find((name) => unwrapped(shape[name]).kind === 'record');
}

/** Returns what a schema is inside `optional`, `nullable` and `preprocess`. */
export function unwrapped(schema: StandardSchema | undefined): Inspected {
  const found = inspect(schema);
  const isWrapper = found.kind === 'optional' || found.kind === 'nullable' || found.kind === 'preprocess';
  return isWrapper ? unwrapped(found.of) : found;
}

function inner(schema: unknown): Schema {
  return schema as Schema;
}

/** The function that changes a value first; `undefined` for a pipe that begins with another schema. */
function readerOf(def: z.$ZodPipeDef): ((value: unknown) => unknown) | undefined {
  return (def.in._zod.def as Partial<z.$ZodTransformDef>).transform as ((value: unknown) => unknown) | undefined;
}

function unknownKeys({ catchall }: z.$ZodObjectDef): 'keep' | 'reject' | 'drop' {
  if (!catchall) return 'drop';
  return catchall._zod.def.type === 'never' ? 'reject' : 'keep';
}
