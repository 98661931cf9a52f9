import { responseHeaders } from './response-headers.js';
import type { ResponseHeaders } from './response-headers.js';
import type { BodyText, TransportResponse } from './transport.js';

/** A response of `fetch`. */
export class FetchResponse implements TransportResponse {
  readonly hasOpenEnd: boolean;
  readonly #response: Response;

  constructor(response: Response, hasOpenEnd: boolean) {
    this.#response = response;
    this.hasOpenEnd = hasOpenEnd;
  }

  get status(): number {
    return this.#response.status;
  }

  get headers(): ResponseHeaders {
    return responseHeaders(this.#response.headers);
  }

  async text(maxBytes: number): Promise<BodyText> {
    const { body } = this.#response;
    // If the length is known and small enough, `text()` is the fastest way to read the body.
    if (!body || this.#statedLength() <= maxBytes) return { text: await this.#response.text(), isTruncated: false };
    return readText(body, maxBytes);
  }

  stream(): ReadableStream<Uint8Array> | null {
    return this.#response.body;
  }

  discard(): void {
    this.#response.body?.cancel().catch(() => undefined);
  }

  /** The length of the body according to the headers; `Infinity` if they do not state it or the body is compressed. */
  #statedLength(): number {
    const { headers } = this.#response;
    const length = headers.get('content-length');
    return length === null || headers.has('content-encoding') ? Infinity : Number(length);
  }
}

/** Reads a stream as UTF-8, and stops if it exceeds `maxBytes`. */
async function readText(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<BodyText> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
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
