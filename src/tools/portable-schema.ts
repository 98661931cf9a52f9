import { defined, isObject, isPlainObject } from '../core/json/json.js';
import { inspect, keywordsOf, type StandardSchema } from '../core/schema/schema.js';
import { isIdField } from './compact.js';

/** A JSON Schema that the known hosts of models take. */
export interface JsonSchema {
  /** One type; with `strict`, that of a field that may be left out is a list with `'null'`. */
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly [keyword: string]: unknown;
}

/** A schema on its way: the values that are known, but not the only ones, are a part of the description in the end. */
interface Draft {
  readonly type?: string | undefined;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, Draft>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: Draft | undefined;
  readonly known?: readonly string[] | undefined;
  readonly [keyword: string]: unknown;
}

/**
 * Writes a JSON Schema with the keywords that the known hosts take: one type, no combinators, no references, and limits of
 * lengths in words. It accepts everything that the given one accepts, or more: the endpoint's own schema checks what comes.
 *
 * `tests/hosts-of-tools.test.ts` has the rules of each host, with their sources.
 */
export function portableSchema(printed: object): JsonSchema {
  const schema = drafted(printed as Draft, { root: printed as Draft, refs: [] });
  return { ...schema, type: 'object', properties: schema.properties ?? {} } as JsonSchema;
}

/** The whole schema, and the references on the way to a part of it. */
interface Position {
  readonly root: Draft;
  readonly refs: readonly unknown[];
}

function drafted(given: Draft, position: Position): Draft {
  const { $ref, allOf, anyOf, oneOf, ...own } = given;
  // A schema that contains itself has no end.
  if (position.refs.includes($ref)) return { type: 'object' };
  const parts = (list: unknown): Draft[] =>
    (Array.isArray(list) ? (list as Draft[]) : [])
      .filter(({ type }) => type !== 'null')
      .map((each) => drafted(each, position));
  const referred =
    typeof $ref === 'string'
      ? [drafted(within(position.root, $ref), { ...position, refs: [...position.refs, $ref] })]
      : [];
  const options = parts(anyOf ?? oneOf);
  const all = [...referred, ...parts(allOf), ...(options.length > 0 ? [options.reduce(either)] : [])];
  return written(all.reduce(both, simple(own, position)));
}

/** Follows a reference such as `#/$defs/Place`. */
function within(root: Draft, ref: string): Draft {
  const names = ref.replace(/^#\/?/, '').split('/').filter(Boolean);
  const found = names.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], root);
  return isObject(found) ? found : {};
}

/** A schema without combinators. */
function simple(given: Draft, position: Position): Draft {
  const { description, properties, required, items, prefixItems, pattern, format } = given;
  const inner = (each: unknown): Draft => drafted((each ?? {}) as Draft, position);
  const values = [given.const, ...((given.enum ?? []) as unknown[])].filter(
    (each) => each !== undefined && each !== null,
  );
  const type = typeOf(given, values);
  const isClosed = values.length > 0 && values.every((value) => typeof value === 'string');
  const isDigits = type === 'string' && pattern === '^-?\\d+$' && given.minimum === 0;
  return defined({
    type,
    description: textOf([
      description,
      lengthOf(given),
      values.length > 0 && !isClosed && `One of ${values.map((each) => JSON.stringify(each)).join(', ')}.`,
    ]),
    ...(type === 'string' && {
      enum: isClosed ? values : undefined,
      pattern: isDigits ? '^\\d+$' : pattern,
      format: format === 'date-time' ? format : undefined,
    }),
    ...((type === 'integer' || type === 'number') && {
      minimum: given.minimum === 0 ? undefined : exact(given.minimum),
      maximum: exact(given.maximum),
    }),
    ...(type === 'array' && {
      items: inner(items ?? (prefixItems as unknown[] | undefined)?.[0]),
      minItems: given.minItems,
      maxItems: given.maxItems,
    }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inner(each)])),
      required: required?.length === 0 ? undefined : required,
    }),
  });
}

/** One type: text where several are taken, because text can stand for a number of any size. */
function typeOf({ type, properties, items }: Draft, values: readonly unknown[]): string | undefined {
  const types = [type].flat().filter((each) => each !== 'null' && each !== undefined) as string[];
  const simplest = ['string', 'number', 'integer'].find((each) => types.includes(each)) ?? types[0];
  if (simplest !== undefined) return simplest;
  if (properties) return 'object';
  if (items) return 'array';
  const [value] = values;
  return value === undefined ? undefined : typeof value;
}

