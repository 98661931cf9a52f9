import type { Endpoint } from '../../core/operation/endpoint.js';
import { decode } from '../http/decode.js';
import { shapeOf } from '../../core/schema/describe.js';
import { validate } from '../../core/schema/validate.js';
import type { Call } from '../http/call.js';
import { badRequest } from '../http/handler.js';
import { formOf, readUpTo } from '../http/request-body.js';
import { readJsonObject } from '../http/read-request.js';
import type { JsonObject } from '../http/read-request.js';

/** What a text in a path, a query or a header can stand for, besides itself. */
const readings: readonly ((text: string) => unknown)[] = [
  dateOf,
  numberOf,
  (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
  (text) => text.split(','),
  (text) => text.split(',').map(numberOf),
];

/**
 * Reads the input of a call of any endpoint, and checks it with the endpoint's schema. A text that the schema rejects is
 * read as the number, the boolean, the list or the date that it stands for.
 *
 * @throws {ErrorResponse} 400 that says what the schema rejects
 */
export async function readInput(endpoint: Endpoint, call: Call): Promise<unknown> {
  const input = { ...(await sentIn(endpoint, call)) };
  const texts = textsIn(endpoint, call);
  let parsed = validate(endpoint.input, input);
  for (const reading of readings) {
    if (parsed.success) break;
    const rejected = new Set(parsed.issues.map(({ path }) => path[0]));
    for (const [name, value] of Object.entries(input).filter(([name]) => rejected.has(name))) {
      const text = texts[name];
      // In a body, only a date becomes a text.
      if (text !== undefined) input[name] = reading(text);
      else if (typeof value === 'string') input[name] = dateOf(value);
    }
    parsed = validate(endpoint.input, input);
  }
  if (parsed.success) return parsed.data;
  const reasons = parsed.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  throw badRequest(`the input of ${endpoint.name} is invalid: ${reasons.join('; ')}`);
}

/** The fields of a request that are sent as text. */
function textsIn({ inHeader = {} }: Endpoint, { query, params, request }: Call): Readonly<Record<string, string>> {
  const headers = Object.entries(inHeader).map(([name, header]) => [name, request.headers.get(header) ?? ''] as const);
  return { ...Object.fromEntries([...query, ...headers]), ...params };
}

/** Collects the fields of a request. A schema whose fields are not known gets all that were sent. */
async function sentIn(endpoint: Endpoint, call: Call): Promise<JsonObject> {
  const { path, query, request } = call;
  const sent = { path, query, headers: request.headers, body: await bodyOf(endpoint, request) };
  const decoded = decode(endpoint, sent);
  if (Object.keys(shapeOf(endpoint.input)).length > 0) return decoded;
  const conventions = ['attributes', 'callback', ...Object.keys(endpoint.query ?? {})];
  const parameters = [...query].filter(([name]) => !conventions.includes(name));
  return { ...Object.fromEntries(parameters), ...decoded };
}

async function bodyOf(endpoint: Endpoint, request: Request): Promise<JsonObject> {
  if (!request.body) return {};
  // The handler may read the request itself.
  const copy = request.clone();
  if (endpoint.requestBody !== 'multipart') return readJsonObject({ request: copy });
  const bytes = await readUpTo(copy, maxFormBytes);
  if (!bytes) throw badRequest(`the form is larger than ${maxFormBytes} bytes`);
  return Object.fromEntries(await formOf(bytes, request.headers));
}

/** Larger than any upload of the service. */
const maxFormBytes = 32 * 1024 * 1024;

function dateOf(text: string): unknown {
  return /^\d{4}-\d\d-\d\dT/.test(text) ? new Date(text) : text;
}

function numberOf(text: string): unknown {
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  return Number.isNaN(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER ? text : value;
}
