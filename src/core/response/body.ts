import type { ResponseHeaders } from '../errors/response-headers.js';
import { parseJson } from '../json/json.js';
import { findErrorInBody } from '../operation/documented-error.js';
import type { ErrorInBody } from '../operation/documented-error.js';
import type { Endpoint } from '../operation/endpoint.js';

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

/** Finds the error in the body of a success. A function that fails finds none: the schema then explains the body. */
export function errorInBody(
  endpoint: Endpoint,
  { text, isTruncated, result }: BufferedResponse,
): ErrorInBody | undefined {
  // An exchange that returns a value has found no error.
  if (isTruncated || typeof result === 'object' || !(endpoint.errorInBody || mayBeError(text))) return undefined;
  const { isJson, value } = parseBody(text);
  try {
    return isJson ? findErrorInBody(endpoint, value) : undefined;
  } catch {
    return undefined;
  }
}

/** Only a short body that names an error is parsed twice. */
function mayBeError(text: string): boolean {
  return text.length < 10_000 && text.includes('"error"');
}
