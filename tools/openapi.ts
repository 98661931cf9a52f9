import type { DescribedEndpoint, Endpoint } from '../src/core/endpoint.js';
import { inspect, keywordsOf } from '../src/core/schema/inspect.js';
import type { DocumentedError } from '../src/core/errors/documented-error.js';
import type { Shape } from '../src/core/schema/schema.js';
import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import { isOptional, placeOf, shapesOf } from './catalogue.ts';
import type { Catalogue, Operation, PublicMethod } from './catalogue.ts';
import type { FieldProse } from './prose.ts';

type Json = Record<string, unknown>;
type Fields = ReadonlyMap<string, FieldProse>;

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
    place[method.toLowerCase()] = operationObject(operation, writer, all);
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
  const tags = new Map<string, string>();
  for (const { endpoint, owner } of operations) {
    const tag = tagOf(endpoint);
    if (!tags.has(tag)) tags.set(tag, tag === 'common' ? aboutCommon : owner.prose.text);
  }
  return [...tags].map(([name, text]) => ({ name, ...described(text) }));
}

/** The description of the methods of the client itself. */
export const aboutCommon = 'Methods of the client itself, which apply to every resource.';

/** The resource that a method belongs to: the first word of its name, or `common` for a method of the client itself. */
export function tagOf({ name }: Pick<PublicMethod, 'name'>): string {
  return name.includes('.') ? name.replace(/\..*/, '') : 'common';
}

function described(text: string | undefined): Json {
  return text ? { description: text } : {};
}

function operationObject({ endpoint, method: { prose } }: Operation, writer: SchemaWriter, all: Catalogue): Json {
  const parameters = parametersOf(endpoint, writer, all);
  return {
    operationId: endpoint.name,
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    ...described(prose.text.replace(/\s+/g, ' ')),
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(endpoint, writer, all),
    responses: { '2XX': success(endpoint, prose.returns, writer), ...errorResponses(endpoint) },
    'x-retry': endpoint.retry,
  };
}

/** The fields of an endpoint's input. A field that is not in every variant of the input is optional. */
function inputFields(
  endpoint: Endpoint,
  all: Catalogue,
): { name: string; field: StandardSchema; required: boolean; prose: FieldProse | undefined }[] {
  const shapes = shapesOf(endpoint.input);
  const prose = all.prose.fieldsOf(all.schemas.get(endpoint.input)?.constant ?? '');
  const names = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  return names.map((name) => ({
    name,
    field: shapes.find((shape) => shape[name])?.[name] as StandardSchema,
    required: shapes.every((shape) => !isOptional(shape[name])),
    prose: prose.get(name),
  }));
}

function parametersOf(endpoint: DescribedEndpoint, writer: SchemaWriter, all: Catalogue): Json[] {
  const given = inputFields(endpoint, all).flatMap(({ name, field, required, prose }) => {
    const place = placeOf(endpoint, name);
    if (place === 'body') return [];
    const schema = writer.write(field, prose?.inner());
    const common = { ...described(prose?.text), ...(required && { required }), schema, ...exampleOf(endpoint, name) };
    if (place === 'header') return [{ name: endpoint.inHeader?.[name], in: 'header', ...common }];
    return [{ name, in: place, ...common, ...(place === 'query' && styleOf(schema)) }];
  });
  const always = Object.entries(endpoint.query ?? {}).map(([name, value]) => {
    return { name, in: 'query', required: true, schema: { type: 'string', const: value } };
  });
  return [...given, ...always, ...(endpoint.supportsAttributes ? [attributes] : [])];
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

function bodyOf(endpoint: DescribedEndpoint, writer: SchemaWriter, all: Catalogue): Json {
  const bodies = shapesOf(endpoint.input).map((shape) => {
    return Object.fromEntries(Object.entries(shape).filter(([name]) => placeOf(endpoint, name) === 'body'));
  });
  if (endpoint.requestBody === 'multipart') return multipartFile;
  if (bodies.every((shape) => Object.keys(shape).length === 0)) return {};
  const prose = all.prose.fieldsOf(all.schemas.get(endpoint.input)?.constant ?? '');
  const schemas = bodies.map((shape) => writer.object(shape, prose, { additionalProperties: false }));
  const schema = schemas.length > 1 ? { anyOf: schemas } : { ...schemas[0] };
  const example = Object.fromEntries(
    Object.entries(endpoint.example as Json).filter(([name]) => placeOf(endpoint, name) === 'body'),
  );
  return {
    requestBody: {
      required: bodies.every((shape) => Object.values(shape).some((field) => !isOptional(field))),
      content: { 'application/json': { schema, example } },
    },
  };
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

/** Writes schemas as JSON Schema. Named schemas become components. */
class SchemaWriter {
  readonly #all: Catalogue;
  readonly #written = new Map<string, Json>();

  constructor(all: Catalogue) {
    this.#all = all;
  }

  /** The components that are referred to, in alphabetical order. */
  components(): Json {
    return Object.fromEntries([...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  write(schema: StandardSchema, prose?: Fields): Json {
    const named = this.#all.schemas.get(schema);
    if (!named) return this.#inline(schema, prose);
    if (!this.#written.has(named.type)) {
      this.#written.set(named.type, {});
      const about = this.#all.prose.constants.get(named.constant)?.text;
      this.#written.set(named.type, {
        ...described(about),
        ...this.#inline(schema, this.#all.prose.fieldsOf(named.constant)),
      });
    }
    return { $ref: `#/components/schemas/${named.type}` };
  }

  object(shape: Shape, prose: Fields | undefined, extra: Json = {}): Json {
    const properties = Object.entries(shape).map(([name, field]) => {
      const about = prose?.get(name);
      return [name, { ...this.write(field, about?.inner()), ...described(about?.text) }];
    });
    const required = Object.keys(shape).filter((name) => !isOptional(shape[name]));
    return {
      type: 'object',
      properties: Object.fromEntries(properties) as Json,
      ...(required.length > 0 && { required }),
      ...extra,
    };
  }

  #inline(schema: StandardSchema, prose?: Fields): Json {
    const found = inspect(schema);
    const { type: _, anyOf: __, ...facts } = keywordsOf(schema);
    switch (found.kind) {
      case 'string':
      case 'number':
      case 'integer':
      case 'boolean':
        return { type: found.kind, ...facts };
      case 'int64':
        return { type: ['integer', 'string'], pattern: '^-?\\d+$', ...facts };
      case 'record':
        return { type: 'object', additionalProperties: true };
      case 'enum': {
        const known: Json = { type: 'string', enum: found.values };
        return found.open ? { anyOf: [known, { type: 'string' }], ...facts } : known;
      }
      case 'array':
        return { type: 'array', items: this.write(found.of, prose), ...facts };
      case 'nullable':
        return nullable(this.write(found.of, prose));
      case 'optional':
      case 'preprocess':
        return { ...this.write(found.of, prose), ...facts };
      case 'union':
        return { anyOf: found.of.map((each) => this.write(each, prose)) };
      case 'object':
        return this.object(found.shape, prose, found.unknownKeys === 'reject' ? { additionalProperties: false } : {});
      default:
        return {};
    }
  }
}

function nullable(schema: Json): Json {
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema.type === 'string' && schema.enum === undefined) return { ...schema, type: [schema.type, 'null'] };
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...(schema.anyOf as Json[]), { type: 'null' }] };
  return { anyOf: [schema, { type: 'null' }] };
}
