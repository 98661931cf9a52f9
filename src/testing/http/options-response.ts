import type { Definition } from '../../core/schema/definition.js';
import type { Description } from '../../core/describe.js';
import type { Endpoint } from '../../core/endpoint.js';
import { definitionOf } from '../../core/schema/field.js';
import { matchPath } from '../../core/serialization/path-template.js';
import type { Schema, Shape } from '../../core/schema/schema.js';
import type { ResourceConventions } from './handler.js';

/** An endpoint, and what its group says of it. */
export interface DescribedEndpoint {
  readonly endpoint: Endpoint;
  readonly manners: ResourceConventions;
}

/**
 * What a resource says of itself when it is asked with OPTIONS; `undefined` where there is none.
 * Spec: Common conventions 5.
 */
export function describePath(path: string, all: readonly DescribedEndpoint[]): Description | undefined {
  const here = all.filter(({ endpoint }) => matchPath(endpoint.path, path) !== undefined);
  // `/questions/search` is also what a question's path looks like; the fixed one comes first.
  const own = here.filter(({ endpoint }) => endpoint.path === here[0]?.endpoint.path);
  if (!own[0]) return undefined;
  const name = groupOf(own[0].endpoint);
  const related = all.filter(({ endpoint }) => groupOf(endpoint) === name && endpoint.path !== own[0]?.endpoint.path);
  return {
    name,
    description: own.map(sentenceOf).join('. '),
    attributes: attributesOf(own.map(({ endpoint }) => endpoint)),
    methods: own.map((each) => ({
      method: each.endpoint.method,
      example: exampleOf(each.endpoint),
      description: sentenceOf(each),
    })),
    related_resources: [...new Set(related.map(({ endpoint }) => endpoint.path))],
    connections: {},
  };
}

function groupOf({ name }: Endpoint): string {
  return name.split('.')[0] ?? name;
}

function sentenceOf({ endpoint, manners }: DescribedEndpoint): string {
  return manners.descriptions?.[endpoint.name] ?? endpoint.name;
}

function attributesOf(endpoints: readonly Endpoint[]): Record<string, string> {
  const fields = endpoints.flatMap(({ output }) => Object.entries(shapeOf(output)));
  return Object.fromEntries(fields.map(([name, schema]) => [name, wordsFor(schema)]));
}

/** The fields of what is delivered: of the object, of a list's entries, or of all the shapes it may have. */
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
