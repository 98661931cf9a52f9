import type { Endpoint } from '../../core/operation/endpoint.js';
import { openFieldOf, shapeOf } from '../../core/schema/describe.js';
import type { JsonSchema } from '../../tools/portable-schema.js';
import { UsageError } from '../errors.js';
import type { Option, Values } from '../options.js';

const path = 'path of a file';

/** Returns the input as the terminal takes it: a file as a path, and filters with any name. */
export function terminalInput({ requestBody, input }: Endpoint, { properties, ...rest }: JsonSchema): JsonSchema {
  const open = openFieldOf(shapeOf(input));
  const { [open ?? '']: filters, file, ...others } = { ...properties };
  return {
    ...rest,
    properties: {
      ...others,
      ...(open !== undefined && { [open]: { type: 'object', description: filters?.description ?? '' } }),
      ...(file && {
        file: requestBody === 'multipart' ? { type: 'string', description: 'The file.', format: path } : file,
      }),
    },
  };
}

/** Returns the options for the fields of an input; those of an object have dots, e.g. `--to.user_id`. */
export function fieldOptions({ properties = {}, required = [] }: JsonSchema, prefix = ''): [string, Option][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (schema.properties) return fieldOptions(schema, `${prefix}${name}.`);
    const need = required.includes(name) ? 'required' : 'optional';
    const isRepeatable = schema.type === 'array' || isRecord(schema);
    const text = `${need}; ${schema.description ?? name}`;
    return [[prefix + name, { value: placeholder(schema), text, ...(isRepeatable && { repeatable: true as const }) }]];
  });
}

function placeholder({ type, items, enum: values, format, pattern, ...rest }: JsonSchema): string {
  if (format === path) return 'PATH';
  if (pattern === '^\\d+$') return 'NUMBER';
  if (type === 'array') return placeholder(items ?? {});
  if (Array.isArray(values)) return 'WORD';
  if (isRecord({ ...rest, ...(type !== undefined && { type }) })) return 'NAME=VALUE';
  return { boolean: 'true|false', string: 'TEXT', object: 'JSON' }[String(type)] ?? 'NUMBER';
}

function isRecord({ type, properties }: JsonSchema): boolean {
  return type === 'object' && properties === undefined;
}

/** Returns the input that a command line gives. The endpoint's schema checks it. @throws {UsageError} for wrong JSON */
export function inputFrom(values: Values, { properties = {} }: JsonSchema, prefix = ''): Record<string, unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, fieldFrom(values, schema, prefix + name)]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
}

function fieldFrom(values: Values, schema: JsonSchema, name: string): unknown {
  if (schema.properties) {
    const inner = inputFrom(values, schema, `${name}.`);
    return Object.keys(inner).length === 0 ? undefined : inner;
  }
  if (schema.type !== 'array' && !isRecord(schema)) {
    const text = values.text(name);
    return text === undefined ? undefined : valueOf(schema, text, name);
  }
  const texts = values.all(name);
  if (texts.length === 0) return undefined;
  if (isRecord(schema)) return Object.fromEntries(texts.map((text) => pairOf(text, name)));
  return texts.map((text) => valueOf(schema.items ?? {}, text, name));
}

function pairOf(text: string, name: string): [string, string] {
  const [, field, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (field === undefined || value === undefined) throw new UsageError(`--${name} takes NAME=VALUE, not "${text}"`);
  return [field, value];
}

/** A value of another type stays text: the schema then says what its field takes. */
function valueOf({ type }: JsonSchema, text: string, name: string): unknown {
  if (type === 'object') return parsed(text, name);
  if (type === 'boolean') return { true: true, false: false }[text] ?? text;
  if ((type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  return text;
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`--${name} takes JSON`);
  }
}
