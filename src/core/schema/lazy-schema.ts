import * as z from 'zod/mini';
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
 * A zod schema that is built on first use: the 440 schemas of this package would cost every import 5 to 9 ms.
 *
 * Zod takes it for a schema of its own, because it has `_zod`. A value that fits is delivered as it is; zod reads other
 * spellings, and explains what does not fit.
 */
export class LazySchema {
  /** Whether a value needs no change. */
  readonly fits: Fits;
  readonly facts: Facts;
  readonly #build: () => z.ZodMiniType;
  #zod: z.ZodMiniType | undefined;

  constructor(build: () => z.ZodMiniType, fits: Fits, facts: Facts = {}) {
    this.#build = build;
    this.fits = fits;
    this.facts = facts;
  }

  /** The zod schema. */
  get zod(): z.ZodMiniType {
    return (this.#zod ??= withQuickCheck(this.#build(), this.fits));
  }

  get _zod(): z.ZodMiniType['_zod'] {
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
    const result = this.zod.safeParse(value);
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

/** zod asks the parts of a schema one by one: a part that fits need not be read by it. */
function withQuickCheck(schema: z.ZodMiniType, fits: Fits): z.ZodMiniType {
  const run = schema._zod.run.bind(schema._zod);
  schema._zod.run = (payload, context) => (fits(payload.value) ? payload : run(payload, context));
  return schema;
}

type Parsing = Pick<LazySchema, 'safeParse'>;

/** A schema whose value is read by a function first, so that the rest is checked as quickly as if it had come so. */
export class PreprocessSchema extends LazySchema {
  readonly #of: Parsing;
  readonly #reader: (value: unknown) => unknown;
  readonly #note: ((data: never, value: unknown) => void) | undefined;

  constructor(of: Parsing, reader: (value: unknown) => unknown, note?: (data: never, value: unknown) => void) {
    super(() => z.pipe(z.transform(reader), of as z.ZodMiniType), isUnchangedBy(reader, of));
    this.#of = of;
    this.#reader = reader;
    this.#note = note;
  }

  override safeParse(value: unknown): ParseResult {
    const result = this.#of.safeParse(this.#reader(value));
    if (result.success) this.note(result.data, value);
    return result;
  }

  /** Marks what came of a value that is read by itself. */
  note(data: unknown, value: unknown): void {
    this.#note?.(data as never, value);
  }
}
