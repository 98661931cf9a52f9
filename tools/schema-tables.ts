import { inspect, keywordsOf } from '../src/core/schema/inspect.js';
import type { Shape } from '../src/core/schema/schema.js';
import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import { isOptional, shapesOf } from './catalogue.ts';
import type { Catalogue, PublicMethod } from './catalogue.ts';
import { table } from './markdown.ts';
import type { FieldProse, MethodProse } from './prose.ts';
import { notes } from './schema-notes.ts';

type Fields = ReadonlyMap<string, FieldProse>;

/** The named schemas that a page refers to, each once, in the order of their first use. */
export function namedSchemas(methods: readonly PublicMethod[], all: Catalogue): StandardSchema[] {
  const found = new Set<StandardSchema>();
  const visit = (schema: StandardSchema): void => {
    if (all.schemas.has(schema)) {
      if (found.has(schema)) return;
      found.add(schema);
    }
    within(schema).forEach((each) => visit(each));
  };
  for (const { endpoint } of methods) {
    if (!endpoint) continue;
    for (const shape of shapesOf(endpoint.input)) Object.values(shape).forEach(visit);
    visit(endpoint.output);
  }
  for (const { method } of methods) returnedBy(method, all).forEach(({ schema }) => visit(schema));
  return [...found];
}

/** The named schemas that the declared result of a method names. */
export function returnedBy({ signatures }: MethodProse, all: Catalogue): { type: string; schema: StandardSchema }[] {
  const words = new Set(signatures.flatMap((each) => each.slice(each.lastIndexOf('): ')).match(/\w+/g) ?? []));
  return [...all.schemas].filter(([, { type }]) => words.has(type)).map(([schema, { type }]) => ({ type, schema }));
}

export function schemaSection(schema: StandardSchema, all: Catalogue): string[] {
  const named = all.schemas.get(schema);
  if (!named) return [];
  const about = all.prose.constants.get(named.constant)?.text ?? '';
  return [`## ${named.type}`, about, schemaFields(schema, all)];
}

/** The fields of a named schema. */
export function schemaFields(schema: StandardSchema, all: Catalogue): string {
  const prose = all.prose.fieldsOf(all.schemas.get(schema)?.constant ?? '');
  const rows = shapesOf(schema).flatMap((shape) => fieldRows(shape, prose, all, ''));
  return table(['Field', 'Type', 'Notes'], rows);
}

/** Returns one row per field. The fields of an unnamed object follow it. */
function fieldRows(shape: Shape, prose: Fields, all: Catalogue, prefix: string): string[][] {
  return Object.entries(shape).flatMap(([name, field]) => {
    const about = prose.get(name);
    const row = [`\`${prefix}${name}${isOptional(field) ? '?' : ''}\``, typeOf(field, all), notes(field, about)];
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

/** A link to a named schema, which is on the same page. */
export function linkTo(type: string): string {
  return `[${type}](#${type})`;
}

/** A schema's type in words, with links to the schemas that have a name. */
export function typeOf(schema: StandardSchema, all: Catalogue): string {
  const named = all.schemas.get(schema);
  if (named) return linkTo(named.type);
  const found = inspect(schema);
  switch (found.kind) {
    case 'string':
      return keywordsOf(schema).format === 'date-time' ? 'timestamp' : 'string';
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
