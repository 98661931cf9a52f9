import type { ResponseHeaders } from '../errors/response-headers.js';
import { parseJson } from '../json/json.js';

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

/** Whether a status is a success. */
export function isOk(status: number): boolean {
  return status >= 200 && status < 300;
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
