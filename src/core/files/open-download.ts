import type { DownloadProgress } from '../scope/call-options.js';
import type { CancelScope } from '../scope/cancel-scope.js';
import { Download, type DownloadParts } from './download.js';
import { fileNameIn, sizeIn, type Bytes } from './file-source.js';

/** The response that a download reads. */
interface DownloadSource {
  readonly headers: Pick<Headers, 'get'>;
  /** Whether the end of the body cannot be distinguished from a lost connection. */
  readonly hasOpenEnd?: boolean;
  stream(): ReadableStream<Uint8Array> | null;
}

/** What a download needs from its call. */
interface DownloadContext extends StreamContext {
  readonly reject: DownloadParts['reject'];
}

/**
 * Begins to read a response as a file. This module is loaded on first use. It imports no error classes, because
 * bundlers would move them to a separate chunk; `lost` and `reject` create its errors.
 */
export function openDownload(response: DownloadSource, scope: CancelScope, context: DownloadContext): Download {
  const { headers } = response;
  const size = sizeIn(headers);
  const body = (response.stream() ?? new Blob([]).stream()) as ReadableStream<Bytes>;
  return new Download({
    filename: fileNameIn(headers.get('content-disposition')),
    contentType: headers.get('content-type') ?? undefined,
    size,
    stream: limitedStream({ body, size, hasOpenEnd: response.hasOpenEnd === true }, scope, context),
    reject: context.reject,
  });
}

type Body = ReadableStream<Bytes>;

/** The limits and callbacks of a stream. */
interface StreamContext {
  /** The name of the call in messages: method and path. */
  readonly what: string;
  /** The maximum time between two chunks, in milliseconds. */
  readonly timeoutMs: number;
  /** It does not throw. */
  readonly onProgress: (progress: DownloadProgress) => void;
  /** Creates the error of a lost connection. */
  readonly lost: (message: string, cause: Error) => Error;
}

/** A body, and what is known about its end. */
interface UnreadBody {
  readonly body: Body;
  readonly size: number | undefined;
  /** Whether the end of the body cannot be distinguished from a lost connection. */
  readonly hasOpenEnd: boolean;
}

/** Closes the connections of downloads that were garbage-collected before they were read. */
const dropped = new FinalizationRegistry<LimitedBody>((body) => {
  body.cancel();
});

/** Limits a body: the caller's signal, the deadline, and `timeoutMs` without a chunk end it immediately. */
function limitedStream(unread: UnreadBody, scope: CancelScope, context: StreamContext): Body {
  const limited = new LimitedBody(unread, scope, context);
  const stream = new ReadableStream<Bytes>(
    {
      start: (controller) => limited.endWithScope(controller),
      pull: (controller) => limited.pull(controller),
      cancel: (reason) => limited.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  dropped.register(stream, limited);
  return stream;
}

/** Reads a body for a stream. It must not keep a reference to the stream, which may be dropped unread. */
class LimitedBody {
  readonly #reader: ReadableStreamDefaultReader<Bytes>;
  readonly #size: number | undefined;
  readonly #hasOpenEnd: boolean;
  readonly #scope: CancelScope;
  readonly #context: StreamContext;
  readonly #finished = Promise.withResolvers<undefined>();
  #receivedBytes = 0;

  constructor({ body, size, hasOpenEnd }: UnreadBody, scope: CancelScope, context: StreamContext) {
    this.#reader = body.getReader();
    this.#size = size;
    this.#hasOpenEnd = hasOpenEnd;
    this.#scope = scope;
    this.#context = context;
  }

  /** Ends the stream with the signal or the deadline of the call, also while nobody reads it. */
  endWithScope(controller: ReadableStreamDefaultController<Bytes>): void {
    // The caller's signal may live long.
    const weak = new WeakRef(controller);
    this.#scope
      .race(() => this.#finished.promise)
      .catch((error: unknown) => {
        weak.deref()?.error(error);
        this.cancel(error);
      });
  }

  /** Reads the next chunk. */
  async pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    try {
      const { done, value } = await this.#scope.race(() => this.#reader.read(), undefined, this.#context.timeoutMs);
      if (done) {
        this.#throwIfCut();
        this.#finish();
        controller.close();
        return;
      }
      this.#receivedBytes += value.byteLength;
      this.#context.onProgress({ receivedBytes: this.#receivedBytes, totalBytes: this.#size });
      controller.enqueue(value);
    } catch (error) {
      this.cancel(error);
      throw this.#readError(error);
    }
  }

  /** Closes the connection. */
  cancel(reason?: unknown): void {
    this.#finish();
    // Not awaited: it would also wait for a copy of the response that a `fetch` of the user keeps.
    this.#reader.cancel(reason).catch(() => undefined);
  }

  #finish(): void {
    this.#finished.resolve(undefined);
    this.#scope.dispose();
  }

  /** @throws {TypeError} when the body may be incomplete, as `fetch` does. */
  #throwIfCut(): void {
    if (this.#size !== undefined && this.#receivedBytes < this.#size) throw new TypeError('the response ended early');
    if (this.#hasOpenEnd) throw new TypeError('the response is compressed and states no length, so it may be cut');
  }

  #readError(error: unknown): unknown {
    // Every network failure of `fetch` is a TypeError. Other errors come from this library or from the caller.
    if (!(error instanceof TypeError)) return error;
    const { what, lost } = this.#context;
    const of = this.#size === undefined ? '' : ` of ${this.#size}`;
    return lost(`${what} broke off after ${this.#receivedBytes}${of} bytes: ${error.message}`, error);
  }
}

const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** The headers that `fetch` removes after a redirect to another origin. */
const leftOutByFetch = new Set(['authorization', 'cookie', 'proxy-authorization']);

type IsSecret = (headerName: string) => boolean;

/** A GET of a download. */
interface RedirectTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How the redirects of one download are followed. */
export interface Redirects {
  /** Whether the platform's `fetch` would send a secret header to another origin, and must not follow them. */
  readonly isSecret: boolean;
  /** Returns the next request, without secret headers for other origins; `undefined` if a response is the last one. */
  next(
    sent: RedirectTarget,
    response: { readonly status: number; readonly headers: Pick<Headers, 'get'> },
  ): RedirectTarget | undefined;
}

/** Creates the rule for one attempt. Browsers hide redirects, and follow them. */
export function redirectsOf(headers: RedirectTarget['headers'], isSecret: IsSecret): Redirects {
  let count = 0;
  return {
    isSecret: Object.keys(headers).some((name) => isSecret(name) && !leftOutByFetch.has(name.toLowerCase())),
    next: (sent, response) => {
      const location = response.headers.get('location');
      if (count === maxRedirects || !redirectStatuses.has(response.status)) return undefined;
      if (location === null || !URL.canParse(location, sent.url)) return undefined;
      const url = new URL(location, sent.url);
      // Like `fetch`: a URL of another scheme, for example `data:`, is not a file of the service.
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
      count += 1;
      const isSame = url.origin === new URL(sent.url).origin;
      const kept = Object.entries(sent.headers).filter(
        ([name]) => isSame || !(isSecret(name) || leftOutByFetch.has(name.toLowerCase())),
      );
      return { url: url.href, headers: Object.fromEntries(kept) };
    },
  };
}
