import type { CancelScope } from '../retry/cancel-scope.js';
import type { Bytes } from './bytes.js';
import type { DownloadParts } from './download.js';
import type { DownloadProgress } from './progress.js';

export { redirectFollower } from './redirects.js';

/** The response that a download reads. */
interface DownloadSource {
  readonly headers: Pick<Headers, 'get'>;
  /** The end of the body cannot be told from a connection that was lost. */
  readonly hasOpenEnd?: boolean;
  stream(): ReadableStream<Uint8Array> | null;
}

/** How a download is limited and reported. */
interface DownloadContext {
  /** Its name in a message: method and path. */
  readonly what: string;
  /** The longest silence between two chunks, in milliseconds. */
  readonly timeoutMs: number;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** Creates the error of a connection that was lost. */
  readonly lost: (message: string, cause: Error) => Error;
  readonly reject: DownloadParts['reject'];
}

/**
 * Begins to read a response as a file. This file is loaded on first use; what it imports of the client would be split from
 * the rest in every bundle, so `lost` and `reject` create its errors.
 */
export function openDownload(response: DownloadSource, scope: CancelScope, context: DownloadContext): DownloadParts {
  const { headers } = response;
  const size = sizeIn(headers);
  const body = (response.stream() ?? new Blob([]).stream()) as ReadableStream<Bytes>;
  return {
    filename: fileNameIn(headers.get('content-disposition')),
    contentType: headers.get('content-type') ?? undefined,
    size,
    stream: limitedStream({ body, size, hasOpenEnd: response.hasOpenEnd === true }, scope, context),
    reject: context.reject,
  };
}

/** The length of the file: of a part that nobody asked for, that of the whole, so that it ends as one that is cut. */
function sizeIn(headers: DownloadSource['headers']): number | undefined {
  const whole = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/.exec(headers.get('content-range') ?? '')?.[1];
  const length = whole ?? headers.get('content-length');
  // The length of a compressed response is not the file's.
  return length !== null && headers.get('content-encoding') === null ? Number(length) : undefined;
}

type Body = ReadableStream<Bytes>;

/** A body, and what is known of its end. */
interface UnreadBody {
  readonly body: Body;
  readonly size: number | undefined;
  readonly hasOpenEnd: boolean;
}

/** Closes the connections of downloads that the program has dropped unread. */
const dropped = new FinalizationRegistry<() => void>((close) => {
  close();
});

/** The body within the limits of its call: the caller's signal, its deadline, and silence end it at once. */
function limitedStream({ body, size, hasOpenEnd }: UnreadBody, scope: CancelScope, context: DownloadContext): Body {
  const reader = body.getReader();
  const finished = Promise.withResolvers<undefined>();
  let receivedBytes = 0;
  const finish = (): void => {
    finished.resolve(undefined);
    scope.dispose();
  };
  const stream = new ReadableStream<Bytes>(
    {
      start: (controller) => {
        // The caller's signal may live long: it must not keep a stream that nobody reads.
        const weak = new WeakRef(controller);
        // The end of the call must reach a reader that is not reading at the moment.
        scope
          .race(() => finished.promise)
          .catch((error: unknown) => {
            weak.deref()?.error(error);
            finish();
            return reader.cancel(error);
          })
          .catch(() => undefined);
      },
      pull: async (controller) => {
        try {
          const { done, value } = await scope.race(() => reader.read(), undefined, context.timeoutMs);
          if (done && size !== undefined && receivedBytes < size) throw new TypeError('the response ended early');
          if (done && hasOpenEnd)
            throw new TypeError('the response is compressed and states no length, so it may be cut');
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
          throw readError(error, context, receivedBytes, size);
        }
      },
      cancel: async (reason) => {
        finish();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  dropped.register(stream, () => {
    finish();
    reader.cancel().catch(() => undefined);
  });
  return stream;
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

function readError(
  error: unknown,
  { what, lost }: DownloadContext,
  received: number,
  size: number | undefined,
): unknown {
  if (error instanceof CallbackError) return error.cause;
  // Every network failure of fetch is a TypeError; what else comes here is ours or the caller's own.
  if (!(error instanceof TypeError)) return error;
  const of = size === undefined ? '' : ` of ${size}`;
  return lost(`${what} broke off after ${received}${of} bytes: ${error.message}`, error);
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
