import type { ZodMiniType } from 'zod/mini';
import type { Definition } from './definition.js';
import { InvalidInputError } from '../errors/errors.js';
import type { Issue } from './issue.js';
import type { Schema, Shape } from './schema.js';
import { formatIssues } from './format-issues.js';
import { NotAsItCame, documented, tolerant } from './validator.js';

type Compile = <T extends ZodMiniType>(schema: T) => T;
let compile: Compile | undefined;
let loading = false;

/** zod's compiler, once it is loaded; asking for it begins to load it. */
function compiler(): Compile | undefined {
  if (!loading) {
    loading = true;
    const loaded = import('./compiler.js');
    // Where it cannot be loaded, schemas stay as they are: slower, and as strict.
    loaded.then((part) => (compile = part.compile)).catch(() => undefined);
  }
  return compile;
}

/** From so many uses on, compiling a schema (1.5 ms) saves time. */
const usesThatPay = 8;

/** The house's schema: a definition, from which the zod schemas are built on first use. Nothing is built at import. */
export class Field implements Schema<never, never> {
  #zod: ZodMiniType | undefined;
  #documented: ZodMiniType | null | undefined;
  #compiled: ZodMiniType | undefined;
  #uses = 0;
  readonly definition: Definition;
  readonly shape: Shape | undefined;
  readonly optional: boolean;

  constructor(definition: Definition, shape?: Shape) {
    this.definition = definition;
    this.shape = shape ?? shapeBehind(definition);
    this.optional = definition.kind === 'maybe' || definition.kind === 'optional';
  }

  /** The zod schema, which takes every spelling that is known of the service. */
  get zod(): ZodMiniType {
    return (this.#zod ??= tolerant(this.definition, zodOf));
  }

  /** The zod schema of what is documented and nothing else; `null` where what is delivered is never the answer itself. */
  get documented(): ZodMiniType | null {
    if (this.#documented === undefined) this.#documented = documentedOrNull(this.definition);
    return this.#documented;
  }

  safeParse(value: unknown): { success: true; data: never } | { success: false; error: { issues: readonly Issue[] } } {
    const { definition } = this;
    if (definition.kind === 'read') {
      const result = definition.of.safeParse(definition.read(value));
      if (result.success) definition.note?.(result.data as never, value);
      return result as never;
    }
    if (this.#isAsDocumented(value)) return { success: true, data: value as never };
    const result = this.zod.safeParse(value);
    if (result.success) return { success: true, data: result.data as never };
    return { success: false, error: { issues: result.error.issues.flatMap((issue) => formatIssues(issue, value)) } };
  }

  /** @throws {InvalidInputError} when the value does not fit. */
  parse(value: unknown): never {
    const result = this.safeParse(value);
    if (result.success) return result.data;
    throw new InvalidInputError(result.error.issues, 'The value does not fit: ');
  }

  /**
   * Most values are just as documented, and are delivered as they came. Reading other spellings takes three times the
   * schemas, which are not built before such a value comes.
   */
  #isAsDocumented(value: unknown): boolean {
    if (this.documented === null) return false;
    if (!this.#compiled && (this.#uses += 1) > usesThatPay) this.#compiled = compiler()?.(this.documented);
    return (this.#compiled ?? this.documented).safeParse(value).success;
  }
}

function documentedOrNull(definition: Definition): ZodMiniType | null {
  try {
    return documented(definition, documentedOf);
  } catch (error) {
    if (error instanceof NotAsItCame) return null;
    throw error;
  }
}

function documentedOf(schema: Schema): ZodMiniType {
  const found = isField(schema) ? schema.documented : zodOf(schema);
  if (found === null) throw new NotAsItCame();
  return found;
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
function zodOf(schema: Schema): ZodMiniType {
  return isField(schema) ? schema.zod : (schema as unknown as ZodMiniType);
}
