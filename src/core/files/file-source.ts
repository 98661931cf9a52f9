import type { Issue } from '../errors/errors.js';

/**
 * Bytes that are not in shared memory, so `fetch` and `Blob` accept them: `Uint8Array<ArrayBuffer>` in TypeScript 5.7
 * and later, `Uint8Array` in earlier versions, where it is not generic.
 */
export type Bytes = ReturnType<Uint8Array['slice']>;

/** A stream of bytes: a Node stream, a web stream, or another async iterable. */
export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** The source of a file to upload. */
export interface FileSource {
  /**
   * A path or a `file:` URL (only on Node.js, Deno and Bun), a `File`, bytes, a `Blob`, a `Response`, a download, or a stream. A stream
   * can be read only once, so its upload is never retried. A `Response` without a length is read into memory first.
   */
  readonly file:
    | string
    | URL
    | File
    | Uint8Array
    | ArrayBuffer
    | Blob
    | Response
    | {
        readonly stream: ReadableStream<Uint8Array>;
        readonly filename?: string | undefined;
        readonly contentType?: string | undefined;
        readonly size?: number | undefined;
      }
    | AsyncIterable<Uint8Array>
    | ReadableStream<Uint8Array>;
  /**
   * The name of the file, without `/` and `\`. Bytes, a `Blob` and a stream need one. A path, a `File`, a stream of
   * `createReadStream` and a `Response` whose URL or headers name it have one.
   */
  readonly filename?: string | undefined;
  /**
   * The media type.
   *
   * @default the `type` of a `Blob` or `File`, the `content-type` of a `Response`; otherwise, on Node.js, Deno and Bun, derived from the file name
   */
  readonly contentType?: string | undefined;
  /** The size of a stream, in bytes. A stream needs it, unless it is of `createReadStream`: then it is that of its file. */
  readonly size?: number | undefined;
}

/** A file to upload, before it is checked. */
export interface FileInput {
  readonly file?: unknown;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
  readonly size?: number | undefined;
}

/** The source of a file to upload, by its kind. */
export type ResolvedFile =
  | { readonly kind: 'path'; readonly path: string | URL }
  | { readonly kind: 'bytes'; readonly bytes: Bytes }
  | { readonly kind: 'blob'; readonly blob: Blob }
  | { readonly kind: 'stream'; readonly stream: ByteStream; readonly stated?: StatedFile };

/** Returns the source of a file with its kind; `undefined` if the value is not a source, or its bytes are detached. */
function resolveFile(file: unknown): ResolvedFile | undefined {
  try {
    if (typeof file === 'string' || file instanceof URL) return { kind: 'path', path: file };
    if (file instanceof ArrayBuffer) return { kind: 'bytes', bytes: new Uint8Array(file) };
    if (ArrayBuffer.isView(file))
      return { kind: 'bytes', bytes: new Uint8Array(file.buffer as ArrayBuffer, file.byteOffset, file.byteLength) };
    if (typeof file !== 'object' || file === null) return undefined;
    const stated = statedFileOf(file);
    if (stated) return { kind: 'stream', stream: stated.stream as ByteStream, stated };
    if ('arrayBuffer' in file && 'size' in file) return { kind: 'blob', blob: file as Blob };
    if ('getReader' in file || Symbol.asyncIterator in file) return { kind: 'stream', stream: file as ByteStream };
  } catch {
    // Its bytes are detached.
  }
  return undefined;
}

