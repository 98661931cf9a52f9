import type { CancelScope } from '../retry/cancel-scope.js';
import type { Bytes } from './bytes.js';
import type { DownloadParts } from './download.js';
import type { DownloadProgress } from './progress.js';

export { redirectFollower } from './redirects.js';

/** The response that a download reads. */
interface DownloadSource {
  readonly headers: Pick<Headers, 'get'>;
  /** Whether the end of the body cannot be distinguished from a lost connection. */
  readonly hasOpenEnd?: boolean;
  stream(): ReadableStream<Uint8Array> | null;
}

/** The limits and callbacks of a download. */
interface DownloadContext {
  /** The name of the call in messages: method and path. */
  readonly what: string;
  /** The maximum time between two chunks, in milliseconds. */
  readonly timeoutMs: number;
  /** It does not throw. */
  readonly onProgress: (progress: DownloadProgress) => void;
  /** Creates the error of a lost connection. */
  readonly lost: (message: string, cause: Error) => Error;
  readonly reject: DownloadParts['reject'];
}

/**
 * Begins to read a response as a file. This module is loaded on first use. It imports no error classes, because
 * bundlers would move them to a separate chunk; `lost` and `reject` create its errors.
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

/** The size of the file. For a partial response, which was not requested, the size of the whole file: reading fails. */
function sizeIn(headers: DownloadSource['headers']): number | undefined {
  const whole = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/.exec(headers.get('content-range') ?? '')?.[1];
  const length = whole ?? headers.get('content-length');
  // The length of a compressed response is not the size of the file.
  return length !== null && headers.get('content-encoding') === null ? Number(length) : undefined;
}

type Body = ReadableStream<Bytes>;

/** A body, and what is known about its end. */
interface UnreadBody {
  readonly body: Body;
  readonly size: number | undefined;
  readonly hasOpenEnd: boolean;
}

/** Closes the connections of downloads that were garbage-collected before they were read. */
const dropped = new FinalizationRegistry<() => void>((close) => {
  close();
});

/** Limits a body: the caller's signal, the deadline, and `timeoutMs` without a chunk end it immediately. */
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
        // The caller's signal may live long, so it must not keep a reference to a stream that is no longer used.
        const weak = new WeakRef(controller);
        // Also ends the stream while nobody reads it.
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
          context.onProgress({ receivedBytes, totalBytes: size });
          controller.enqueue(value);
        } catch (error) {
          finish();
          void reader.cancel(error).catch(() => undefined);
          throw readError(error, context, receivedBytes, size);
        }
      },
      cancel: (reason) => {
        finish();
        // It would also wait for a copy of the response that a `fetch` of the user keeps.
        reader.cancel(reason).catch(() => undefined);
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

function readError(
  error: unknown,
  { what, lost }: DownloadContext,
  received: number,
  size: number | undefined,
): unknown {
  // Every network failure of `fetch` is a TypeError. Other errors come from this library or from the caller.
  if (!(error instanceof TypeError)) return error;
  const of = size === undefined ? '' : ` of ${size}`;
  return lost(`${what} broke off after ${received}${of} bytes: ${error.message}`, error);
}

/** The maximum length of a header from which a name is read. */
const longestHeader = 2000;

/** The file name in a `Content-Disposition` header (RFC 6266), without folders and control characters. */
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
