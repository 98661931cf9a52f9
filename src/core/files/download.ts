// `AsyncDisposable`, for callers whose `lib` is older than it.
/// <reference lib="esnext.disposable" preserve="true" />
import { ConnectionError } from '../errors/errors.js';
import type { CancelScope } from '../retry/cancel-scope.js';
import type { Bytes } from './bytes.js';
import type { DownloadProgress } from './progress.js';

/** The response that a download reads. */
interface DownloadSource {
  readonly headers: Pick<Headers, 'get'>;
  stream(): ReadableStream<Uint8Array> | null;
}

/** How a download is limited and reported. */
interface DownloadContext {
  /** Its name in a message: method and path. */
  readonly what: string;
  /** The longest silence between two chunks, in milliseconds. */
  readonly timeoutMs: number;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/**
 * A file that is being downloaded. Read it once, with one of its methods; until then only its beginning is in memory.
 * The call's `signal` and `deadlineMs` stay in force until its end; `timeoutMs` limits the silence between two chunks.
 *
 * Call `cancel()` to close the connection of a file that you do not read.
 */
export class Download implements AsyncDisposable {
  /** The name the service gives the file, without any folder; `undefined` where it gives none. */
  readonly filename: string | undefined;
  /** The media type, e.g. `image/png`. */
  readonly contentType: string | undefined;
  /** The length in bytes; `undefined` where the service does not say. */
  readonly size: number | undefined;
  /** The file. It ends with an error, never early, when the connection breaks. */
  readonly stream: ReadableStream<Bytes>;

  constructor(response: DownloadSource, scope: CancelScope, context: DownloadContext) {
    const { headers } = response;
    this.filename = fileNameIn(headers.get('content-disposition'));
    this.contentType = headers.get('content-type') ?? undefined;
    const length = headers.get('content-length');
    // The length of a compressed response is not the file's.
    this.size = length !== null && headers.get('content-encoding') === null ? Number(length) : undefined;
    const body = (response.stream() ?? new Blob([]).stream()) as ReadableStream<Bytes>;
    this.stream = limitedStream(body, this.size, scope, context);
  }

  /** Reads the whole file into memory. */
  async arrayBuffer(): Promise<ArrayBuffer> {
    if (this.stream.locked) throw new TypeError('The file was read before, or is being read');
    return await new Response(this.stream).arrayBuffer();
  }

  /**
   * Saves the file, replacing an existing one. It is written beside the path and moved there when it is complete, so
   * that no partial file is left behind. Node, Deno and Bun only.
   *
   * @returns the path.
   */
  async saveTo(path: string): Promise<string> {
    const { saveStream } = await import('./node.js');
    return saveStream(this.stream, path);
  }

  /** Closes the connection without reading the file. */
  async cancel(): Promise<void> {
    if (!this.stream.locked) await this.stream.cancel();
  }

  /** `await using file = await seller.messages.download(...)` closes it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.cancel();
  }
}

type Body = ReadableStream<Bytes>;

/** The body within the limits of its call: the caller's signal, its deadline, and silence end it at once. */
function limitedStream(body: Body, size: number | undefined, scope: CancelScope, context: DownloadContext): Body {
  const reader = body.getReader();
  const finished = Promise.withResolvers<undefined>();
  let receivedBytes = 0;
  const finish = (): void => {
    finished.resolve(undefined);
    scope.dispose();
  };
  return new ReadableStream<Bytes>(
    {
      start: (controller) => {
        // The end of the call must reach a reader that is not reading at the moment.
        scope
          .race(() => finished.promise)
          .catch((error: unknown) => {
            controller.error(error);
            finish();
            return reader.cancel(error);
          })
          .catch(() => undefined);
      },
      pull: async (controller) => {
        try {
          const { done, value } = await scope.race(() => reader.read(), undefined, context.timeoutMs);
          if (done && size !== undefined && receivedBytes < size) throw new TypeError('the response ended early');
          if (done) {
            finish();
            controller.close();
            return;
          }
          receivedBytes += value.byteLength;
          report(context, { receivedBytes, totalBytes: size });
          controller.enqueue(value);
        } catch (error) {
          finish();
          void reader.cancel(error).catch(() => undefined);
          throw connectionLost(error, context.what, receivedBytes, size);
        }
      },
      cancel: async (reason) => {
        finish();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** What a callback of the caller threw: it is passed on as it is. */
class CallbackError extends Error {}

function report({ onProgress }: DownloadContext, progress: DownloadProgress): void {
  try {
    onProgress?.(progress);
  } catch (error) {
    throw new CallbackError('onDownloadProgress failed', { cause: error });
  }
}

function connectionLost(error: unknown, what: string, received: number, size: number | undefined): unknown {
  if (error instanceof CallbackError) return error.cause;
  // Every network failure of fetch is a TypeError; what else comes here is ours or the caller's own.
  if (!(error instanceof TypeError)) return error;
  const of = size === undefined ? '' : ` of ${size}`;
  return new ConnectionError(`${what} broke off after ${received}${of} bytes: ${error.message}`, { cause: error });
}

/** A longer header is no name. */
const longestHeader = 2000;

/** The file name of a `Content-Disposition` header (RFC 6266), made safe: no folder, no control characters. */
function fileNameIn(header: string | null): string | undefined {
  if (header === null || header.length > longestHeader) return undefined;
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1];
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1');
  const bare = /;\s*filename\s*=\s*([^";\s]+)/i.exec(header)?.[1];
  const name = (extended === undefined ? undefined : decoded(extended)) ?? quoted ?? bare;
  const safe = name
    ?.replace(/^.*[/\\]/s, '')
    .replace(/\p{Cc}/gu, '')
    .trim();
  return safe === undefined || /^\.{0,2}$/.test(safe) ? undefined : safe;
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
