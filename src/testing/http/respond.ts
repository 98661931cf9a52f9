import type { Call } from './call.js';
import { errorResponse } from './handler.js';
import type { HandlerResponse } from './handler.js';

/** What a handler or a fault sends. */
type Sendable = Pick<HandlerResponse, 'status' | 'body' | 'headers'>;

/** A JSON response with its value and its text. It has no body before it leaves the marketplace: a stream takes a fifth of a simulated call. */
export class JsonResponse extends Response {
  readonly value: unknown;
  readonly content: string;

  constructor(value: unknown, { status, headers }: Omit<Sendable, 'body'>) {
    super(null, { status, headers: { 'content-type': 'application/json', ...headers } });
    this.value = value;
    this.content = JSON.stringify(value);
  }
}

/** Returns a response as it leaves the marketplace. */
export function withBody(response: Response): Response {
  return response instanceof JsonResponse ? new Response(response.content, response) : response;
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
