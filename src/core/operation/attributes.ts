import type { Endpoint } from './endpoint.js';
import { InvalidInputError } from '../errors/errors.js';
import { inspect } from '../schema/describe.js';
import { array, nullish, object, preprocess, union, unknown } from '../schema/define.js';
import type { Schema, StandardSchema } from '../schema/schema.js';

/** Call options that can reduce the response to some of its fields. */
export interface WithAttributes<Name extends PropertyKey> {
  /**
   * The fields to request; only these are returned.
   *
   * @default every field
   */
  readonly attributes?: readonly Name[] | undefined;
}

/** The fields of `T` that `attributes` names; without `attributes`, all fields. */
export type Attributed<T, Name extends keyof T> = [keyof T] extends [Name] ? T : Pick<T, Name>;

/** The names that `attributes` of an endpoint's response takes: the fields of an object, or of the entries of a list. */
export type AttributeName<Out> = unknown extends Out
  ? string
  : keyof (Out extends readonly (infer Entry)[] ? Entry : Out) & string;

/** A response that is reduced by `attributes`. */
export type AttributedOutput<Out, Name> = unknown extends Out
  ? unknown
  : Out extends readonly (infer Entry)[]
    ? Attributed<Entry, Name & keyof Entry>[]
    : Attributed<Out, Name & keyof Out>;

/**
 * Returns the schema of a response that is reduced to some fields. If the response is a list, each entry is reduced.
 *
 * @throws {InvalidInputError} when the endpoint does not support `attributes`, or a name is not valid.
 */
export function selectAttributes(endpoint: Endpoint, attributes: readonly string[]): Schema {
  if (!endpoint.supportsAttributes)
    throw wrong(`${endpoint.method} ${endpoint.path} takes no \`attributes\`: a reduced response could not be read`);
  if (attributes.length === 0) throw wrong('`attributes` is empty; leave it out for every field');
  if (!attributes.every(canBeField)) throw wrong('`attributes` takes names of fields');
  const known = reducedSchemas.get(endpoint.output) ?? new Map<string, Schema>();
  const names = attributes.join();
  const schema = known.get(names) ?? reduced(endpoint.output, attributes);
  // A program has few lists of names, unless it takes them from somebody else.
  if (known.size >= 1000) known.clear();
  reducedSchemas.set(endpoint.output, known.set(names, schema));
  return schema;
}

/** Reduced schemas by the whole one and the names: each is made, and compiled, once. */
const reducedSchemas = new WeakMap<StandardSchema, Map<string, Schema>>();

/** Accepts undocumented fields, but not the names of inherited properties, which are mistakes. */
function canBeField(name: string): boolean {
  return /^[\w.]+$/.test(name) && !(name in Object.prototype);
}

function wrong(message: string): InvalidInputError {
  return new InvalidInputError([{ path: ['attributes'], message }]);
}

function reduced(schema: StandardSchema, attributes: readonly string[]): Schema {
  const found = inspect(schema);
  if (found.kind === 'array') return array(reduced(found.of, attributes));
  if (found.kind === 'union') {
    const [first = unknown, ...others] = found.of;
    return others.reduce<Schema>(union, reduced(first, attributes));
  }
  if (found.kind === 'preprocess') return preprocess(reduced(found.of, attributes), found.reader);
  const shape = found.kind === 'object' ? found.shape : {};
  const fieldOf = (name: string): Schema | undefined => (Object.hasOwn(shape, name) ? shape[name] : undefined);
  return object(Object.fromEntries(attributes.map((name) => [name, fieldOf(name) ?? nullish(unknown)])));
}
