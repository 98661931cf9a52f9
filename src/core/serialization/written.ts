import { factsOf, inspect } from '../schema/inspect.js';
import type { StandardSchema } from '../schema/standard-schema.js';

/** Writes a checked input as it is sent: a `Date` as ISO 8601 text, the number of an item as text, ... */
export function written(schema: StandardSchema, value: unknown): unknown {
  const inside = writtenInside(schema, value);
  const write = factsOf(schema).write as ((value: unknown) => unknown) | undefined;
  return write ? write(inside) : inside;
}

function writtenInside(schema: StandardSchema, value: unknown): unknown {
  const found = inspect(schema);
  if (value === undefined || value === null) return value;
  if (found.kind === 'optional' || found.kind === 'nullable') return written(found.of, value);
  if (found.kind === 'array') return Array.from(value as Iterable<unknown>, (entry) => written(found.of, entry));
  if (found.kind !== 'object') return value;
  const fields = Object.entries(value).map(([name, each]) => {
    const field = Object.hasOwn(found.shape, name) ? found.shape[name] : undefined;
    return [name, field ? written(field, each) : each] as const;
  });
  return Object.fromEntries(fields);
}
