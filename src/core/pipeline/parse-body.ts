import type { Endpoint } from '../endpoint.js';
import type { ErrorInBody } from '../errors/documented-error.js';
import type { ResponseHeaders } from '../transport/response-headers.js';
import { parseJson } from '../serialization/json.js';

/** A response whose body has been read. */
export interface BufferedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
  /** Whether the body exceeds `maxResponseBytes`. Then the text is only its beginning. */
  readonly isTruncated: boolean;
  /** What the exchange of the endpoint found in the text; absent if the text is plain JSON. */
  readonly result?: { readonly value: unknown } | 'unreadable' | undefined;
}

/** Whether a status is a success. */
export function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Parses a body. The result is the JSON value, or the text if it is not JSON, or `undefined` if it is empty. */
export function parseBody(text: string): { isJson: boolean; value: unknown } {
  if (text.trim() === '') return { isJson: true, value: undefined };
  try {
    return { isJson: true, value: parseJson(text) };
  } catch {
    return { isJson: false, value: text };
  }
}

/** Reads the output of a success. `problem` says why there is none; `value` is then the body. */
export function outputIn({ text, result }: BufferedResponse): { value: unknown; problem?: string } {
  if (typeof result === 'object') return result;
  const { isJson, value } = parseBody(text);
  if (!isJson) return { value, problem: 'a body that is not JSON' };
  if (result === undefined) return { value };
  return { value, problem: value === undefined ? 'an empty body' : 'a body of another shape' };
}

/** Finds the error in the body of a success. A function that fails finds none: the schema then explains the body. */
export function errorInBody(
  endpoint: Endpoint,
  { text, isTruncated, result }: BufferedResponse,
): ErrorInBody | undefined {
  // An exchange that returns a value has found no error.
  if (!endpoint.errorInBody || isTruncated || typeof result === 'object') return undefined;
  const { isJson, value } = parseBody(text);
  try {
    return isJson ? endpoint.errorInBody(value) : undefined;
  } catch {
    return undefined;
  }
}
