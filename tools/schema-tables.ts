import { factsOf, inspect } from '../src/core/schema/inspect.js';
import type { Shape } from '../src/core/schema/schema.js';
import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import { isOptional, shapesOf } from './catalogue.ts';
import type { Catalogue, Operation } from './catalogue.ts';
import { anchor, table, withSpec } from './markdown.ts';
import type { FieldProse } from './prose.ts';

type Fields = ReadonlyMap<string, FieldProse>;

/** The named schemas that a page refers to, each once, in the order of their first use. */
export function namedSchemas(operations: readonly Operation[], all: Catalogue): StandardSchema[] {
  const found = new Set<StandardSchema>();
  const visit = (schema: StandardSchema): void => {
    if (all.schemas.has(schema)) {
      if (found.has(schema)) return;
      found.add(schema);
    }
    within(schema).forEach((each) => visit(each));
  };
  for (const { endpoint } of operations) {
    for (const shape of shapesOf(endpoint.input)) Object.values(shape).forEach(visit);
    visit(endpoint.output);
  }
  return [...found];
}

export function schemaSection(schema: StandardSchema, all: Catalogue): string[] {
  const named = all.schemas.get(schema);
  if (!named) return [];
  const about = withSpec(all.prose.constants.get(named.constant));
  return [`## ${named.type}`, about, fieldTable(shapesOf(schema), all.prose.fieldsOf(named.constant), all)];
}

function fieldTable(shapes: readonly Shape[], prose: Fields, all: Catalogue): string {
  const rows = shapes.flatMap((shape) => fieldRows(shape, prose, all, ''));
  return table(['Field', 'Type', 'Required', 'Notes'], rows);
}

/** Returns one row per field. The fields of an unnamed object follow it. */
function fieldRows(shape: Shape, prose: Fields, all: Catalogue, prefix: string): string[][] {
  return Object.entries(shape).flatMap(([name, field]) => {
    const about = prose.get(name);
    const row = [`\`${prefix}${name}\``, typeOf(field, all), isOptional(field) ? '' : 'yes', notes(field, about)];
    const inner = hasName(field, all)
      ? []
      : objectsWithin(field).flatMap((each) => {
          return fieldRows(each, about?.inner() ?? new Map<string, FieldProse>(), all, `${prefix}${name}.`);
        });
    return [row, ...inner];
  });
}

function hasName(schema: StandardSchema, all: Catalogue): boolean {
  if (all.schemas.has(schema)) return true;
  return inspect(schema).kind !== 'object' && within(schema).some((each) => hasName(each, all));
}

/** The schemas that a schema is made of. */
function within(schema: StandardSchema): readonly StandardSchema[] {
  const found = inspect(schema);
  if (found.kind === 'object') return Object.values(found.shape);
  return 'of' in found ? [found.of].flat() : [];
}

/** The objects that a field holds, also as entries of a list. */
function objectsWithin(schema: StandardSchema): readonly Shape[] {
  const found = inspect(schema);
  const isWrapper = found.kind === 'optional' || found.kind === 'nullable' || found.kind === 'array';
  return isWrapper ? objectsWithin(found.of) : shapesOf(schema);
}

/** A schema's type in words, with links to the schemas that have a name. */
export function typeOf(schema: StandardSchema, all: Catalogue): string {
  const named = all.schemas.get(schema);
  if (named) return `[${named.type}](#${anchor(named.type)})`;
  const found = inspect(schema);
  switch (found.kind) {
    case 'string':
      return factsOf(schema).format === 'date-time' ? 'timestamp' : 'string';
    case 'integer':
    case 'number':
      return found.kind;
    case 'int64':
      return 'integer or string of digits';
    case 'boolean':
      return 'boolean';
    case 'record':
      return 'record';
    case 'enum':
      return found.values.map((value) => `\`${value}\``).join(', ') + (found.open ? ' or another value' : '');
    case 'array':
      return `list of ${typeOf(found.of, all)}`;
    case 'optional':
    case 'nullable':
    case 'preprocess':
      return typeOf(found.of, all);
    case 'union':
      return [...new Set(found.of.map((each) => typeOf(each, all)))].join(' or ');
    case 'object':
      return 'object';
    default:
      return 'any value';
  }
}

export function notes(field: StandardSchema, prose: FieldProse | undefined): string {
  const text = prose?.text ?? '';
  return [
    text,
    ...limitsOf(field)
      .filter(({ number }) => !text.includes(number))
      .map(({ sentence }) => sentence),
  ].join(' ');
}

interface Limit {
  /** The number, as prose writes it. */
  readonly number: string;
  readonly sentence: string;
}

/** Returns the limits of a schema. */
function limitsOf(schema: StandardSchema): Limit[] {
  const found = inspect(schema);
  if (found.kind === 'optional' || found.kind === 'nullable') return limitsOf(found.of);
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = factsOf(schema);
  return [
    ...range(minLength, maxLength, ' characters'),
    // A minimum of 0 is obvious for ids and offsets.
    ...range(minimum === 0 ? undefined : minimum, maximum, ''),
    ...range(minItems, maxItems, ' entries'),
  ];
}

function range(least: unknown, most: unknown, unit: string): Limit[] {
  const [low, high] = [written(least), written(most)];
  if (high !== undefined)
    return [{ number: high, sentence: `${low === undefined ? 'At most' : `${low} to`} ${high}${unit}.` }];
  return low === undefined ? [] : [{ number: low, sentence: `At least ${low}${unit}.` }];
}

function written(value: unknown): string | undefined {
  return typeof value === 'number' ? value.toLocaleString('en') : undefined;
}
