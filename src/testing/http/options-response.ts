import type { Definition } from '../../core/schema/definition.js';
import type { Description } from '../../core/describe.js';
import type { Endpoint } from '../../core/endpoint.js';
import { definitionOf } from '../../core/schema/field.js';
import { matchPath } from '../../core/serialization/path-template.js';
import type { Schema, Shape } from '../../core/schema/schema.js';
import type { ResourceConventions } from './handler.js';

/** An endpoint with the conventions of its group. */
export interface DescribedEndpoint {
  readonly endpoint: Endpoint;
  readonly conventions: ResourceConventions;
}

/**
 * Describes the resource at a path, for the response to OPTIONS; `undefined` where there is none.
 * Spec: Common conventions 5.
 */
export function describePath(path: string, all: readonly DescribedEndpoint[]): Description | undefined {
  const matching = all.filter(({ endpoint }) => matchPath(endpoint.path, path) !== undefined);
  // `/questions/search` also matches `/questions/{question_id}`; the fixed path comes first.
  const own = matching.filter(({ endpoint }) => endpoint.path === matching[0]?.endpoint.path);
  if (!own[0]) return undefined;
  const name = groupOf(own[0].endpoint);
  const related = all.filter(({ endpoint }) => groupOf(endpoint) === name && endpoint.path !== own[0]?.endpoint.path);
  return {
    name,
    description: own.map(descriptionOf).join('. '),
    attributes: attributesOf(own.map(({ endpoint }) => endpoint)),
    methods: own.map((each) => ({
      method: each.endpoint.method,
      example: exampleOf(each.endpoint),
      description: descriptionOf(each),
    })),
    related_resources: [...new Set(related.map(({ endpoint }) => endpoint.path))],
    connections: {},
  };
}

function groupOf({ name }: Endpoint): string {
  return name.split('.')[0] ?? name;
}

function descriptionOf({ endpoint, conventions }: DescribedEndpoint): string {
  return conventions.descriptions?.[endpoint.name] ?? endpoint.name;
}

function attributesOf(endpoints: readonly Endpoint[]): Record<string, string> {
  const fields = endpoints.flatMap(({ output }) => Object.entries(shapeOf(output)));
  return Object.fromEntries(fields.map(([name, schema]) => [name, wordsFor(schema)]));
}

/** Returns the fields of a response: of an object, of the entries of a list, or of all members of a union. */
function shapeOf(schema: Schema): Shape {
  const definition = definitionOf(schema);
  switch (definition?.kind) {
    case 'entity':
      return definition.shape;
    case 'list':
    case 'read':
    case 'maybe':
      return shapeOf(definition.of);
    case 'either':
      return Object.assign({}, ...definition.of.map(shapeOf)) as Shape;
    default:
      return {};
  }
}

/** `POST /answers {question_id, text}`, `GET /questions/search?seller_id&item&...`. */
function exampleOf({ method, path, input }: Endpoint): string {
  const shape = 'shape' in input ? (input.shape as Shape) : {};
  const rest = Object.keys(shape).filter((name) => !path.includes(`{${name}`));
  if (rest.length === 0) return `${method} ${path}`;
  return method === 'POST' || method === 'PUT'
    ? `${method} ${path} {${rest.join(', ')}}`
    : `${method} ${path}?${rest.join('&')}`;
}

function wordsFor(schema: Schema): string {
  const definition = definitionOf(schema);
  return definition ? wordsOf(definition) : 'any value';
}

function wordsOf(definition: Definition): string {
  switch (definition.kind) {
    case 'text':
      return definition.format === 'date-time' ? 'timestamp, ISO 8601' : 'text';
    case 'wideInteger':
      return 'integer';
    case 'flag':
      return 'true or false';
    case 'anything':
      return 'any value';
    case 'map':
      return 'object';
    case 'enum':
      return `one of ${definition.values.join(', ')}`;
    case 'list':
      return `list of ${wordsFor(definition.of)}`;
    case 'either':
      return definition.of.map(wordsFor).join(' or ');
    case 'entity':
    case 'exact':
    case 'request':
      return `object of ${Object.keys(definition.shape).join(', ')}`;
    case 'maybe':
    case 'optional':
    case 'checked':
    case 'read':
      return wordsFor(definition.of);
    default:
      return definition.kind;
  }
}
