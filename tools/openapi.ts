import * as z from 'zod/v4/core';
import type { DescribedEndpoint, Endpoint } from '../src/core/endpoint.js';
import { factsOf } from '../src/core/schema/inspect.js';
import type { DocumentedError } from '../src/core/errors/documented-error.js';
import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import type { Catalogue, NamedSchema, Operation } from './catalogue.ts';
import { aboutCommon } from './reference.ts';
import type { Fields } from './sources.ts';

type Json = Record<string, unknown>;

const aboutShapes = [
  'Responses may have additional fields, contain a documented integer as a string of digits, and omit every field',
  'that is not required here, or set it to null. Requests must match exactly.',
].join(' ');

/** The OpenAPI 3.1 document of everything in the catalogue. */
export function openapi(all: Catalogue): Json {
  const writer = new SchemaWriter(all);
  const paths: Record<string, Json> = {};
  for (const operation of all.operations) {
    const { method, path } = operation.endpoint;
    const place = (paths[path.replace('*}', '}')] ??= {});
    place[method.toLowerCase()] = operationObject(operation, writer);
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
      responses: { Error: errorResponse('An error. The HTTP status decides the class.', []) },
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
  const firsts = operations.filter(
    (each, index) => index === operations.findIndex(({ resource }) => resource === each.resource),
  );
  return firsts.map(({ resource, about }) => ({
    name: resource,
    ...described(resource === 'common' ? aboutCommon : about),
  }));
}

function described(text: string | undefined): Json {
  return text ? { description: text } : {};
}

function operationObject({ endpoint, resource, method: { prose } }: Operation, writer: SchemaWriter): Json {
  const parameters = parametersOf(endpoint, writer);
  return {
    operationId: endpoint.name,
    tags: [resource],
    summary: endpoint.summary,
    ...described(prose.text.replace(/\s+/g, ' ')),
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(endpoint, writer),
    responses: { '2XX': success(endpoint, prose.returns, writer), ...errorResponses(endpoint) },
    'x-retry': endpoint.retry,
  };
}

/** The fields of an endpoint's input. A field that is not in every variant of the input is optional. */
function inputFields(endpoint: Endpoint, writer: SchemaWriter): { name: string; schema: Json; required: boolean }[] {
  const variants = writer.variantsOf(endpoint.input);
  const names = [...new Set(variants.flatMap(({ properties }) => Object.keys(properties)))];
  return names.map((name) => ({
    name,
    schema: variants.find(({ properties }) => properties[name])?.properties[name] ?? {},
    required: variants.every(({ required = [] }) => required.includes(name)),
  }));
}

function parametersOf(endpoint: DescribedEndpoint, writer: SchemaWriter): Json[] {
  const given = inputFields(endpoint, writer).flatMap(({ name, required, schema: { description, ...schema } }) => {
    const place = placeOf(endpoint, name);
    if (place === 'body') return [];
    const about = described(description as string | undefined);
    const common = { ...about, ...(required && { required }), schema, ...exampleOf(endpoint, name) };
    if (place === 'header') return [{ name: endpoint.inHeader?.[name], in: 'header', ...common }];
    return [{ name, in: place, ...common, ...(place === 'query' && styleOf(schema)) }];
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
  return endpoint.method === 'POST' || endpoint.method === 'PUT' ? 'body' : 'query';
}

/** The value of a field in the example of its endpoint. */
function exampleOf({ example }: DescribedEndpoint, field: string): Json {
  const value = (example as Json)[field];
  return value === undefined ? {} : { example: value };
}

const attributes: Json = {
  name: 'attributes',
  in: 'query',
  description: 'The fields to return.',
  schema: { type: 'array', items: { type: 'string' } },
  style: 'form',
  explode: false,
};

/** Lists are sent as `a,b`. A record is sent as one parameter per key. */
function styleOf(schema: Json): Json {
  if (schema.type === 'array') return { style: 'form', explode: false };
  return schema.type === 'object' ? { style: 'form', explode: true } : {};
}

/** The only part of an upload. Its other fields describe the file to the client and are not sent. */
const multipartFile: Json = {
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { file: { contentMediaType: 'application/octet-stream' } },
          required: ['file'],
        },
      },
    },
  },
};

function bodyOf(endpoint: DescribedEndpoint, writer: SchemaWriter): Json {
  if (endpoint.requestBody === 'multipart') return multipartFile;
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

function success(endpoint: Endpoint, returns: string | undefined, writer: SchemaWriter): Json {
  const description = returns ?? 'Success.';
  if (endpoint.responseBody === 'stream') return { description, content: { 'application/octet-stream': {} } };
  return { description, content: { 'application/json': { schema: writer.write(endpoint.output) } } };
}

function errorResponses({ errors }: Endpoint): Json {
  const statuses = [...new Set(errors.map(({ status }) => status))].sort((a, b) => a - b);
  const documented = statuses.map((status) => {
    const those = errors.filter((each) => each.status === status);
    return [
      String(status),
      errorResponse(those.map((each) => `${each.error.kind}: ${each.message}`).join('\n\n'), those),
    ];
  });
  return { ...(Object.fromEntries(documented) as Json), default: { $ref: '#/components/responses/Error' } };
}

function errorResponse(description: string, errors: readonly DocumentedError[]): Json {
  const examples = Object.fromEntries(
    errors.map(({ status, code, message, cause, error }, index) => {
      const name =
        errors.findIndex((each) => each.error === error) === index ? error.kind : `${error.kind}${index + 1}`;
      return [name, { value: { message, ...(code !== undefined && { error: code }), status, cause: cause ?? [] } }];
    }),
  );
  const content = { schema: { $ref: '#/components/schemas/Error' }, ...(errors.length > 0 && { examples }) };
  return { description, content: { 'application/json': content } };
}

/** An object of JSON Schema. */
interface ObjectSchema extends Json {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

/** Writes schemas as zod prints them in JSON Schema, with the prose of their fields. Named schemas become components. */
class SchemaWriter {
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
    return named ? this.#reference(schema, named) : this.#inline(schema);
  }

  /** The objects that an input can be: several for a union. */
  variantsOf(input: StandardSchema): readonly ObjectSchema[] {
    const { anyOf, ...whole } = this.#inline(input);
    return ((anyOf ?? [whole]) as Json[]).filter((each): each is ObjectSchema => each.properties !== undefined);
  }

  #reference(schema: StandardSchema, { type, text }: NamedSchema): Json {
    if (!this.#written.has(type)) {
      this.#written.set(type, {});
      this.#written.set(type, { ...described(text), ...this.#inline(schema) });
    }
    return { $ref: `#/components/schemas/${type}` };
  }

  #inline(schema: StandardSchema): Json {
    const printed = z.toJSONSchema(schema as unknown as z.$ZodType, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const each = zodSchema as unknown as StandardSchema;
        const named = this.#schemas.get(each);
        if (named && each !== schema) replace(jsonSchema, this.#reference(each, named));
        else tidy(each, jsonSchema);
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
  if (prose.size === 0) return json;
  const { properties, items, anyOf } = json as { properties?: Record<string, Json>; items?: Json; anyOf?: Json[] };
  const told = Object.entries(properties ?? {}).map(([name, field]) => {
    const about = prose.get(name);
    return [name, about ? { ...withProse(field, about.inner()), ...described(about.text) } : field];
  });
  return {
    ...json,
    ...(properties && { properties: Object.fromEntries(told) as Json }),
    ...(items && { items: withProse(items, prose) }),
    ...(anyOf && { anyOf: anyOf.map((each) => withProse(each, prose)) }),
  };
}
