import ky from 'ky';
import type { Endpoint } from './endpoint.js';
import type { Middleware, Settings } from './settings.js';

/** One attempt of a call, ready to be sent. */
export interface Outgoing {
  readonly endpoint: Endpoint;
  /** 1 for the first. */
  readonly attempt: number;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: BodyInit | undefined;
  readonly signal: AbortSignal;
  readonly onUploadProgress?: ((sentBytes: number) => void) | undefined;
}

/** Sends one attempt and gives the answer with its body unread. Repeats nothing, follows nothing, judges no status. */
export type Send = (outgoing: Outgoing) => Promise<Response>;

/** The way to the network: ky, with everything switched off that the life of a call decides for itself. */
export function createSend({
  fetch = globalThis.fetch,
  middleware = [],
}: Pick<Settings, 'fetch' | 'middleware'>): Send {
  const plain = fetch;
  return ({ endpoint, attempt, url, headers, body, signal, onUploadProgress }) => {
    const through = onion(middleware, endpoint, attempt, (request) => plain(request));
    return ky(url, {
      method: endpoint.method,
      headers,
      ...(body !== undefined && { body }),
      ...(onUploadProgress && {
        onUploadProgress: ({ transferredBytes }) => {
          onUploadProgress(transferredBytes);
        },
      }),
      signal,
      // A redirect would make fetch buffer every body, and carry the token to another host; downloads need it.
      redirect: endpoint.answers === 'stream' ? 'follow' : 'error',
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
      fetch: through as typeof globalThis.fetch,
    });
  };
}

function onion(
  middleware: readonly Middleware[],
  endpoint: Endpoint,
  attempt: number,
  core: (request: Request) => Promise<Response>,
) {
  return middleware.reduceRight<(request: Request) => Promise<Response>>(
    (next, layer) => (request) => layer({ endpoint, attempt, request }, next),
    core,
  );
}
