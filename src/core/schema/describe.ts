import type * as z from 'zod/v4/core';
import type { Facts, Keywords, Schema, Shape, StandardSchema } from './schema.js';
import { LazySchema } from './schema.js';

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
