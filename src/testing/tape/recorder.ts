import { parseJson } from '../../core/json/json.js';
import { errorJson } from '../http/respond.js';
import { maskExchange } from './exchange.js';
import { Masker } from './mask.js';
import type { FormPart, TapeBody, TapeExchange } from './tape.js';

/** A body that cannot be read, so that nobody knows what it has of a person. */
class Unreadable extends Error {}

/** Hop-by-hop headers, and those that `fetch` sets itself. */
const ownHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding', 'expect'];

/** Encodings that `fetch` decodes. */
const isDecoded = /^(x-gzip|gzip|deflate|br)(, *(x-gzip|gzip|deflate|br))*$/i;

/** The statuses of a response without a body. */
const withoutBody = [204, 205, 304];

/** What a recorder does with each exchange. */
export interface RecorderOptions {
  /** Takes an exchange, masked. */
  readonly write: (exchange: TapeExchange) => void;
  /** Takes the reason why an exchange was not written. It was passed on all the same. */
  readonly skipped?: ((reason: string) => void) | undefined;
  /** Whether ids stay as they are. @default false */
  readonly keepsIds?: boolean | undefined;
  /** What masks the exchanges. @default a new masker */
  readonly masker?: Masker | undefined;
  /** What sends the requests. @default the global `fetch` */
  readonly fetch?: typeof fetch | undefined;
}

/** Creates a proxy to a service, which hands each exchange, masked, to `write`. */
export function createRecorder(upstream: string, options: RecorderOptions): (request: Request) => Promise<Response> {
  const { write, skipped, keepsIds = false, masker = new Masker({ keepsIds }) } = options;
  const callers = new Map<string, string>();
  const base = upstream.endsWith('/') ? upstream.slice(0, -1) : upstream;
  return async (request) => {
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    const sent = method === 'GET' || method === 'HEAD' ? undefined : await request.arrayBuffer();
    const init = { method, headers: without(ownHeaders, headers), ...(sent?.byteLength && { body: sent }) };
    const sending = (options.fetch ?? fetch)(base + path, { ...init, redirect: 'manual' });
    const received = await sending.then(read).catch(unreachable);
    if (received instanceof Response) return received;
    const { status, responseHeaders, bytes } = received;
    try {
      const bodies = {
        request: await bodyOf('request', headers, sent),
        response: await bodyOf('response', responseHeaders, method === 'HEAD' ? undefined : bytes),
      };
      const exchange = maskExchange({ method, path, headers, status, responseHeaders, ...bodies }, masker, callers);
      write({ ...exchange, ...(keepsIds && { idsAreKept: true }) });
    } catch (error) {
      // The text of any other error could hold a part of the exchange.
      const reason = error instanceof Unreadable ? error.message : 'it cannot be masked';
      skipped?.(`${method} was passed on and not written to the tape: ${reason}`);
    }
    return new Response(withoutBody.includes(status) ? null : bytes, { status, headers: responseHeaders });
  };
}

/** Reads a response. Its headers are those that are passed on. */
async function read(response: Response) {
  const bytes = await response.arrayBuffer();
  const responseHeaders = without(['content-length', 'transfer-encoding', 'connection'], response.headers);
  if (isDecoded.test(responseHeaders.get('content-encoding') ?? '')) responseHeaders.delete('content-encoding');
  return { status: response.status, responseHeaders, bytes };
}

function unreachable(error: unknown): Response {
  return errorJson(502, `The upstream cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
}

function without(names: readonly string[], headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of names) kept.delete(name);
  return kept;
}

/** Reads a body by its media type. @throws {Unreadable} when it is not what its headers say */
async function bodyOf(what: string, headers: Headers, bytes: ArrayBuffer | undefined): Promise<TapeBody> {
  if (bytes === undefined || bytes.byteLength === 0) return { kind: 'none', value: null };
  const contentType = headers.get('content-type') ?? '';
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!/^(identity)?$/.test(headers.get('content-encoding') ?? '')) throw new Unreadable(`its ${what} is compressed`);
  const readAs = async <T>(kind: string, read: () => T | Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch {
      throw new Unreadable(`its ${what} says that it is ${kind}`);
    }
  };
  if (type === 'multipart/form-data') {
    const body = new Response(bytes, { headers: { 'content-type': contentType } });
    const parts: FormPart[] = await readAs('multipart and is not', async () => [...(await body.formData())]);
    return { kind: 'multipart', value: parts };
  }
  const asBytes = { kind: type === '' ? 'text/plain' : type, value: bytes.byteLength };
  if (type !== '' && !/json|text|urlencoded/.test(type)) return asBytes;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const text = await readAs('text and is not UTF-8', () => decoder.decode(bytes));
  if (type === 'application/x-www-form-urlencoded')
    return { kind: 'form', value: Object.fromEntries(new URLSearchParams(text)) };
  const isJson = type.endsWith('json');
  const json = await readAs('JSON and is not', () => parseJson(text)).catch((error: unknown) => {
    if (isJson) throw error;
  });
  return isJson || typeof json === 'object' ? { kind: 'json', value: json } : asBytes;
}