/** Returns the name with which a file is sent; `undefined` if it has none. */
export function fileNameOf({ file, filename }: FileInput, source = resolveFile(file)): string | undefined {
  if (filename !== undefined) return filename;
  if (typeof file === 'string') return file.slice(lastSeparator(file) + 1);
  if (file instanceof URL) return lastSegment(file);
  if (source?.kind === 'stream' && source.stated) return source.stated.name;
  if (!source) return undefined;
  const { name } = file as { name?: unknown };
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** A file to upload with its name, or the issues that were found without reading it. */
export type CheckedFile =
  | { readonly source: ResolvedFile; readonly filename: string }
  | { readonly issues: readonly Issue[] };

/** Checks a file to upload without reading it. */
export function checkFile(input: FileInput, maxBytes: number): CheckedFile {
  const source = resolveFile(input.file);
  const filename = fileNameOf(input, source);
  const issues = [
    source ? undefined : issueAt('file', '`file` takes a path, bytes, a Blob, a Response or a stream'),
    filename === undefined ? source && issueAt('filename', nameIsMissing) : validateName(filename),
    validateContentType(input.contentType),
    source && validateSource(source, input.size, maxBytes),
  ].filter((issue) => issue !== undefined);
  return source && filename !== undefined && issues.length === 0 ? { source, filename } : { issues };
}

const nameIsMissing =
  '`filename` is missing; a path, a stream of a path, a `File`, and a response that is named by its URL or headers have one';

function validateName(name: string): Issue | undefined {
  if (name.trim() === '') return issueAt('filename', '`filename` is blank');
  if (/[/\\]/.test(name)) return issueAt('filename', '`filename` contains / or \\; it takes a bare name');
  if (/[\u0000-\u001f\u007f]/.test(name)) return issueAt('filename', '`filename` contains a control character');
  return undefined;
}

/** A line break would start another header in the multipart body. */
function validateContentType(contentType: string | undefined): Issue | undefined {
  if (contentType === undefined || isHeaderText(contentType)) return undefined;
  return issueAt('contentType', '`contentType` is not a media type such as "application/pdf"');
}

function validateSource(source: ResolvedFile, given: number | undefined, maxBytes: number): Issue | undefined {
  if (source.kind !== 'stream' && given !== undefined)
    return issueAt('size', '`size` is only for a stream; the length of other files is known');
  if (source.kind === 'path') return validatePath(source.path);
  if (source.kind === 'bytes') return validateSize(source.bytes.byteLength, maxBytes);
  if (source.kind === 'blob') return validateSize(source.blob.size, maxBytes);
  const { stated } = source;
  if (stated?.problem !== undefined) return issueAt('file', `\`file\` ${stated.problem}`);
  const size = given ?? stated?.size;
  if (size !== undefined) return validateSize(size, maxBytes);
  return stated ? undefined : issueAt('size', '`size` is missing; a stream takes its length in bytes');
}

function validatePath(path: string | URL): Issue | undefined {
  const isFile = typeof path === 'string' ? !/^(?:https?|data|blob):/i.test(path) : path.protocol === 'file:';
  return isFile
    ? undefined
    : issueAt('file', '`file` is an address, not a path; give its response: `await fetch(address)`');
}

/** Why nothing can be read at a path: a text may be the content itself. It is not repeated. */
export function hintForPath(path: string): string {
  const content = isBase64(path) ? "this looks like base64: give `Buffer.from(text, 'base64')`" : 'content as bytes';
  return `; text is taken as a path, and ${content} with a \`filename\``;
}

/** Whether a text has only characters of base64, and a padding, a run of mixed case or a length that paths do not have. */
function isBase64(text: string): boolean {
  if (text.length < 16 || /[^A-Za-z\d+/=\s]/.test(text)) return false;
  const runs = text.match(/[A-Za-z\d]{20,}/g) ?? [];
  return text.length > 200 || /[+=]/.test(text) || runs.some((run) => /[a-z]/.test(run) && /[A-Z]/.test(run));
}

/** Returns the media type that a source states. An object that only resembles a `Blob` may state anything. */
export function typeOf(source: ResolvedFile): string | undefined {
  const type: unknown = source.kind === 'blob' ? source.blob.type : source.kind === 'stream' && source.stated?.type;
  return typeof type === 'string' && isHeaderText(type) ? type : undefined;
}

function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text);
}

/** Returns the issue of a file that is empty or too large. */
export function validateSize(size: number, maxBytes: number): Issue | undefined {
  if (size <= 0) return issueAt('file', '`file` is empty');
  if (size > maxBytes) return issueAt('file', `\`file\` has ${size} bytes; an upload takes at most ${maxBytes}`);
  return undefined;
}

/** Creates an issue for a field of the input. */
export function issueAt(field: string, message: string): Issue {
  return { path: [field], message };
}

/** What a source says of its file: a stream of a path, a response, or a download. */
interface StatedFile {
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
function statedFileOf(file: object): StatedFile | undefined {
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
interface DownloadedFile {
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
function lastSeparator(path: string): number {
  const isWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
  return isWindows ? Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) : path.lastIndexOf('/');
}

/** The name at the end of the path of a URL; `undefined` if there is none, or it cannot be decoded. */
function lastSegment(url: string | URL | undefined): string | undefined {
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
