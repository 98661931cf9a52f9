import * as z from 'zod/v4/core';
import { InvalidInputError } from '../errors/errors.js';
import type { Issue } from '../errors/issue.js';
import { sentences, zodParse } from './issues.js';

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
  | { readonly issues: readonly StandardIssue[] };

/** An issue of a Standard Schema. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * A schema of this package: a zod schema at run time, but with its own types. Zod's object types drop the JSDoc of
 * fields from declarations, and they have an index signature that hides typos.
 */
export interface Schema<out Out = unknown, out In = Out> extends StandardSchema<Out, In> {
  /** What makes it a part of the user's own zod schemas. */
  readonly _zod: ZodInternals<Out, In>;
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

/** The type of the values that a schema returns. */
export type Output<S> = S extends StandardSchema<infer Out, unknown> ? Out : never;
/** The type of the values that a schema accepts from a caller. */
export type Input<S> = S extends StandardSchema<unknown, infer In> ? In : never;

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
  /** @throws {InvalidInputError} when the value does not fit. */
  parse(value: unknown): Fields<S>;
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
