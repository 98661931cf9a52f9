import * as z from 'zod/mini';
import type { Definition, Finding } from './definition.js';
import type { Schema } from './schema.js';

/** Gives the zod schema of a schema inside another. */
type Inner = (schema: Schema) => z.ZodMiniType;

const digits = /^-?\d+$/;
const decimal = /^-?\d+(\.\d+)?$/;

const written = (pattern: RegExp): z.ZodMiniType<string, string> => z.string().check(z.regex(pattern));

/** The zod schema of a definition: takes every spelling that is known of the service, keeps unknown fields. */
export function tolerant(definition: Definition, inner: Inner): z.ZodMiniType {
  switch (definition.kind) {
    case 'integer':
      return z.union([z.int(), z.pipe(z.pipe(written(digits), z.transform(Number)), z.int())], 'an integer');
    case 'wideInteger':
      return z.union([z.int(), z.pipe(written(digits), z.transform(exactInteger))], 'an integer');
    case 'number':
      return z.union([z.number(), z.pipe(written(decimal), z.transform(Number))], 'a number');
    case 'either':
      return z.union(definition.of.map((each) => inner(each)) as [z.ZodMiniType, z.ZodMiniType]);
    case 'read':
      return z.pipe(z.transform(definition.read), inner(definition.of));
    case 'entity':
      return z.looseObject(shapeOf(definition, inner));
    case 'exact':
      return z.object(shapeOf(definition, inner));
    default:
      return common(definition, inner);
  }
}

/**
 * The zod schema of an answer just as it is documented. What fits it needs no change, so the answer itself can be
 * delivered; that takes a third of the time of building the same answer anew.
 *
 * @throws {NotAsItCame} when what the definition delivers is never the answer itself.
 */
export function documented(definition: Definition, inner: Inner): z.ZodMiniType {
  switch (definition.kind) {
    case 'integer':
    case 'wideInteger':
      return z.int();
    case 'number':
      return z.number();
    case 'either':
      return inner(definition.of[0]);
    case 'entity':
      return z.object(shapeOf(definition, inner));
    case 'read':
    case 'exact':
      throw new NotAsItCame();
    default:
      return common(definition, inner);
  }
}

/** A definition whose output is made, not delivered as it came. */
export class NotAsItCame extends Error {}

type Common = Exclude<
  Definition,
  { kind: 'integer' | 'wideInteger' | 'number' | 'either' | 'read' | 'entity' | 'exact' }
>;

function common(definition: Common, inner: Inner): z.ZodMiniType {
  switch (definition.kind) {
    case 'text':
      return z.string();
    case 'flag':
      return z.boolean();
    case 'anything':
      return z.unknown();
    case 'map':
      return z.record(z.string(), z.unknown());
    case 'enum':
      return definition.open ? z.string() : z.enum(definition.values as [string, ...string[]]);
    case 'list':
      return z.array(inner(definition.of));
    case 'maybe':
      return z.optional(z.nullable(inner(definition.of)));
    case 'optional':
      return z.optional(inner(definition.of));
    case 'checked':
      return inner(definition.of).check(checkWith(definition.check as (value: unknown) => Finding));
    case 'request':
      return z.strictObject(shapeOf(definition, inner));
  }
}

function shapeOf(
  { shape }: { readonly shape: Readonly<Record<string, Schema>> },
  inner: Inner,
): Record<string, z.ZodMiniType> {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, inner(schema)]));
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
function exactInteger(written: string): number | string {
  const value = Number(written);
  return Number.isSafeInteger(value) ? value : written;
}
