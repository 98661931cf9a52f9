import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import { isOptional, shapesOf } from './catalogue.ts';
import type { Catalogue, PublicMethod } from './catalogue.ts';
import { codeSpan } from './export-sections.ts';
import type { Export, Member } from './exports.ts';
import { table } from './markdown.ts';
import { notes } from './schema-notes.ts';
import { typeOf } from './schema-tables.ts';

/** The input of a method that calls an endpoint. */
interface MethodInput {
  /** The name of its type, if users can import it. */
  readonly type: string | undefined;
  readonly schema: StandardSchema;
  /** Fields that the method reads itself and does not send. */
  readonly members: readonly Member[];
}

/** Returns the input that a method declares: a schema, an interface that extends one, or the input of its endpoint. */
export function inputOf(
  { endpoint, method }: PublicMethod,
  exports: readonly Export[],
  all: Catalogue,
): MethodInput | undefined {
  if (!endpoint) return undefined;
  const type = /\binput: (\w+)/.exec(method.signatures[0] ?? '')?.[1] ?? '';
  const schema = schemaNamed(type, all);
  if (schema) return { type, schema, members: [] };
  const declared = exports.find(({ name, kind }) => name === type && kind === 'interface');
  const base = declared?.bases.map((each) => schemaNamed(each, all)).find((each) => each !== undefined);
  if (declared && base) return { type, schema: base, members: declared.members };
  return { type: all.schemas.get(endpoint.input)?.type, schema: endpoint.input, members: [] };
}

function schemaNamed(type: string, all: Catalogue): StandardSchema | undefined {
  return [...all.schemas].find(([, named]) => named.type === type)?.[0];
}

/** The fields of the input of a method. */
export function inputTable(operation: PublicMethod, exports: readonly Export[], all: Catalogue): string[] {
  const input = inputOf(operation, exports, all);
  if (!input) return [];
  const title = input.type === undefined ? '**Input**' : `**Input** (\`${input.type}\`)`;
  const rows = [...fieldRows(input.schema, all), ...input.members.map(memberRow)];
  if (rows.length > 0) return [title, table(['Field', 'Type', 'Notes'], rows)];
  return [input.type === undefined ? '**Input**: none.' : `**Input**: none (\`${input.type}\`).`];
}

function fieldRows(schema: StandardSchema, all: Catalogue): string[][] {
  const shapes = shapesOf(schema);
  const prose = all.prose.fieldsOf(all.schemas.get(schema)?.constant ?? '');
  const names = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  return names.map((name) => {
    const field = shapes.find((shape) => shape[name])?.[name] as StandardSchema;
    const isNeeded = shapes.every((shape) => !isOptional(shape[name]));
    return [`\`${name}${isNeeded ? '' : '?'}\``, typeOf(field, all), notes(field, prose.get(name))];
  });
}

function memberRow({ name, code, optional, prose }: Member): string[] {
  return [`\`${name}${optional ? '?' : ''}\``, code === 'boolean' ? code : codeSpan(code), prose.text];
}
