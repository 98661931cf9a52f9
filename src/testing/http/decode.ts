import { exact } from '../../core/json/json.js';
import { hasBody } from '../../core/operation/endpoint.js';
import type { Endpoint } from '../../core/operation/endpoint.js';
import { matchPath } from './match-path.js';
import { openFieldOf, shapeOf, unwrapped } from '../../core/schema/describe.js';
import type { StandardSchema } from '../../core/schema/schema.js';

/**
 * The reverse of `encode`: reads the input from a request. The input schema must then check it.
 */
export function decode(
  endpoint: Endpoint,
  sent: { path: string; query: URLSearchParams; headers: Headers; body?: unknown },
): Readonly<Record<string, unknown>> {
  const shape = shapeOf(endpoint.input);
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(matchPath(endpoint.path, sent.path) ?? {}))
    input[name] = endpoint.path.includes(`{${name}*}`)
      ? `/${value}`
      : shape[name]
        ? fromText(shape[name], value)
        : value;
  for (const [name, header] of Object.entries(endpoint.inHeader ?? {})) {
    const value = sent.headers.get(header);
    if (value !== null) input[name] = shape[name] ? fromText(shape[name], value) : value;
  }
  const isBodyless = !hasBody(endpoint.method);
  const spread = openFieldOf(shape);
  for (const [name, value] of sent.query) {
    if (endpoint.query?.[name] !== undefined) continue;
    const field = shape[name];
    if (field && (isBodyless || endpoint.inQuery?.includes(name))) input[name] = fromText(field, value);
    else if (spread && isBodyless) input[spread] = { ...(input[spread] as object | undefined), [name]: value };
  }
  return typeof sent.body === 'object' && sent.body !== null ? { ...sent.body, ...input } : input;
}

function fromText(field: StandardSchema, value: string): unknown {
  switch (unwrapped(field).kind) {
    case 'array':
      return value === '' ? [] : value.split(',');
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'integer':
    case 'int64':
      return exact(value);
    default:
      return value;
  }
}
