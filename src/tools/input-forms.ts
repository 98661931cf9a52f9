import { isPlainObject } from '../core/json/plain-object.js';
import { isIdField } from './marks.js';
import type { JsonSchema } from './portable-schema.js';

/**
 * Returns the form of a schema that strict hosts take: every object is closed, and every field required. One that may be left
 * out takes `null`.
 */
export function strictSchema({ properties, required, items, ...others }: JsonSchema): JsonSchema {
  const isObject = properties !== undefined || others.type === 'object';
  return {
    ...others,
    ...(items && { items: strictSchema(items) }),
    ...(isObject && {
      properties: mapFields(properties ?? {}, (each, name) =>
        required?.includes(name) ? strictSchema(each) : nullable(strictSchema(each)),
      ),
      required: Object.keys(properties ?? {}),
      additionalProperties: false,
    }),
  };
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type = [], enum: values } = schema;
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  };
}

function mapFields(
  fields: Readonly<Record<string, JsonSchema>>,
  change: (each: JsonSchema, name: string) => JsonSchema,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, change(each, name)]));
}

/** Returns an input without the optional fields that are `null`, at every depth: strict hosts cannot leave a field out. */
export function withoutNulls(value: unknown, schema: JsonSchema): unknown {
  const { properties, required, items } = schema;
  if (Array.isArray(value)) return items ? value.map((each) => withoutNulls(each, items)) : value;
  if (!isPlainObject(value)) return value;
  // One entry, where a list or an entry is taken.
  if (!properties) return items ? withoutNulls(value, items) : value;
  const fields = Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!inner) return [[name, each] as const];
    const isLeftOut = each === null && !required?.includes(name);
    return isLeftOut ? [] : [[name, withoutNulls(each, inner)] as const];
  });
  return Object.fromEntries(fields);
}

/** Returns the names of the ids that some of these inputs take as numbers: only endpoints of an application have such. */
export function numericIds(schemas: readonly JsonSchema[]): string[] {
  return schemas.flatMap(({ properties = {}, items }) => [
    ...Object.entries(properties).flatMap(([name, each]) => {
      const { type } = each.items ?? each;
      return isIdField(name) && (type === 'integer' || type === 'number') ? [name] : numericIds([each]);
    }),
    ...(items ? numericIds([items]) : []),
  ]);
}
