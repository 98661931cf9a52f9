import type { Bytes } from '../../core/files/file-source.js';
import { parseJson as parseExactly } from '../../core/json/json.js';
import { nesting } from '../../notifications/http/request.js';

const maxRecordedBytes = 1024 * 1024;

/** The body of a request, read from a copy. */
export interface RequestBody {
  /** The JSON value or the text; `undefined` if there is no body, it is a file upload or it exceeds 1 MB. */
  readonly value: unknown;
  /** The size of the text, in bytes. */
  readonly size: number;
}

const noBody: RequestBody = { value: undefined, size: 0 };

/** Reads the body of a request as JSON or text, unless it is large or a file upload. The request stays unread. */
export async function copyBody(request: Request): Promise<RequestBody> {
  if (!request.body) return noBody;
  const isMultipart = (request.headers.get('content-type') ?? '').startsWith('multipart/');
  if (isMultipart || Number(request.headers.get('content-length') ?? 0) > maxRecordedBytes) return noBody;
  const bytes = await readUpTo(request.clone(), maxRecordedBytes).catch(() => undefined);
  if (bytes === undefined || bytes.byteLength === 0) return noBody;
  return { value: jsonOrText(new TextDecoder().decode(bytes)), size: bytes.byteLength };
}

/** Reads a body; `undefined` if it exceeds `maxBytes`. */
export async function readUpTo(body: Request, maxBytes: number): Promise<Bytes | undefined> {
  const reader = body.body?.getReader();
  const chunks: Bytes[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    size += value.byteLength;
    chunks.push(value);
    if (size <= maxBytes) continue;
    // The promise of `cancel` is not awaited: it resolves only after the other copy of the body is read.
    void reader?.cancel().catch(() => undefined);
    return undefined;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Reads a form. An invalid form counts as empty. */
export function formOf(bytes: Bytes, headers: Headers): Promise<FormData> {
  const type = headers.get('content-type') ?? '';
  return new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => new FormData());
}

/** The fields of a form. */
export type FormFields = Readonly<Record<string, string | undefined>>;

/** Reads the fields of a form, or of a JSON object, from the copy of a body. */
export function formFieldsOf(body: unknown): FormFields {
  if (typeof body === 'string') return Object.fromEntries(new URLSearchParams(body));
  const entries = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** The JSON value of a text, or the text. */
export function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The maximum depth: more than any documented body has, and not too deep for recursive functions. */
const maxDepth = 100;

/**
 * Parses JSON. An integer beyond 2^53 becomes a string of digits.
 *
 * @throws {SyntaxError} when it is invalid or nested more than 100 levels deep
 */
export function parseJson(text: string): unknown {
  if (nesting(text) > maxDepth) throw new SyntaxError(`the JSON is nested more than ${maxDepth} levels deep`);
  return parseExactly(text);
}
