import type { Description } from '../../core/describe.js';
import type { DescribedEndpoint, Endpoint } from '../../core/endpoint.js';
import { inspect, keywordsOf, shapeOf } from '../../core/schema/inspect.js';
import { matchPath } from '../../core/serialization/path-template.js';
import type { Shape } from '../../core/schema/schema.js';
import type { StandardSchema } from '../../core/schema/standard-schema.js';

/**
 * Describes the resource at a path, for the response to OPTIONS; `undefined` if there is none.
 * Spec: Common conventions 5.
 */
export function describePath(path: string, all: readonly DescribedEndpoint[]): Description | undefined {
  const matching = all.filter((endpoint) => matchPath(endpoint.path, path) !== undefined);
  // `/questions/search` also matches `/questions/{question_id}`; the fixed path comes first.
  const own = matching.filter((endpoint) => endpoint.path === matching[0]?.path);
  if (!own[0]) return undefined;
  const name = groupOf(own[0]);
  const related = all.filter((endpoint) => groupOf(endpoint) === name && endpoint.path !== own[0]?.path);
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
  const found = inspect(schema);
  switch (found.kind) {
    case 'object':
      return found.shape;
    case 'array':
    case 'preprocess':
    case 'optional':
    case 'nullable':
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
