// `AsyncDisposable`, for callers whose `lib` is older than it.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Issue } from '../schema/issue.js';
import type { Bytes } from './bytes.js';

/** What is known of a download when it begins. */
export interface DownloadParts {
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  readonly size: number | undefined;
  readonly stream: ReadableStream<Bytes>;
  /** Creates the error of a path that takes no file. */
  readonly reject: (issue: Issue, prefix: string) => Error;
}

/**
 * A file that is being downloaded. Read it once, with one of its methods; until then only its beginning is in memory.
 * The call's `signal` and `deadlineMs` stay in force until its end; `timeoutMs` limits the silence between two chunks.
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
  /** The name the service gives the file, without any folder; `undefined` where it gives none. */
  readonly filename: string | undefined;
  /** The media type, e.g. `image/png`. */
  readonly contentType: string | undefined;
  /** The length in bytes; `undefined` where the service does not say. */
  readonly size: number | undefined;
  /** The file. It ends with an error, never early, when the connection breaks. */
  readonly stream: ReadableStream<Bytes>;

  readonly #reject: DownloadParts['reject'];

  constructor(parts: DownloadParts) {
    this.filename = parts.filename;
    this.contentType = parts.contentType;
    this.size = parts.size;
    this.stream = parts.stream;
    this.#reject = parts.reject;
  }

  /** Reads the whole file into memory. */
  async arrayBuffer(): Promise<ArrayBuffer> {
    if (this.stream.locked) throw new TypeError('The file was read before, or is being read');
    return await new Response(this.stream).arrayBuffer();
  }

  /**
   * Saves the file, replacing an existing one, whose mode it keeps. It is written beside the path and moved there when it
   * is complete, so that no partial file is left behind. Node, Deno and Bun only.
   *
   * @returns the path.
   * @throws {InvalidInputError} when there is a folder, a device, a pipe or a socket at the path.
   */
  async saveTo(path: string): Promise<string> {
    const { saveStream } = await import('./node.js');
    return saveStream(this.stream, path, this.#reject);
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
