import * as z from 'zod/v4/core';
import { InvalidInputError } from '../errors/errors.js';
import type { Facts } from './facts.js';
import { isUnchangedBy } from './fits.js';
import type { Fits } from './fits.js';
import { formatIssues } from './format-issues.js';
import type { Issue } from './issue.js';
import type { StandardSchema } from './standard-schema.js';

type ParseResult =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

/**
 * A zod schema that is created on first use: the 440 schemas of this package would make every import 5 to 9 ms slower.
 *
 * Zod treats it as a zod schema, because it has `_zod`. A value that fits is returned unchanged. Zod converts other
 * values and explains what is wrong.
 */
export class LazySchema {
  /** Returns whether a value fits without a change. */
  readonly fits: Fits;
  readonly facts: Facts;
  readonly #build: () => z.$ZodType;
  #zod: z.$ZodType | undefined;

  constructor(build: () => z.$ZodType, fits: Fits, facts: Facts = {}) {
    this.#build = build;
    this.fits = fits;
    this.facts = facts;
  }

  /** The zod schema. */
  get zod(): z.$ZodType {
    return (this.#zod ??= withQuickCheck(this.#build(), this.fits));
  }

  get _zod(): z.$ZodType['_zod'] {
    return this.zod._zod;
  }

  get shape(): unknown {
    return (this._zod.def as { shape?: unknown }).shape;
  }

  get '~standard'(): StandardSchema['~standard'] {
    return {
      version: 1,
      vendor: 'marketplace-seller-sdk',
      validate: (value) => {
        const result = this.safeParse(value);
        return result.success ? { value: result.data } : { issues: result.error.issues };
      },
    };
  }

  safeParse(value: unknown): ParseResult {
    if (this.fits(value)) return { success: true, data: value };
    const result = parseWithZod(this.zod, value);
    if (result.success) return result;
    return { success: false, error: { issues: result.error.issues.flatMap((issue) => formatIssues(issue, value)) } };
  }

  /** @throws {InvalidInputError} when the value does not fit. */
  parse(value: unknown): unknown {
    const result = this.safeParse(value);
    if (result.success) return result.data;
    throw new InvalidInputError(result.error.issues, 'The value does not fit: ');
  }
}

/** Only the issues: zod's own class of errors would add 0.3 KiB to a bundle, and nobody sees it. */
class Issues {
  readonly issues: z.$ZodIssue[];

  constructor(issues: z.$ZodIssue[]) {
    this.issues = issues;
  }
}

/** Parses a value with a zod schema, also one of the user. */
export const parseWithZod = /* @__PURE__ */ z._safeParse(Issues as unknown as z.$ZodErrorClass);

/** Adds the quick check to zod's schema, so that zod skips the parts of a value that fit. */
function withQuickCheck(schema: z.$ZodType, fits: Fits): z.$ZodType {
  const run = schema._zod.run.bind(schema._zod);
  schema._zod.run = (payload, context) => (fits(payload.value) ? payload : run(payload, context));
  return schema;
}

type Note = (data: unknown, value: unknown) => void;

/** Calls `note` with the result and the original value, wherever the schema is used. */
function withNote(schema: z.$ZodType, note: Note): z.$ZodType {
  const run = schema._zod.run.bind(schema._zod);
  schema._zod.run = (payload, context) => {
    const value: unknown = payload.value;
    const result = run(payload, context);
    if (!(result instanceof Promise) && result.issues.length === 0) note(result.value, value);
    return result;
  };
  return schema;
}

type Parsing = Pick<LazySchema, 'safeParse'>;

/** A schema with a function that changes the value first. The changed value is checked with the quick check. */
export class PreprocessSchema extends LazySchema {
  readonly #of: Parsing;
  readonly #reader: (value: unknown) => unknown;
  readonly #note: ((data: never, value: unknown) => void) | undefined;

  constructor(of: Parsing, reader: (value: unknown) => unknown, note?: (data: never, value: unknown) => void) {
    super(
      () => {
        const read = new z.$ZodTransform({ type: 'transform', transform: reader });
        const pipe = new z.$ZodPipe({ type: 'pipe', in: read, out: of as unknown as z.$ZodType });
        return note ? withNote(pipe, note as Note) : pipe;
      },
      isUnchangedBy(reader, of),
    );
    this.#of = of;
    this.#reader = reader;
    this.#note = note;
  }

  override safeParse(value: unknown): ParseResult {
    const result = this.#of.safeParse(this.#reader(value));
    if (result.success) this.note(result.data, value);
    return result;
  }

  /** Calls the `note` of `preprocess`. */
  note(data: unknown, value: unknown): void {
    this.#note?.(data as never, value);
  }
}
