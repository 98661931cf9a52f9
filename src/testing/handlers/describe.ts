import type { Description } from '../../resources/describe.js';
import type { Endpoint } from '../../core/operation/endpoint.js';
import { inspect, keywordsOf, shapeOf, unwrapped, type Shape, type StandardSchema } from '../../core/schema/schema.js';
import { notFound, type Call } from '../http/handler.js';
import type { Routes } from '../http/routes.js';

/** Describes the resource at a path. Spec: Common conventions 5. @throws {ErrorResponse} 404 when there is none */
export function describePath({ path }: Pick<Call, 'path'>, routes: Routes): Description {
  const [first, ...others] = routes.at(path);
  if (!first) throw notFound(`There is no resource ${path}`);
  // `/questions/search` also matches `/questions/{question_id}`; the fixed path comes first.
  const own = [first, ...others.filter((endpoint) => endpoint.path === first.path)];
  const name = groupOf(first);
  const related = routes.all.filter((endpoint) => groupOf(endpoint) === name && endpoint.path !== first.path);
  return {
    name,
    description: own.map(({ summary }) => summary).join('. '),
    attributes: attributesOf(own),
    methods: own.map((endpoint) => ({
      method: endpoint.method,
      example: exampleOf(endpoint),
      description: endpoint.summary,
    })),
    related_resources: [...new Set(related.map((endpoint) => endpoint.path))],
    connections: {},
  };
}

function groupOf({ name }: Endpoint): string {
  return name.split('.')[0] ?? name;
}

function attributesOf(endpoints: readonly Endpoint[]): Record<string, string> {
  const fields = endpoints.flatMap(({ output }) => Object.entries(deliveredShape(output)));
  return Object.fromEntries(fields.map(([name, schema]) => [name, wordsFor(schema)]));
}

/** Returns the fields of a response: of an object, of the entries of a list, or of all members of a union. */
function deliveredShape(schema: StandardSchema): Shape {
  const found = unwrapped(schema);
  switch (found.kind) {
    case 'object':
      return found.shape;
    case 'array':
      return deliveredShape(found.of);
    case 'union':
      return Object.assign({}, ...found.of.map(deliveredShape)) as Shape;
    default:
      return {};
  }
}

/** `POST /answers {question_id, text}`, `GET /questions/search?seller_id&item&...`. */
function exampleOf({ method, path, input }: Endpoint): string {
  const rest = Object.keys(shapeOf(input)).filter((name) => !path.includes(`{${name}`));
  if (rest.length === 0) return `${method} ${path}`;
  return method === 'POST' || method === 'PUT'
    ? `${method} ${path} {${rest.join(', ')}}`
    : `${method} ${path}?${rest.join('&')}`;
}

function wordsFor(schema: StandardSchema): string {
  const found = inspect(schema);
  switch (found.kind) {
    case 'string':
      return keywordsOf(schema).format === 'date-time' ? 'timestamp, ISO 8601' : 'text';
    case 'int64':
      return 'integer';
    case 'boolean':
      return 'true or false';
    case 'unknown':
      return 'any value';
    case 'record':
      return 'object';
    case 'enum':
      return `one of ${found.values.join(', ')}`;
    case 'array':
      return `list of ${wordsFor(found.of)}`;
    case 'union':
      return found.of.map(wordsFor).join(' or ');
    case 'object':
      return `object of ${Object.keys(found.shape).join(', ')}`;
    case 'optional':
    case 'nullable':
    case 'preprocess':
      return wordsFor(found.of);
    default:
      return found.kind;
  }
}
