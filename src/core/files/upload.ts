import type { Writable } from 'node:stream';
import type { Issue } from '../errors/errors.js';
import type { UploadProgress } from '../scope/call-options.js';
import { checkFile, hintForPath, issueAt, typeOf, validateSize } from './file-source.js';
import type { Bytes, ByteStream, FileInput, ResolvedFile } from './file-source.js';

/** Creates the error of a file that cannot be uploaded. `prefix` is the beginning of its message. */
export type RejectFile = (issues: Issue | readonly Issue[], prefix?: string) => Error;

/** A file that can be uploaded. */
export interface OpenFile {
  readonly source: ResolvedFile;
  readonly filename: string;
  readonly size: number;
  readonly contentType: string | undefined;
  readonly reject: RejectFile;
}

const chunkSize = 64 * 1024;

/** Reads a file once, counts its bytes, and stores the error if reading fails. */
export class UploadReader {
  readonly #file: OpenFile;
  readonly #onProgress: (progress: UploadProgress) => void;
  #close: (() => void) | undefined;
  #isStopped = false;
  failure: Error | undefined;

  constructor(file: OpenFile, onProgress: (progress: UploadProgress) => void) {
    this.#file = file;
    this.#onProgress = onProgress;
  }

  async *chunks(): AsyncGenerator<Bytes, void, undefined> {
    const { size, reject } = this.#file;
    let sentBytes = 0;
    try {
      const iterator = this.#open();
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        const chunk = bytesOf(next.value);
        if (sentBytes + chunk.byteLength > size) {
          sentBytes += chunk.byteLength;
          break;
        }
        // Large chunks are split, so that progress is reported within them.
        for (let at = 0; at < chunk.byteLength; at += chunkSize) {
          const piece = chunk.subarray(at, at + chunkSize);
          sentBytes += piece.byteLength;
          this.#onProgress({ sentBytes, totalBytes: size });
          yield piece;
        }
      }
    } catch (error) {
      throw this.#fail(unreadable(error, reject));
    } finally {
      this.#closeSource();
    }
    if (sentBytes === size) return;
    const actual = sentBytes > size ? 'more bytes than' : `${sentBytes} bytes instead of`;
    throw this.#fail(reject(issueAt('file', `\`file\` has ${actual} the stated ${size}`), 'Not stored: '));
  }

  /** After `stop()`, reading fails because it was stopped, which is not why the attempt failed. */
  #fail(error: Error): Error {
    if (!this.#isStopped) this.failure = error;
    return error;
  }

  /** Closes the source, also during a read that may never end, and also a stream that was not read. */
  stop(): void {
    try {
      if (!this.#close && this.#file.source.kind === 'stream') this.#open();
    } catch {
      // The stream has another reader.
    }
    this.#isStopped = true;
    this.#closeSource();
  }

  #closeSource(): void {
    try {
      this.#close?.();
    } catch {
      // The attempt must end even if the source cannot be closed.
    }
    this.#close = () => undefined;
  }

  #open(): Iterator<unknown> | AsyncIterator<unknown> {
    const { source } = this.#file;
    // A copy of the request may be read later, when nobody would close a file on disk.
    if (this.#isStopped && source.kind === 'path') throw new Error('the upload has ended');
    const stream = chunksOf(source);
    const { destroy } = stream as { destroy?: (this: unknown) => void };
    const iterator = iteratorOf(stream);
    this.#close = () => {
      if (destroy) destroy.call(stream);
      else void Promise.resolve(iterator.return?.()).catch(() => undefined);
    };
    return iterator;
  }
}

function chunksOf(source: ResolvedFile): Iterable<Bytes> | ByteStream {
  if (source.kind === 'bytes') return [source.bytes];
  if (source.kind === 'stream') return source.stream;
  if (source.kind === 'blob') return source.blob.stream();
  return process.getBuiltinModule('node:fs').createReadStream(source.path);
}

