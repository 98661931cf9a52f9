import { inspect } from '../../core/schema/inspect.js';
import type { StandardSchema } from '../../core/schema/standard-schema.js';
import type { Control } from './control.js';

type Json = Readonly<Record<string, unknown>>;

/** The control endpoints that the dashboard handles itself. */
export const builtInControls: Readonly<Record<string, Pick<Control, 'summary'>>> = {
  'GET /__fake/health': { summary: 'Tells that the server runs; needs no control token' },
  'POST /__fake/reset': { summary: 'Restores the initial state' },
  'GET /__fake/state': { summary: 'Returns the current state' },
  'GET /__fake/requests': {
    summary: 'Returns the newest 1,000 requests, or those that match the filters of the query',
  },
  'DELETE /__fake/requests': { summary: 'Removes all recorded requests' },
  'GET /__fake/events': { summary: 'Streams requests and state as server-sent events' },
  'GET /__fake/openapi.json': { summary: 'Returns this document' },
};

/** Describes the control endpoints as an OpenAPI 3.1 document. */
export function describeControls(controls: Readonly<Record<string, Control>>): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [line, { summary, schema }] of Object.entries<Pick<Control, 'summary'> & Partial<Control>>({
    ...builtInControls,
    ...controls,
  })) {
    const [method = '', path = ''] = line.split(' ');
    const isOpen = path === '/__fake/health';
    const operation = { ...toOperation(summary, schema), ...(isOpen && { security: [] }) };
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Control endpoints of the fake marketplace', version: '1' },
    components: { securitySchemes: { controlToken: { type: 'apiKey', in: 'header', name: 'x-fake-token' } } },
    security: [{ controlToken: [] }],
    paths,
  };
}

function toOperation(summary: string, schema: StandardSchema | undefined): Json {
  return {
    summary,
    ...(schema && { requestBody: { content: { 'application/json': { schema: toJsonSchema(schema) } } } }),
    responses: {
      200: { description: 'Done' },
      400: { description: 'The body is invalid; `message` says why' },
      403: { description: 'The control token is missing or wrong' },
    },
  };
}

function toJsonSchema(schema: StandardSchema): Json {
  const found = inspect(schema);
  switch (found.kind) {
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(Object.entries(found.shape).map(([name, field]) => [name, toJsonSchema(field)])),
        required: Object.entries(found.shape).flatMap(([name, field]) => (isOptional(field) ? [] : [name])),
      };
    case 'array':
      return { type: 'array', items: toJsonSchema(found.of) };
    case 'optional':
    case 'nullable':
    case 'preprocess':
      return toJsonSchema(found.of);
    case 'union':
      return { anyOf: found.of.map(toJsonSchema) };
    case 'enum':
      return { type: 'string', enum: found.values };
    case 'int64':
      return { type: 'integer' };
    case 'record':
      return { type: 'object' };
    case 'unknown':
      return {};
    default:
      return { type: found.kind };
  }
}

function isOptional(field: StandardSchema): boolean {
  return inspect(field).kind === 'optional';
}
