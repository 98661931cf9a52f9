import type { Call } from './call.js';
import { errorResponse } from './handler.js';
import type { HandlerResponse } from './handler.js';

/** What a handler or a fault sends. */
type Sendable = Pick<HandlerResponse, 'status' | 'body' | 'headers'>;

/** A JSON response with its value, so that it can be recorded without reading the stream. */
export class JsonResponse extends Response {
  readonly value: unknown;
  /** The length of its text. */
  readonly size: number;

  constructor(value: unknown, { status, headers }: Omit<Sendable, 'body'>) {
    const text = JSON.stringify(value);
    super(text, { status, headers: { 'content-type': 'application/json', ...headers } });
    this.value = value;
    this.size = text.length;
  }
}

/** Creates a response with the standard body of an error. */
export function errorJson(status: number, message: string): Response {
  return Response.json(errorResponse({ status, message }).body, { status });
}

/** Creates the response to a call: JSON, nothing, or JSONP if the call asks for it. */
export function respond({ query }: Call, { status, body, headers }: Sendable): Response {
  const callback = query.get('callback');
  if (callback !== null) return asJsonp(callback, { status, body, headers });
  if (body instanceof Response) return body;
  if (body === undefined) return new Response(null, { status, headers });
  return new JsonResponse(body, { status, headers });
}

/** Wraps a response as JSONP: HTTP 200 with the real status inside. Spec: Common conventions 2. */
function asJsonp(callback: string, { status, body = null, headers }: Sendable): Response {
  // Only an identifier is accepted: with any other text, the caller could inject a script.
  const name = /^[\w$.]{1,100}$/.test(callback) ? callback : 'callback';
  // A script cannot contain the bytes of a file.
  const value = body instanceof Response ? null : body;
  const content = JSON.stringify([status, { 'Content-Type': 'application/json', ...headers }, value]);
  return new Response(`${name}(${content});`, {
    headers: { ...headers, 'content-type': 'text/javascript; charset=utf-8' },
  });
}
