import type { ResponseHeaders } from '../errors/response-headers.js';
import { isObject, parseJson } from '../json/json.js';
import type { ErrorInBody } from '../operation/documented-error.js';
import type { Endpoint } from '../operation/endpoint.js';
import { inspect, shapeOf, unwrapped, type StandardSchema } from '../schema/schema.js';

/** A body as JSON; as its text if it is no JSON; `undefined` if it is empty. */
export interface ParsedBody {
  readonly isJson: boolean;
  readonly value: unknown;
}

/** A response whose body has been read. */
export class BufferedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
  /** Whether the body exceeds `maxResponseBytes`. Then the text is only its beginning. */
  readonly isTruncated: boolean;
  /** What the exchange of the endpoint found in the text; absent if the text is plain JSON. */
  result: { readonly value: unknown } | 'unreadable' | undefined;
  #body: ParsedBody | undefined;

  constructor(from: { readonly status: number; readonly headers: ResponseHeaders }, text = '', isTruncated = false) {
    this.status = from.status;
    this.headers = from.headers;
    this.text = text;
    this.isTruncated = isTruncated;
  }

  /** The body, which is parsed once. */
  get body(): ParsedBody {
    return (this.#body ??= parseBody(this.text));
  }
}

/** Parses a body. */
export function parseBody(text: string): ParsedBody {
  if (text.trim() === '') return { isJson: true, value: undefined };
  try {
    return { isJson: true, value: parseJson(text) };
  } catch {
    return { isJson: false, value: text };
  }
}

/** The names under which services report errors. */
const errorNames = ['error', 'code', 'message', 'status', 'status_code', 'cause', 'error_description', 'errors'];

/**
 * Finds the error in the body of a success. It is one if the body states a status of 400 or more, or has an `error` or a
 * `code` and no field of the output. An endpoint can have a rule of its own, which is asked first.
 */
export function errorInBody(endpoint: Endpoint, response: BufferedResponse): ErrorInBody | undefined {
  const { isTruncated, result } = response;
  if (isTruncated) return undefined;
  const { value } = typeof result === 'object' ? result : response.body;
  try {
    const found = endpoint.errorInBody?.(value);
    if (found !== undefined) return found ?? undefined;
  } catch {
    // The schema then explains the body.
    return undefined;
  }
  return isObject(value) ? standardError(endpoint.output, value) : undefined;
}

function standardError(output: StandardSchema, body: ObjectBody): ErrorInBody | undefined {
  for (const name of ['status', 'status_code']) {
    const stated = body[name];
    if (!/^[4-9]\d\d$/.test(String(stated))) continue;
    // A number of this name may be a field of the output.
    if (!['integer', 'number', 'int64'].includes(unwrapped(shapeOf(output)[name]).kind))
      return { status: Number(stated) };
  }
  const { error, errors, code } = body;
  if (!error && !errors && !code) return undefined;
  // A number as `code` may be the status of a success: 200.
  const isNamed = isGiven(error) || isGiven(errors) || (isGiven(code) && !(Number(code) < 400));
  return isNamed && !hasContent(output, body, contentNames) ? {} : undefined;
}

/** Whether a value says something: `false`, `0`, an empty text and an empty list do not. */
function isGiven(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

type ObjectBody = Readonly<Record<string, unknown>>;

/** The names in a body that can be its content. */
function contentNames(body: ObjectBody): string[] {
  return Object.keys(body).filter(
    (name) => body[name] !== undefined && body[name] !== null && !errorNames.includes(name),
  );
}

/**
 * Whether a body has anything of the output: one of its fields, or, where none is documented, any name if the body has no
 * `error` and no `message`. `namesOf` returns the names in a body that count.
 */
export function hasContent(output: StandardSchema, body: unknown, namesOf: (body: ObjectBody) => string[]): boolean {
  const found = inspect(output);
  switch (found.kind) {
    case 'optional':
    case 'nullable':
      return hasContent(found.of, body, namesOf);
    case 'preprocess': {
      const read = found.reader(body);
      if (!isObject(read)) return hasContent(found.of, read, namesOf);
      // What the function adds to every body is not of this one.
      const added = Object.keys(found.reader({}) ?? {});
      const isOfBody = (name: string): boolean => !added.includes(name) || (isObject(body) && name in body);
      return hasContent(found.of, read, (fields) => namesOf(fields).filter(isOfBody));
    }
    case 'union':
      return found.of.some((each) => hasContent(each, body, namesOf));
    case 'array':
      return Array.isArray(body) && (body.length === 0 || body.some((each) => hasContent(found.of, each, namesOf)));
    case 'object':
      return isObject(body) && namesOf(body).some((name) => Object.hasOwn(found.shape, name));
    case 'unknown':
    case 'record':
      return !isObject(body) || (namesOf(body).length > 0 && !isGiven(body.error) && !isGiven(body.message));
    default:
      return !isObject(body);
  }
}
