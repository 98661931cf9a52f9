/** What a source says of its file: a stream of a path, a response, or a download. */
export interface StatedFile {
  /** A stream of Node.js, a web stream, or another async iterable. */
  readonly stream: unknown;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly size?: number | undefined;
  /** The part of a file on disk that a stream reads. Its size is that of the stream. */
  readonly part?: PartOnDisk;
  /** Why it cannot be sent. */
  readonly problem?: string | undefined;
}

/** A part of a file on disk; `end` is its last byte. */
export interface PartOnDisk {
  readonly path: string | Uint8Array;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/** Reads what a source says of its file; `undefined` if it says nothing, as bytes and other streams. */
export function statedFileOf(file: object): StatedFile | undefined {
  if ('status' in file && 'headers' in file && 'body' in file) return ofResponse(file as Response);
  if ('stream' in file && typeof file.stream === 'object' && 'contentType' in file)
    return ofDownload(file as DownloadedFile);
  return Symbol.asyncIterator in file && 'path' in file ? ofReadStream(file) : undefined;
}

/** A response of any `fetch`. Without a body it is an empty file. */
function ofResponse(response: Response): StatedFile {
  const { status, headers, body, bodyUsed, url } = response;
  const isOk = status >= 200 && status < 300;
  return {
    stream: body ?? new Blob([]).stream(),
    name: fileNameIn(headers.get('content-disposition')) ?? lastSegment(url),
    type: headers.get('content-type') ?? undefined,
    size: body ? sizeIn(headers) : 0,
    problem: isOk ? problemOf(bodyUsed) : `is a response with the status ${status}, which brings no file`,
  };
}

/** A file that this library downloads. */
export interface DownloadedFile {
  readonly stream: ReadableStream<Uint8Array>;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
  readonly size?: number | undefined;
}

function ofDownload({ stream, filename, contentType, size }: DownloadedFile): StatedFile {
  return { stream, name: filename, type: contentType, size, problem: problemOf(stream.locked) };
}

/** A stream of `createReadStream`. */
function ofReadStream(stream: { readonly path: unknown }): StatedFile | undefined {
  const { path, start, end } = stream as { path: unknown; start?: number; end?: number };
  if (typeof path !== 'string' && !(path instanceof Uint8Array)) return undefined;
  const text = typeof path === 'string' ? path : new TextDecoder().decode(path);
  const { readableDidRead, destroyed } = stream as { readableDidRead?: boolean; destroyed?: boolean };
  const name = text.slice(lastSeparator(text) + 1);
  return {
    stream,
    name,
    part: { path, start, end },
    problem: problemOf(readableDidRead === true && destroyed === true),
  };
}

function problemOf(isRead: boolean): string | undefined {
  return isRead ? 'has been read before; it can be read once' : undefined;
}

/** A backslash separates folders only in a Windows path. In other paths it is part of a name. */
export function lastSeparator(path: string): number {
  const isWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
  return isWindows ? Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) : path.lastIndexOf('/');
}

/** The name at the end of the path of a URL; `undefined` if there is none, or it cannot be decoded. */
export function lastSegment(url: string | URL | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { pathname } = new URL(url);
  const name = decoded(pathname.slice(pathname.lastIndexOf('/') + 1));
  return name === '' ? undefined : name;
}

/** The size of the file. For a partial response, which was not requested, the size of the whole file: reading fails. */
export function sizeIn(headers: Pick<Headers, 'get'>): number | undefined {
  const whole = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/.exec(headers.get('content-range') ?? '')?.[1];
  const length = whole ?? headers.get('content-length');
  // The length of a compressed response is not the size of the file.
  return length !== null && headers.get('content-encoding') === null ? Number(length) : undefined;
}

/** The maximum length of a header from which a name is read. */
const longestHeader = 2000;

/** The file name in a `Content-Disposition` header (RFC 6266), without folders and control characters. */
export function fileNameIn(header: string | null): string | undefined {
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
