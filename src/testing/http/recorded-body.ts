/** The JSON value of a response, and the length of its text. */
export interface RecordedBody {
  readonly value: unknown;
  readonly size: number;
}

const bodies = new WeakMap<Response, RecordedBody>();

/** The status and the headers of a JSON response. */
interface JsonResponseInit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates a JSON response and remembers its value, so that it can be recorded without reading the stream. */
export function jsonResponse(value: unknown, { status, headers }: JsonResponseInit): Response {
  const text = JSON.stringify(value);
  const response = new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } });
  bodies.set(response, { value, size: text.length });
  return response;
}

/** Returns the JSON value of a response from `jsonResponse`; `undefined` for any other. */
export function recordedBody(response: Response): RecordedBody | undefined {
  return bodies.get(response);
}
