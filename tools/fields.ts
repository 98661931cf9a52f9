import { inspect, keywordsOf } from '../src/core/schema/schema.js';
import type { Shape, StandardSchema } from '../src/core/schema/schema.js';
import { shapesOf } from './catalogue.ts';
import type { Catalogue } from './catalogue.ts';
import type { Fields } from './sources.ts';

/** The titles of the columns of a table of fields. */
export const fieldColumns = ['Field', 'Type', 'Notes'];

/** The fields of a schema, one row each. The fields of an object without a name follow its field. */
export function fieldRows(schema: StandardSchema, all: Catalogue): string[][] {
  return rowsOf(shapesOf(schema), all.schemas.get(schema)?.fields ?? new Map(), all, '');
}

function rowsOf(shapes: readonly Shape[], prose: Fields, all: Catalogue, prefix: string): string[][] {
  const names = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  return [...names].flatMap((name) => {
    const variants = shapes.flatMap((shape) => shape[name] ?? []);
    const types = new Set(variants.map((each) => typeOf(each, all)));
    const isRequired = variants.length === shapes.length && variants.every((each) => inspect(each).kind !== 'optional');
    const { text = '', inner = () => new Map() } = prose.get(name) ?? {};
    const limits = new Set(variants.flatMap(limitsOf).filter((limit) => !states(text, limit)));
    const objects = variants.flatMap((each) => unnamedObjects(each, all));
    return [
      [`\`${prefix}${name}${isRequired ? '' : '?'}\``, [...types].join(' or '), [text, ...limits].join(' ')],
      ...rowsOf(objects, inner(), all, `${prefix}${name}.`),
    ];
  });
}

/** Whether prose already has the number that a limit ends with. */
function states(text: string, limit: string): boolean {
  return text.includes(/([\d,]+)[^\d]*$/.exec(limit)?.[1] ?? limit);
}

/** The limits of a schema, in sentences. */
function limitsOf(schema: StandardSchema): string[] {
  const found = inspect(schema);
  if (found.kind === 'optional' || found.kind === 'nullable') return limitsOf(found.of);
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = keywordsOf(schema);
  return [
    // A minimum of one character is obvious, and so is one of 0 for ids and offsets.
    ...range(minLength === 1 && maxLength === undefined ? undefined : minLength, maxLength, ' characters'),
    ...range(minimum === 0 ? undefined : minimum, maximum, ''),
    ...range(minItems, maxItems, ' entries'),
  ];
}

function range(least: number | undefined, most: number | undefined, unit: string): string[] {
  const [low, high] = [least?.toLocaleString('en'), most?.toLocaleString('en')];
  if (high === undefined) return low === undefined ? [] : [`At least ${low}${unit}.`];
  return [low === undefined ? `At most ${high}${unit}.` : `${low} to ${high}${unit}.`];
}

/** The objects that a field holds, also as entries of a list; none that have a section of their own. */
function unnamedObjects(schema: StandardSchema, all: Catalogue): readonly Shape[] {
  if (all.schemas.get(schema)?.isExported) return [];
  const found = inspect(schema);
  return found.kind === 'object' ? [found.shape] : partsOf(schema).flatMap((each) => unnamedObjects(each, all));
}

/** The schemas that a schema is made of. */
function partsOf(schema: StandardSchema): readonly StandardSchema[] {
  const found = inspect(schema);
  if (found.kind === 'object') return Object.values(found.shape);
  return 'of' in found ? [found.of].flat() : [];
}

/** The named schemas that these schemas contain, each once, in the order of their first use. */
export function schemasWithin(schemas: readonly StandardSchema[], all: Catalogue): Set<StandardSchema> {
  const found = new Set<StandardSchema>();
  const visit = (schema: StandardSchema): void => {
    if (found.has(schema)) return;
    if (all.schemas.get(schema)?.isExported) found.add(schema);
    partsOf(schema).forEach(visit);
  };
  schemas.forEach(visit);
  return found;
}

/** A schema's type in words, with links to the schemas that have a name. */
export function typeOf(schema: StandardSchema, all: Catalogue): string {
  const named = all.schemas.get(schema);
  if (named?.isExported) return `[${named.type}](#${named.type})`;
  const found = inspect(schema);
  switch (found.kind) {
    case 'string':
      return keywordsOf(schema).format === 'date-time' ? 'timestamp' : 'string';
    case 'int64':
      return 'integer or string of digits';
    case 'unknown':
      return 'any value';
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
    default:
      return found.kind;
  }
}
