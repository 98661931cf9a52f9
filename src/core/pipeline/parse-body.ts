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
export function errorInBody(endpoint: Endpoint, { text, isTruncated }: BufferedResponse): ErrorInBody | undefined {
  if (!endpoint.errorInBody || isTruncated) return undefined;
  const { isJson, value } = parseBody(text);
  try {
    return isJson ? endpoint.errorInBody(value) : undefined;
  } catch {
    return undefined;
  }
}
