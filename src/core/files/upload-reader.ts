import type { Bytes } from './bytes.js';
import { InvalidInputError } from '../errors/errors.js';
import type { ResolvedFile } from './file-source.js';

/** How far an upload is. */
export interface UploadProgress {
  /** How many bytes of the file have been handed to the network. */
  readonly sentBytes: number;
  /** The length of the file. */
  readonly totalBytes: number;
}

/** A file that can be uploaded. */
export interface OpenFile {
  readonly known: ResolvedFile;
  readonly filename: string;
  readonly size: number;
  readonly contentType: string | undefined;
}

const chunkSize = 64 * 1024;

/** Reads a file once, counts what came, and remembers what went wrong. */
export class UploadReader {
  readonly #opened: OpenFile;
  readonly #onProgress: (progress: UploadProgress) => void;
  #stop: (() => void) | undefined;
  failure: Error | undefined;

  constructor(opened: OpenFile, onProgress: (progress: UploadProgress) => void) {
    this.#opened = opened;
    this.#onProgress = onProgress;
  }

  async *chunks(): AsyncGenerator<Bytes, void, undefined> {
    const { size } = this.#opened;
    let sentBytes = 0;
    try {
      for await (const chunk of this.#source()) {
        if (sentBytes + chunk.byteLength > size) {
          sentBytes += chunk.byteLength;
          break;
        }
        // In small pieces, so that progress is told of large ones too.
        for (let at = 0; at < chunk.byteLength; at += chunkSize) {
          const piece = chunk.subarray(at, at + chunkSize);
          sentBytes += piece.byteLength;
          this.#onProgress({ sentBytes, totalBytes: size });
          yield piece;
        }
      }
    } catch (error) {
      this.failure ??= unreadable(error);
      throw this.failure;
    }
    if (sentBytes === size) return;
    const came = sentBytes > size ? 'more bytes than' : `${sentBytes} bytes instead of`;
    this.failure = new InvalidInputError(
      [{ path: ['file'], message: `\`file\` gave ${came} the ${size} that it was said to have` }],
      'Not stored: ',
    );
    throw this.failure;
  }

  /** Lets go of the source, also in the middle of a read that may never end. */
  stop(): void {
    this.#stop?.();
  }

  async *#source(): AsyncGenerator<Bytes, void, undefined> {
    const { known } = this.#opened;
    if (known.kind === 'bytes') yield known.bytes;
    else yield* this.#streamed(await streamOf(known));
  }

  async *#streamed(stream: unknown): AsyncGenerator<Bytes, void, undefined> {
    const { destroy } = stream as { destroy?: (this: unknown) => void };
    const iterator = iteratorOf(stream);
    this.#stop = () => {
      if (destroy) destroy.call(stream);
      else iterator.return?.().catch(() => undefined);
    };
    try {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield bytesOf(next.value);
    } finally {
      this.stop();
    }
  }
}

async function streamOf(known: Exclude<ResolvedFile, { kind: 'bytes' }>): Promise<unknown> {
  if (known.kind === 'stream') return known.stream;
  if (known.kind === 'blob') return known.blob.stream();
  const { createReadStream } = await import('node:fs');
  return createReadStream(known.path);
}

/** Not every platform iterates its streams, but each has readers. */
function iteratorOf(stream: unknown): AsyncIterator<unknown> {
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
  throw new TypeError('it gave something that is neither bytes nor text');
}

/** The error that a file is which cannot be read. */
export function unreadable(error: unknown): InvalidInputError {
  const { code, message } = error as NodeJS.ErrnoException;
  const problem = new InvalidInputError([{ path: ['file'], message: `\`file\` cannot be read (${code ?? message})` }]);
  problem.cause = error;
  return problem;
}
