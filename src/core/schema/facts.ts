import * as z from 'zod/v4/core';
import type { StandardSchema } from './standard-schema.js';

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

const registry = /* @__PURE__ */ z.registry<Facts>();

/** What is known of a schema besides its definition. */
export interface Described {
  readonly facts: Facts;
  readonly keywords: Keywords;
}

/** Records what is known of a schema. The keywords are where every copy of zod finds them. */
export function describeSchema(schema: object, { facts, keywords }: Described): void {
  registry.add(schema as z.$ZodType, facts);
  z.globalRegistry.add(schema as z.$ZodType, keywords as z.GlobalMeta);
}

/** Returns the facts of a schema. */
export function factsOf(schema: StandardSchema | undefined): Facts {
  return (isZod(schema) ? registry.get(schema) : undefined) ?? {};
}

/** Whether a schema is one of this package. */
export function isOwn(schema: StandardSchema): boolean {
  return isZod(schema) && registry.has(schema);
}

/** Returns the keywords of JSON Schema that were given to a schema. */
export function keywordsOf(schema: StandardSchema | undefined): Keywords {
  return (isZod(schema) ? (z.globalRegistry.get(schema) as Keywords | undefined) : undefined) ?? {};
}

/**
 * Whether a schema is a zod schema, of this package or of the user.
 *
 * @internal Users have no zod of ours, so its types are no part of the declarations.
 */
export function isZod(schema: StandardSchema | undefined): schema is StandardSchema & z.$ZodType {
  return schema !== undefined && '_zod' in schema;
}
