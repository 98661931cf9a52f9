import type { CancelScope } from '../scope/cancel-scope.js';
import type { Bytes } from './file-source.js';
import { Download } from './download.js';
import type { DownloadParts } from './download.js';
import { limitedStream } from './limited-stream.js';
import type { StreamContext } from './limited-stream.js';

export { redirectsOf } from './redirects.js';

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

/** The size of the file. For a partial response, which was not requested, the size of the whole file: reading fails. */
function sizeIn(headers: DownloadSource['headers']): number | undefined {
  const whole = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/.exec(headers.get('content-range') ?? '')?.[1];
  const length = whole ?? headers.get('content-length');
  // The length of a compressed response is not the size of the file.
  return length !== null && headers.get('content-encoding') === null ? Number(length) : undefined;
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