/** Some platforms cannot iterate their web streams, but all have readers. */
function iteratorOf(stream: Iterable<Bytes> | ByteStream): Iterator<unknown> | AsyncIterator<unknown> {
  if (Array.isArray(stream)) return stream[Symbol.iterator]();
  if (!(stream instanceof ReadableStream)) return (stream as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const reader = (stream as ReadableStream<unknown>).getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? { done, value: undefined } : { done: false, value };
    },
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

function bytesOf(chunk: unknown): Bytes {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  if (chunk instanceof Uint8Array) return chunk as Bytes;
  throw new TypeError('it contains a chunk that is neither bytes nor text');
}

/** Creates the error of a file that cannot be read. */
export function unreadable(error: unknown, reject: RejectFile, given?: string): Error {
  // A stream may fail without a reason.
  const { code, message } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  const hint = given !== undefined && code?.startsWith('EN') ? hintForPath(given) : '';
  const problem = reject(issueAt('file', `\`file\` cannot be read (${code ?? message ?? 'without a reason'})${hint}`));
  problem.cause = error;
  return problem;
}

/** A multipart body. It is sent once, in one of these ways. */
export interface StreamedBody {
  /** Writes the body into a request of `node:http`; absent if the platform has no streams of Node.js. */
  readonly pipeTo?: (request: Writable) => void;
  /** Returns the body for `fetch`. */
  readonly forFetch: () => BodyInit;
}

/** The body of an attempt of an upload. */
export interface MultipartBody {
  readonly body: StreamedBody;
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the service has accepted the file. */
  readonly onArrival: () => void;
  /** Returns the error that occurred while the file was read. */
  readonly failure: () => Error | undefined;
  /** Closes the file when the attempt has ended. */
  readonly close: () => void;
}

/** A file that is ready to be uploaded: its size is known and valid. */
export interface Upload {
  /** Whether the file can be sent again; a stream cannot. */
  readonly isReplayable: boolean;
  /** Closes a stream that no attempt has read. */
  dispose(): void;
  /** `onProgress` does not throw. */
  build(onProgress: (progress: UploadProgress) => void): Promise<MultipartBody>;
}

/** How a platform reads and sends files. */
export interface UploadPlatform {
  /** Returns the size of a file on disk; absent if the platform has no files. */
  readonly sizeOnDisk?: (path: string | URL | Uint8Array, reject: RejectFile, given?: string) => Promise<number>;
  readonly build: (file: OpenFile, onProgress: (progress: UploadProgress) => void) => Promise<MultipartBody>;
}

/** Browsers and Workers have `FormData`, but no files on disk. */
const portable: UploadPlatform = { build: platformForm };

/**
 * Checks a file before it is uploaded. This module is loaded on first use. It imports no error classes, because
 * bundlers would move them to a separate chunk; `reject` creates its errors.
 *
 * @throws what `reject` returns when the file is invalid or cannot be read.
 */
export async function openUpload(
  input: FileInput,
  reject: RejectFile,
  maxBytes = Infinity,
  { sizeOnDisk, build } = portable,
): Promise<Upload> {
  const checked = checkFile(input, maxBytes);
  if ('issues' in checked) throw reject(checked.issues);
  const { filename } = checked;
  const source = await sized(checked.source, input.size, maxBytes, reject);
  if (source.kind === 'path' && !sizeOnDisk)
    throw reject(issueAt('file', '`file` is a path, and this platform has no files; give a Blob'));
  const path = pathOf(source, input.size);
  const given = typeof input.file === 'string' ? input.file : undefined;
  const onDisk = path === undefined ? 0 : ((await sizeOnDisk?.(path, reject, given)) ?? 0);
  const size = sizeOf(source, input.size, onDisk);
  const issue = validateSize(size, maxBytes);
  if (issue) throw reject(issue);
  const contentType = input.contentType ?? typeOf(source);
  const file: OpenFile = { source, filename, size, contentType, reject };
  let isBuilt = false;
  return {
    isReplayable: source.kind !== 'stream',
    dispose: () => {
      if (!isBuilt) new UploadReader(file, () => undefined).stop();
    },
    build: (onProgress) => {
      isBuilt = true;
      return build(file, onProgress);
    },
  };
}

/** The path whose size is to be found. */
function pathOf(source: ResolvedFile, given: number | undefined): string | URL | Uint8Array | undefined {
  if (source.kind === 'path') return source.path;
  return source.kind === 'stream' && given === undefined ? source.stated?.part?.path : undefined;
}

function sizeOf(source: ResolvedFile, given: number | undefined, onDisk: number): number {
  if (source.kind === 'path') return onDisk;
  if (source.kind === 'bytes') return source.bytes.byteLength;
  if (source.kind === 'blob') return source.blob.size;
  const { size, part } = source.stated ?? {};
  if (!part) return given ?? size ?? 0;
  const { start = 0, end = Infinity } = part;
  return given ?? Math.max(0, Math.min(end + 1, onDisk) - start);
}

/** A response without a length is read into memory, up to what an upload takes: the service wants the length first. */
async function sized(
  source: ResolvedFile,
  given: number | undefined,
  maxBytes: number,
  reject: RejectFile,
): Promise<ResolvedFile> {
  if (source.kind !== 'stream' || !source.stated) return source;
  const { size = given, part, type } = source.stated;
  if (size !== undefined || part) return source;
  const chunks: Bytes[] = [];
  let length = 0;
  const iterator = iteratorOf(source.stream);
  try {
    for (let next = await iterator.next(); !next.done && length <= maxBytes; next = await iterator.next())
      length += chunks[chunks.push(bytesOf(next.value)) - 1]?.byteLength ?? 0;
  } catch (error) {
    throw unreadable(error, reject);
  }
  if (length > maxBytes) {
    await iterator.return?.();
    throw reject(issueAt('file', `\`file\` has more than ${maxBytes} bytes, which is the most that an upload takes`));
  }
  return { kind: 'blob', blob: new Blob(chunks, type === undefined ? {} : { type }) };
}

/**
 * Creates a `FormData` body. The platform streams a Blob; progress is reported only at the beginning and at the end.
 */
async function platformForm(file: OpenFile, onProgress: (progress: UploadProgress) => void): Promise<MultipartBody> {
  const { source, filename, size, contentType } = file;
  const form = new FormData();
  const blob = source.kind === 'blob' ? source.blob : new Blob(await readAll(file));
  form.append('file', contentType === undefined ? blob : blob.slice(0, size, contentType), filename);
  onProgress({ sentBytes: 0, totalBytes: size });
  return {
    body: { forFetch: () => form },
    headers: {},
    onArrival: () => onProgress({ sentBytes: size, totalBytes: size }),
    failure: () => undefined,
    close: () => undefined,
  };
}

async function readAll(file: OpenFile): Promise<Bytes[]> {
  const chunks: Bytes[] = [];
  for await (const chunk of new UploadReader(file, () => undefined).chunks()) chunks.push(chunk);
  return chunks;
}