/** What fits one of two schemas. */
function either(a: Draft, b: Draft): Draft {
  if (a.properties && b.properties) return { ...merged(a, b, either), required: common(a.required, b.required) };
  // One, or a list of them; an id, or the object.
  if (a.type === 'array' || b.type === 'array') return a.type === 'array' ? a : b;
  if (a.properties || b.properties) return a.properties ? b : a;
  const known = [...valuesOf(a), ...valuesOf(b)];
  const isClosed = a.enum !== undefined && b.enum !== undefined;
  return defined({
    ...both({ ...a, type: undefined }, b),
    type:
      a.type === b.type || b.type === undefined ? a.type : a.type && typeOf({ type: [a.type, b.type] as never }, []),
    enum: isClosed ? [...new Set(known)] : undefined,
    known: isClosed || known.length === 0 ? undefined : [...new Set(known)],
    pattern: a.pattern === b.pattern ? a.pattern : undefined,
    format: a.format === b.format ? a.format : undefined,
    minimum: undefined,
    maximum: undefined,
  });
}

/** What fits both schemas; the first one, if nothing does. */
function both(a: Draft, b: Draft): Draft {
  if (a.type !== undefined && b.type !== undefined && a.type !== b.type) return a;
  const required = [...new Set([...(a.required ?? []), ...(b.required ?? [])])];
  return defined({ ...merged(a, b, both), required: required.length === 0 ? undefined : required });
}

function merged(a: Draft, b: Draft, combine: (a: Draft, b: Draft) => Draft): Draft {
  if (!a.properties || !b.properties)
    return { ...b, ...defined(a), description: textOf([a.description, b.description]) };
  const names = [...new Set([...Object.keys(a.properties), ...Object.keys(b.properties)])];
  const properties = names.map((name) => {
    const [first, second] = [a.properties?.[name], b.properties?.[name]];
    return [name, first && second ? written(combine(first, second)) : (first ?? second ?? {})] as const;
  });
  return { ...a, description: textOf([a.description, b.description]), properties: Object.fromEntries(properties) };
}

function common(a: readonly string[] = [], b: readonly string[] = []): readonly string[] | undefined {
  const names = a.filter((name) => b.includes(name));
  return names.length === 0 ? undefined : names;
}

function valuesOf({ enum: values, known = values as Draft['known'] }: Draft): readonly string[] {
  return known ?? [];
}

/** Gives every schema a type, and says in words which values are known: they show more than a pattern. */
function written({ known, ...schema }: Draft): Draft {
  if (known) Reflect.deleteProperty(schema, 'pattern');
  const text = known && `${known.join(', ')}${known.length > 1 ? ',' : ''} or another.`;
  return defined({ ...schema, type: schema.type ?? 'string', description: textOf([schema.description, text]) });
}

/** The limits of a text in words, unless the description says them. */
function lengthOf({ description = '', minLength = 0, maxLength }: Draft): string | false {
  if (typeof maxLength !== 'number' || description.replaceAll(',', '').includes(String(maxLength))) return false;
  return Number(minLength) > 0
    ? `${String(minLength)} to ${maxLength} characters.`
    : `At most ${maxLength} characters.`;
}

/** A limit that says something: every integer is exact, and what is counted begins with 0. */
function exact(limit: unknown): unknown {
  return typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER ? limit : undefined;
}

function textOf(sentences: readonly (string | false | undefined)[]): string | undefined {
  const said = [...new Set(sentences)].filter(Boolean);
  return said.length === 0 ? undefined : said.join(' ');
}

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

/** A JSON Schema. */
type Printed = Readonly<Record<string, unknown>>;

/** Prints a schema of zod as JSON Schema. With zod's own printer, each import of the package would read a fifth more. */
export function printedSchema(schema: StandardSchema): Printed {
  return { ...structureOf(schema), ...keywordsOf(schema) };
}

function structureOf(schema: StandardSchema): Printed {
  const found = inspect(schema);
  switch (found.kind) {
    case 'object': {
      const fields = Object.entries(found.shape);
      return {
        type: 'object',
        properties: Object.fromEntries(fields.map(([name, each]) => [name, printedSchema(each)])),
        required: fields.flatMap(([name, each]) => (inspect(each).kind === 'optional' ? [] : [name])),
      };
    }
    case 'optional':
    case 'preprocess':
      return printedSchema(found.of);
    case 'nullable':
      return { anyOf: [printedSchema(found.of), { type: 'null' }] };
    case 'array':
      return { type: 'array', items: printedSchema(found.of) };
    case 'union':
      return { anyOf: found.of.map(printedSchema) };
    case 'enum':
      return { type: 'string', ...(!found.open && { enum: found.values }) };
    case 'record':
      return { type: 'object' };
    case 'int64':
      return { type: 'string' };
    case 'unknown':
      return {};
    default:
      return { type: found.kind };
  }
}
