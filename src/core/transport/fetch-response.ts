import type { ResponseHeaders } from '../errors/response-headers.js';
import { charsetOf } from './transport.js';
import type { Fetch } from '../options/client-options.js';
import type { BodyText, TransportResponse } from './transport.js';

type FetchedResponse = Awaited<ReturnType<Fetch>>;

/** A response of `fetch`. */
export class FetchResponse implements TransportResponse {
  readonly hasOpenEnd: boolean;
  readonly #response: FetchedResponse;
  #headers: Headers | undefined;

  constructor(response: FetchedResponse, hasOpenEnd: boolean) {
    this.#response = response;
    this.hasOpenEnd = hasOpenEnd;
  }

  get status(): number {
    return this.#response.status;
  }

  get headers(): ResponseHeaders {
    const { headers } = this.#response;
    // Those of node-fetch and of undici are classes of their own.
    const toHeaders = (): Headers =>
      (this.#headers ??= headers instanceof Headers ? headers : new Headers(headers as Headers));
    return { get: (name) => headers.get(name), toHeaders };
  }

  async text(maxBytes: number): Promise<BodyText> {
    const body = this.stream();
    // Its headers do not limit a body: a browser hides that it is compressed, and a `fetch` may return any headers.
    if (body) return readText(body, charsetOf(this.#response.headers.get('content-type')), maxBytes);
    // React Native has no streams.
    const text = await this.#response.text();
    return { text: text.slice(0, maxBytes), isTruncated: text.length > maxBytes };
  }

  stream(): ReadableStream<Uint8Array> | null {
    const { body } = this.#response;
    if (typeof body !== 'object' || body === null) return null;
    if ('getReader' in body) return body as ReadableStream<Uint8Array>;
    return Symbol.asyncIterator in body ? webStream(body as AsyncIterable<Uint8Array>) : null;
  }

  discard(): void {
    closeBody(this.#response.body);
  }
}

/** The body of node-fetch is a stream of Node.js. That of `ReadableStream.from` would not close it before it is read. */
function webStream(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const chunk = await chunks.next();
    if (chunk.done === true) controller.close();
    else controller.enqueue(chunk.value);
  };
  return new ReadableStream({ pull, cancel: () => closeBody(body) }, { highWaterMark: 0 });
}

/** Closes a body that is not read. Not awaited: the cancel of a body that a `fetch` has cloned ends with that of the other copy. */
export function closeBody(body: unknown): void {
  const { cancel, destroy } = (body ?? {}) as { cancel?: () => Promise<void>; destroy?: () => void };
  if (cancel) cancel.call(body).catch(() => undefined);
  else destroy?.call(body);
}

/** Reads a stream, and stops if it exceeds `maxBytes`. Without a `charset` it is UTF-8. */
async function readText(
  body: ReadableStream<Uint8Array>,
  charset: string | undefined,
  maxBytes: number,
): Promise<BodyText> {
  const reader = body.getReader();
  const decoder = new TextDecoder(charset);
  let [text, bytes] = ['', 0];
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    bytes += chunk.value.byteLength;
    if (bytes > maxBytes) {
      reader.cancel().catch(() => undefined);
      return { text, isTruncated: true };
    }
    text += decoder.decode(chunk.value, { stream: true });
  }
  return { text: text + decoder.decode(), isTruncated: false };
}
