import * as z from 'zod/v4/core';
import { hasBody } from '../src/core/operation/endpoint.js';
import type { DescribedEndpoint, Endpoint } from '../src/core/operation/endpoint.js';
import { factsOf } from '../src/core/schema/schema.js';
import type { DocumentedError } from '../src/core/operation/documented-error.js';
import type { StandardSchema } from '../src/core/schema/schema.js';
import type { Catalogue, NamedSchema, Operation } from './catalogue.ts';
import { aboutCommon } from './reference.ts';
import type { Prose } from './prose.ts';
import type { Fields } from './sources.ts';

type Json = Record<string, unknown>;

const aboutShapes =
  'Responses may have additional fields, contain a documented integer as a string of digits, and omit every field that is ' +
  'not required here, or set it to null. Requests must match exactly.';

/** The OpenAPI 3.1 document of everything in the catalogue. */
export function openapi(all: Catalogue): Json {
  const writer = new SchemaWriter(all);
  const paths: Record<string, Json> = {};
  for (const operation of all.operations) {
    const { method, path } = operation.endpoint;
    (paths[path.replace('*}', '}')] ??= {})[method.toLowerCase()] = operationObject(operation, writer);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Marketplace seller API',
      summary: 'Questions, post-sale messages, Flex delivery, contact metrics and common conventions.',
      description: aboutShapes,
      license: { name: 'MIT', identifier: 'MIT' },
      version: all.version,
    },
    servers: [{ url: 'https://api.example.com', description: 'A placeholder for the base URL.' }],
    security: [{ accessToken: [] }, {}],
    tags: tagsOf(all),
    paths,
    components: {
      schemas: { Error: errorSchema, ...writer.components() },
      responses: { Error: errorResponse('An error. The HTTP status decides the class.') },
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } },
    },
  };
}

const errorSchema: Json = {
  description: 'An error. Some keys may be missing or have other names. Rely on the HTTP status.',
  type: 'object',
  properties: {
    message: { type: 'string', description: 'For people.' },
    error: { type: 'string', description: 'For programs.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    cause: { anyOf: [{ type: 'array', items: {} }, { type: ['string', 'null'] }] },
  },
};

function tagsOf({ operations }: Catalogue): Json[] {
  return Object.entries(Object.groupBy(operations, ({ resource }) => resource)).map(([name, each]) => ({
    name,
    ...described(name === 'common' ? aboutCommon : each?.[0]?.about),
  }));
}

const described = (text: string | undefined): Json => (text ? { description: text } : {});

function operationObject({ endpoint, resource, method: { prose } }: Operation, writer: SchemaWriter): Json {
  const parameters = parametersOf(endpoint, writer);
  return {
    // Generators of clients make a name of it.
    operationId: endpoint.name.replaceAll('.', '_'),
    tags: [resource],
    summary: endpoint.summary,
    ...described(prose.text.replace(/\s+/g, ' ')),
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(endpoint, writer),
    responses: responsesOf(endpoint, prose, writer),
    'x-retry': endpoint.retry,
  };
}

/** The fields of the input that are not in the body. A field that is not in every variant of the input is optional. */
function parametersOf(endpoint: DescribedEndpoint, writer: SchemaWriter): Json[] {
  const variants = writer.variantsOf(endpoint.input);
  const fields = new Map(variants.toReversed().flatMap(({ properties }) => Object.entries(properties)));
  const given = [...fields].flatMap(([name, { description, ...schema }]) => {
    const place = placeOf(endpoint, name);
    if (place === 'body') return [];
    const example = (endpoint.example as Json)[name];
    return {
      name: endpoint.inHeader?.[name] ?? name,
      in: place,
      ...described(description as string | undefined),
      ...(variants.every(({ required }) => required?.includes(name)) && { required: true }),
      schema,
      ...(example !== undefined && { example }),
      // Lists are sent as `a,b`. A record is sent as one parameter per key.
      ...(place === 'query' && schema.type === 'array' && { style: 'form', explode: false }),
      ...(place === 'query' && schema.type === 'object' && { style: 'form', explode: true }),
    };
  });
  const always = Object.entries(endpoint.query ?? {}).map(([name, value]) => {
    return { name, in: 'query', required: true, schema: { type: 'string', const: value } };
  });
  return [...given, ...always, ...(endpoint.supportsAttributes ? [attributes] : [])];
}

/** Returns where a field is sent: in the path if the template names it, otherwise as the endpoint and its method say. */
function placeOf(endpoint: Endpoint, field: string): 'path' | 'query' | 'header' | 'body' {
  if (new RegExp(`\\{${field}\\*?\\}`).test(endpoint.path)) return 'path';
  if (endpoint.inHeader?.[field] !== undefined) return 'header';
  if (endpoint.inQuery?.includes(field)) return 'query';
  return hasBody(endpoint.method) ? 'body' : 'query';
}

const attributes: Json = {
  name: 'attributes',
  in: 'query',
  description: 'The fields to return.',
  schema: { type: 'array', items: { type: 'string' } },
  style: 'form',
  explode: false,
};

/** The only part of an upload. Its other fields describe the file to the client and are not sent. */
const multipart: Json = {
  type: 'object',
  properties: { file: { contentMediaType: 'application/octet-stream' } },
  required: ['file'],
};

function bodyOf(endpoint: DescribedEndpoint, writer: SchemaWriter): Json {
  if (endpoint.requestBody === 'multipart') {
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema: multipart } } } };
  }
  const isInBody = (name: string): boolean => placeOf(endpoint, name) === 'body';
  const bodies = writer.variantsOf(endpoint.input).map(({ properties, required = [], ...rest }) => {
    const needed = required.filter(isInBody);
    return { ...rest, properties: pick(properties, isInBody), ...(needed.length > 0 && { required: needed }) };
  });
  if (bodies.every(({ properties }) => Object.keys(properties).length === 0)) return {};
  const schema = bodies.length > 1 ? { anyOf: bodies } : { ...bodies[0] };
  const example = pick(endpoint.example as Json, isInBody);
  return {
    requestBody: {
      required: bodies.every(({ required }) => required !== undefined),
      content: { 'application/json': { schema, example } },
    },
  };
}

