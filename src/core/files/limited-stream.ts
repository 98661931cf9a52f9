import type { CancelScope } from '../scope/cancel-scope.js';
import type { Bytes } from './file-source.js';
import type { DownloadProgress } from '../scope/call-options.js';

type Body = ReadableStream<Bytes>;

/** The limits and callbacks of a stream. */
export interface StreamContext {
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
export function limitedStream(unread: UnreadBody, scope: CancelScope, context: StreamContext): Body {
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
