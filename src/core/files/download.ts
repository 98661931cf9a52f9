// Declares `AsyncDisposable` for callers with an older `lib`.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Issue } from '../errors/errors.js';
import type { Bytes } from './file-source.js';

/** What is known about a download when it begins. */
export interface DownloadParts {
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  readonly size: number | undefined;
  readonly stream: ReadableStream<Bytes>;
  /** Creates the error of a path where no file can be saved. */
  readonly reject: (issue: Issue, prefix: string) => Error;
}

/**
 * A file that is being downloaded. Read it once, with one of its methods. Until then, only its beginning is in memory.
 * `signal` and `deadlineMs` of the call apply until the end of the file; `timeoutMs` limits the time between two
 * chunks.
 *
 * Call `cancel()` to close the connection of a file that you do not read.
 *
 * @example
 * const download = await seller.messages.download({ site_id: 'MLA', attachment_id });
 * if ((download.size ?? 0) > 1_000_000) await download.cancel();
 * else if (path) await download.saveTo(path);
 * else console.log(await download.arrayBuffer());
 */
export class Download implements AsyncDisposable {
  /** The name of the file that the service sent, without folders; `undefined` if it sent none. */
  readonly filename: string | undefined;
  /** The media type, e.g. `image/png`. */
  readonly contentType: string | undefined;
  /** The size in bytes; `undefined` if the service did not state it. */
  readonly size: number | undefined;
  /** The content of the file. If the connection is lost, the stream fails instead of ending early. */
  readonly stream: ReadableStream<Bytes>;

  readonly #reject: DownloadParts['reject'];
  /** Set before the stream is locked: `saveTo` first finds out where it can write. */
  #isTaken = false;

  /** @internal */
  constructor(parts: DownloadParts) {
    this.filename = parts.filename;
    this.contentType = parts.contentType;
    this.size = parts.size;
    this.stream = parts.stream;
    this.#reject = parts.reject;
  }

  /**
   * Reads the whole file into memory.
   *
   * @throws {InvalidInputError} when the file was read or cancelled before.
   */
  async arrayBuffer(): Promise<ArrayBuffer> {
    return await this.#unread().arrayBuffer();
  }

  /**
   * Saves the file. An existing file is replaced and keeps its mode. The content is written to a temporary file in the
   * same folder and moved when it is complete, so that no partial file is left. Only on Node.js, Deno and Bun.
   *
   * @returns the path.
   * @throws {InvalidInputError} when the path is a folder, a device, a pipe or a socket, when its folder does not exist,
   *   when the platform has no files, or when the file was read or cancelled before.
   */
  async saveTo(path: string): Promise<string> {
    const { saveStream } = await import('./node.js');
    this.#unread();
    this.#isTaken = true;
    return saveStream(this.stream, path, this.#reject);
  }

  #unread(): Response {
    try {
      if (!this.#isTaken) return new Response(this.stream);
    } catch {
      // The stream is locked or disturbed.
    }
    throw this.#reject({ path: [], message: 'the file was read before, is being read, or was cancelled' }, '');
  }

  /** Closes the connection without reading the file. */
  async cancel(): Promise<void> {
    if (!this.#isTaken && !this.stream.locked) await this.stream.cancel();
  }

  /** `await using file = await seller.messages.download(...)` closes the connection at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.cancel();
  }
}
