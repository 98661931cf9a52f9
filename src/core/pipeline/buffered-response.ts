import type { Endpoint } from '../endpoint.js';
import { parseJson } from '../serialization/json.js';

/** An answer with its body read. */
export interface BufferedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly url: string;
}

/** What an answer is read in the light of. */
export interface ResponseContext {
  readonly endpoint: Endpoint;
  readonly input: unknown;
  /** What must be in no error: the token. */
  readonly secrets: () => readonly string[];
  readonly attempts: number;
}

/** Reads a body: JSON where it is, else the text; an empty one is `undefined`. */
export function readBody(text: string): { json: boolean; value: unknown } {
  if (text === '' || text.trim() === '') return { json: true, value: undefined };
  try {
    return { json: true, value: parseJson(text) };
  } catch {
    return { json: false, value: text };
  }
}
