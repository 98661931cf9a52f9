import { inspect, keywordsOf } from '../core/schema/describe.js';
import type { StandardSchema } from '../core/schema/schema.js';

/** A JSON Schema. */
type Printed = Readonly<Record<string, unknown>>;

/** Prints a schema of zod as JSON Schema. With zod's own printer, each import of the package would read a fifth more. */
export function printedSchema(schema: StandardSchema): Printed {
  return { ...structureOf(schema), ...keywordsOf(schema) };
}

function structureOf(schema: StandardSchema): Printed {
  const found = inspect(schema);
  switch (found.kind) {
    case 'object': {
      const fields = Object.entries(found.shape);
      return {
        type: 'object',
        properties: Object.fromEntries(fields.map(([name, each]) => [name, printedSchema(each)])),
        required: fields.flatMap(([name, each]) => (inspect(each).kind === 'optional' ? [] : [name])),
      };
    }
    case 'optional':
    case 'preprocess':
      return printedSchema(found.of);
    case 'nullable':
      return { anyOf: [printedSchema(found.of), { type: 'null' }] };
    case 'array':
      return { type: 'array', items: printedSchema(found.of) };
    case 'union':
      return { anyOf: found.of.map(printedSchema) };
    case 'enum':
      return { type: 'string', ...(!found.open && { enum: found.values }) };
    case 'record':
      return { type: 'object' };
    case 'int64':
      return { type: 'string' };
    case 'unknown':
      return {};
    default:
      return { type: found.kind };
  }
}
