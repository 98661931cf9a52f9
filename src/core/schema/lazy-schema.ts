import * as z from 'zod/v4/core';
import { InvalidInputError } from '../errors/errors.js';
import { describeSchema, factsOf, keywordsOf } from './facts.js';
import type { Described, Facts, Keywords } from './facts.js';
import { parseWithZod } from './parse.js';
import type { ParseResult } from './parse.js';
import type { StandardSchema } from './standard-schema.js';

/**
 * A zod schema that is created on first use: creating the 440 schemas of this package at import takes 6 to 9 ms, as long
 * as half of the import. Zod treats it as a zod schema, because it has `_zod`.
 */
export class LazySchema {
  readonly #build: () => z.$ZodType;
  readonly #described: () => Described;

  constructor(build: () => z.$ZodType, described: () => Described) {
    this.#build = build;
    this.#described = described;
  }

  get _zod(): z.$ZodType['_zod'] {
    const { _zod: value } = this.#build();
    // A plain property from now on: a page of 50 is parsed in half the time.
    Object.defineProperty(this, '_zod', { value });
    describeSchema(this, this.#described());
    return value;
  }

  get shape(): unknown {
    return (this._zod.def as { shape?: unknown }).shape;
  }

  get '~standard'(): StandardSchema['~standard'] {
    const validate = (value: unknown): { value: unknown } | { issues: readonly { message: string }[] } => {
      const result = this.safeParse(value);
      return result.success ? { value: result.data } : { issues: result.error.issues };
    };
    return {
      version: 1,
      // They are schemas of zod: with this name, other libraries print them as JSON Schema.
      vendor: 'zod',
      validate: validate,
    };
  }

  safeParse(value: unknown): ParseResult {
    return parseWithZod(this, value);
  }

  /** @throws {InvalidInputError} when the value does not fit. */
  parse(value: unknown): unknown {
    const result = this.safeParse(value);
    if (result.success) return result.data;
    throw new InvalidInputError(result.error.issues, 'The value does not fit: ');
  }
}

/** Creates a schema. The constant or function that calls it declares the type. */
// @__NO_SIDE_EFFECTS__
export function lazy(build: () => z.$ZodType, facts: Facts = {}, keywords: Keywords = {}): never {
  return new LazySchema(build, () => ({ facts, keywords })) as never;
}

interface Additions {
  readonly check?: z.CheckFn<unknown>;
  readonly facts?: Facts;
  readonly keywords?: Keywords;
}

/** Returns a copy of a schema with one more check, or with more that is known of it. */
// @__NO_SIDE_EFFECTS__
export function derived(of: object, { check, facts, keywords }: Additions): never {
  const parent = of as z.$ZodType & StandardSchema;
  return new LazySchema(
    () => {
      const { def } = parent._zod;
      if (!check) return z.clone(parent, def);
      const added = new z.$ZodCheck({ check: 'custom' });
      added._zod.check = check;
      return z.clone(parent, { ...def, checks: [...(def.checks ?? []), added] });
    },
    () => ({ facts: { ...factsOf(parent), ...facts }, keywords: { ...keywordsOf(parent), ...keywords } }),
  ) as never;
}
