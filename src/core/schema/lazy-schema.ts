import * as z from 'zod/v4/core';
import { InvalidInputError } from '../errors/errors.js';
import type { Facts, Keywords } from './facts.js';
import { parseWithZod } from './parse.js';
import type { ParseResult } from './parse.js';
import type { StandardSchema } from './standard-schema.js';

/**
 * A zod schema that is created on first use: creating the 440 schemas of this package at import takes 6 to 9 ms, as long
 * as half of the import. Zod treats it as a zod schema, because it has `_zod`.
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
