import type { Endpoint } from '../operation/endpoint.js';
import { UnexpectedResponseError } from '../errors/response-errors.js';
import { responseHeaders } from '../errors/response-headers.js';
import { unknown } from '../schema/define.js';
import { apiError, readError } from './read-error.js';
import { BufferedResponse, parseBody } from './body.js';

/** A placeholder for the endpoint, which a JSONP response does not name. */
const unknownEndpoint: Endpoint = {
  name: 'jsonp',
  method: 'GET',
  path: '/jsonp',
  input: unknown,
  output: unknown,
  retry: 'safe',
  errors: [],
};

/**
 * Reads a JSONP response, `callback([status, headers, body])`, which is always HTTP 200.
 *
 * @returns the body.
 * @throws {ApiError} when the status in the text is not a success. Its class follows from this status.
 * @throws {UnexpectedResponseError} when the text is not a JSONP response.
 * @example
 * const body = readJsonp('show([200, {}, {"id": "ARS"}])'); // { id: 'ARS' }
 */
export function readJsonp(text: string): unknown {
  const [status, headers, body] = unwrapped(text);
  if (status >= 200 && status < 300) return body;
  const json = body === undefined ? '' : JSON.stringify(body);
  const response = new BufferedResponse({ status, headers: responseHeaders(headers) }, json);
  const request = { endpoint: unknownEndpoint, input: {}, url: '', headers: {} };
  throw apiError(readError(response, unknownEndpoint), response, { request, token: undefined, attempts: 1 });
}

function unwrapped(text: string): [number, Headers, unknown] {
  // Not every caller is typed.
  const values = typeof text === 'string' ? parseBody(argumentOf(text)).value : undefined;
  if (!Array.isArray(values) || !Number.isInteger(values[0])) {
    throw new UnexpectedResponseError('The text is not a JSONP response: it takes callback([status, headers, body])', {
      status: 200,
      headers: new Headers(),
      body: text,
      issues: [],
    });
  }
  return [values[0] as number, headersFrom(values[1]), values[2]];
}

const longestCallback = 1000;

/** The text between the parentheses of `callback(...)`, or none. A comment before it and a semicolon after it are allowed. */
function argumentOf(text: string): string {
  let call = text.trim();
  if (call.startsWith('/*')) call = call.slice(call.indexOf('*/') + 2).trimStart();
  if (call.endsWith(';')) call = call.slice(0, -1).trimEnd();
  const open = call.indexOf('(');
  const isCall = call.endsWith(')') && open > 0 && open < longestCallback;
  return isCall && /^[\w$.[\]'"]+$/.test(call.slice(0, open).trimEnd()) ? call.slice(open + 1, -1) : '';
}

function headersFrom(map: unknown): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(typeof map === 'object' && map !== null ? map : {})) {
    try {
      headers.set(name, String(value));
    } catch {
      // The body can be used without an invalid header.
    }
  }
  return headers;
}
