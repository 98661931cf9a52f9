import type { Endpoint } from '../endpoint.js';
import { UnexpectedResponseError } from '../errors/errors.js';
import { parseJson } from './json.js';
import { apiErrorFrom } from '../pipeline/error-response.js';
import { anything } from '../schema/schema.js';

const shape = /^\s*(?:\/\*[^*]*\*\/)?\s*[\w$.[\]'"]+\s*\(([\s\S]*)\)\s*;?\s*$/;

/** Stands for whatever was asked: a JSONP answer does not say. */
const unknownEndpoint: Endpoint = {
  name: 'jsonp',
  method: 'GET',
  path: '/jsonp',
  input: anything,
  output: anything,
  retry: 'safe',
  errors: [],
};

/**
 * Reads a JSONP answer, `callback([status, headers, body])`, which is always HTTP 200. Spec: Common conventions 2.
 *
 * @returns the body.
 * @throws {ApiError} of the class that the status inside stands for, when that is not a success.
 * @throws {UnexpectedResponseError} when the text is not a JSONP answer.
 */
export function readJsonp(text: string): unknown {
  const [status, headers, body] = unwrapped(text);
  if (status >= 200 && status < 300) return body;
  const answer = { status, headers, text: body === undefined ? '' : JSON.stringify(body), url: '' };
  throw apiErrorFrom(answer, { endpoint: unknownEndpoint, input: undefined, secrets: () => [], attempts: 1 }).error;
}

function unwrapped(text: string): [number, Headers, unknown] {
  const inside = shape.exec(text)?.[1];
  const values = inside === undefined ? undefined : parsed(inside);
  if (!Array.isArray(values) || !Number.isInteger(values[0])) {
    throw new UnexpectedResponseError('The text is not a JSONP answer: it takes callback([status, headers, body])', {
      status: 200,
      headers: new Headers(),
      body: text,
      issues: [],
    });
  }
  return [values[0] as number, headersFrom(values[1]), values[2]];
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Headers that cannot be headers are left out: they are not worth the answer. */
function headersFrom(map: unknown): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(typeof map === 'object' && map !== null ? map : {})) {
    try {
      headers.set(name, String(value));
    } catch {
      continue;
    }
  }
  return headers;
}