function pick<T>(object: Readonly<Record<string, T>>, isWanted: (name: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => isWanted(name)));
}

function responsesOf({ errors, responseBody, output }: Endpoint, { returns }: Prose, writer: SchemaWriter): Json {
  const content =
    responseBody === 'stream'
      ? { 'application/octet-stream': {} }
      : { 'application/json': { schema: writer.write(output) } };
  const documented = Object.entries(Object.groupBy(errors, ({ status }) => status)).map(([status, those = []]) => {
    return [status, errorResponse(those.map(({ error, message }) => `${error.kind}: ${message}`).join('\n\n'), those)];
  });
  return {
    '2XX': { description: returns ?? 'Success.', content },
    ...(Object.fromEntries(documented) as Json),
    default: { $ref: '#/components/responses/Error' },
  };
}

function errorResponse(description: string, errors: readonly DocumentedError[] = []): Json {
  const examples = errors.map(({ status, code, message, cause = [], error }, index) => {
    const isFirst = errors.findIndex((each) => each.error === error) === index;
    const value = { message, ...(code !== undefined && { error: code }), status, cause };
    return [`${error.kind}${isFirst ? '' : index + 1}`, { value }];
  });
  const content = {
    schema: { $ref: '#/components/schemas/Error' },
    ...(errors.length > 0 && { examples: Object.fromEntries(examples) as Json }),
  };
  return { description, content: { 'application/json': content } };
}

/** An object of JSON Schema. */
interface ObjectSchema extends Json {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

/** Writes schemas as zod prints them in JSON Schema, with the prose of their fields. Named schemas become components. */
export class SchemaWriter {
  readonly #schemas: Catalogue['schemas'];
  readonly #written = new Map<string, Json>();

  constructor({ schemas }: Catalogue) {
    this.#schemas = schemas;
  }

  /** The components that are referred to, in alphabetical order. */
  components(): Json {
    return Object.fromEntries([...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  write(schema: StandardSchema): Json {
    const named = this.#schemas.get(schema);
    return named ? this.#reference(schema, named) : this.inline(schema);
  }

  /** Returns a component that was referred to. */
  component(type: string): Json {
    return this.#written.get(type) ?? {};
  }

  /** The objects that an input can be: several for a union. */
  variantsOf(input: StandardSchema): readonly ObjectSchema[] {
    const { anyOf, ...whole } = this.inline(input);
    return ((anyOf ?? [whole]) as Json[]).filter((each): each is ObjectSchema => each.properties !== undefined);
  }

  #reference(schema: StandardSchema, { type, text }: NamedSchema): Json {
    if (!this.#written.has(type)) {
      this.#written.set(type, {});
      this.#written.set(type, { ...described(text), ...this.inline(schema) });
    }
    return { $ref: `#/components/schemas/${type}` };
  }

  /** A schema itself; those that it contains are referred to if they have a name. */
  inline(schema: StandardSchema): Json {
    const printed = z.toJSONSchema(schema as unknown as z.$ZodType, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const each = zodSchema as unknown as StandardSchema;
        const named = this.#schemas.get(each);
        if (!named || each === schema) tidy(each, jsonSchema);
        else replace(jsonSchema, this.#reference(each, named));
      },
    });
    const { $schema: _, '~standard': __, ...json } = printed as Json;
    return withProse(json, this.#schemas.get(schema)?.fields ?? new Map());
  }
}

function replace(json: Json, other: Json): void {
  for (const key of Object.keys(json)) Reflect.deleteProperty(json, key);
  Object.assign(json, other);
}

/**
 * Removes what goes without saying: integers are exact, and objects may have additional fields. An id that the client also
 * takes as a number is sent as text.
 */
function tidy(schema: StandardSchema, json: Json): void {
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.propertyNames) Object.assign(json, { additionalProperties: true, propertyNames: undefined });
  else if (json.additionalProperties !== false) delete json.additionalProperties;
  if (factsOf(schema).type === 'string') json.type = 'string';
}

/** Adds the prose of fields, also of those within other fields, entries and variants. */
function withProse(json: Json, prose: Fields): Json {
  const { properties = {}, items, anyOf } = json as { properties?: Record<string, Json>; items?: Json; anyOf?: Json[] };
  for (const [name, field] of Object.entries(properties)) {
    const { text, inner } = prose.get(name) ?? {};
    properties[name] = { ...(inner ? withProse(field, inner()) : field), ...described(text) };
  }
  return {
    ...json,
    ...(items && { items: withProse(items, prose) }),
    ...(anyOf && { anyOf: anyOf.map((each) => withProse(each, prose)) }),
  };
}
