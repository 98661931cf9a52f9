import { printedSchema } from '../../tools/printed-schema.js';
import { controlError, controlResponses } from './control-responses.js';
import type { Control } from './control.js';

type Json = Readonly<Record<string, unknown>>;

/** Describes the control endpoints as an OpenAPI 3.1 document. */
export function describeControls(controls: Readonly<Record<string, Control>>): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [line, control] of Object.entries(controls)) {
    const [method = '', path = ''] = line.split(' ');
    const isOpen = path === '/__fake/health';
    const operation = { ...toOperation(line, control), ...(isOpen && { security: [] }) };
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

/** `POST /__fake/flex-items` is `postFlexItems`. */
function operationId(line: string): string {
  const words = line.toLowerCase().replace('/__fake/', '').split(/\W+/);
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
}

function content(schema: Json): Json {
  return { content: { 'application/json': { schema } } };
}

function toOperation(line: string, { summary, schema, query }: Control): Json {
  const done = controlResponses[line] ?? { type: 'object' };
  const isStream = line === 'GET /__fake/events';
  return {
    operationId: operationId(line),
    summary,
    ...(query && { parameters: query.map((name) => ({ name, in: 'query', schema: { type: 'string' } })) }),
    ...(schema && { requestBody: { required: true, ...content(printedSchema(schema)) } }),
    responses: {
      200: { description: 'Done', ...(isStream ? { content: { 'text/event-stream': {} } } : content(done)) },
      400: { description: 'The body is invalid; `message` says why', ...content(controlError) },
      403: { description: 'The control token is missing or wrong', ...content(controlError) },
    },
  };
}
