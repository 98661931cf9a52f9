import type { ResponseHeaders } from '../errors/response-headers.js';
import { charsetOf } from './transport.js';
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
    const { headers } = this.#response;
    return { get: (name) => headers.get(name), toHeaders: () => headers };
  }

  async text(maxBytes: number): Promise<BodyText> {
    const { body, headers } = this.#response;
    // Its headers do not limit a body: a browser hides that it is compressed, and a `fetch` may return any headers.
    if (body && 'getReader' in body) return readText(body, charsetOf(headers.get('content-type')), maxBytes);
    // React Native and node-fetch have no web stream.
    const text = await this.#response.text();
    return { text: text.slice(0, maxBytes), isTruncated: text.length > maxBytes };
  }

  stream(): ReadableStream<Uint8Array> | null {
    return this.#response.body;
  }

  discard(): void {
    this.#response.body?.cancel().catch(() => undefined);
  }
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
