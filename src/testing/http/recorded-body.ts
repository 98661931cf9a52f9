const bodies = new WeakMap<Response, unknown>();

/** Creates a JSON response and remembers its value, so that it can be recorded without reading the stream. */
export function jsonResponse(value: unknown, init: ResponseInit): Response {
  const response = Response.json(value, init);
  bodies.set(response, value);
  return response;
}

/** Returns the JSON value of a response from `jsonResponse`; `undefined` for any other. */
export function recordedBody(response: Response): unknown {
  return bodies.get(response);
}
