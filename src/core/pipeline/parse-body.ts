import type { ResponseHeaders } from '../errors/response-headers.js';
import { parseJson } from '../serialization/json.js';

/** A response whose body has been read. */
export interface BufferedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
  /** The body is longer than `maxResponseBytes`: the text is its beginning. */
  readonly isTruncated: boolean;
}

/** Parses a body: JSON, else the text; an empty one is `undefined`. */
export function parseBody(text: string): { isJson: boolean; value: unknown } {
  if (text === '' || text.trim() === '') return { isJson: true, value: undefined };
  try {
    return { isJson: true, value: parseJson(text) };
  } catch {
    return { isJson: false, value: text };
  }
}
