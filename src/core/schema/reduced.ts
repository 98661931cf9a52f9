import { inspect } from './inspect.js';
import { array, nullish, picked, preprocess, union, unknown } from './schema.js';
import type { Schema } from './schema.js';
import type { StandardSchema } from './standard-schema.js';

/** Returns a schema that is reduced to some fields. If it is a list, each entry is reduced. */
export function reduced(schema: StandardSchema, attributes: readonly string[]): Schema {
  const found = inspect(schema);
  if (found.kind === 'array') return array(reduced(found.of, attributes));
  if (found.kind === 'union') {
    const [first = unknown, ...others] = found.of;
    return others.reduce<Schema>(union, reduced(first, attributes));
  }
  if (found.kind === 'preprocess') return preprocess(reduced(found.of, attributes), found.reader);
  const shape = found.kind === 'object' ? found.shape : {};
  const fieldOf = (name: string): Schema | undefined => (Object.hasOwn(shape, name) ? shape[name] : undefined);
  return picked(Object.fromEntries(attributes.map((name) => [name, fieldOf(name) ?? nullish(unknown)])));
}
