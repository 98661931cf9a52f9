import type { Issue } from '../errors/issue.js';
import { issueAt } from './file-source.js';
import type { Bytes, ByteStream, ResolvedFile } from './file-source.js';
import type { UploadProgress } from '../scope/call-options.js';

/** Creates the error of a file that cannot be uploaded. `prefix` is the beginning of its message. */
export type RejectFile = (issue: Issue, prefix?: string) => Error;

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
export function unreadable(error: unknown, reject: RejectFile): Error {
  // A stream may fail without a reason.
  const { code, message } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  const problem = reject(issueAt('file', `\`file\` cannot be read (${code ?? message ?? 'without a reason'})`));
  problem.cause = error;
  return problem;
}
