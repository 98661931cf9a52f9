import type { FileInput } from '../files/file-source.js';
import type { Upload } from '../files/upload.js';
import type { RejectFile } from '../files/upload-reader.js';
import type { Channel } from '../observability/events.js';
import type { Logger } from '../options/hooks.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import type { Transport } from '../transport/transport.js';

/** What an error says that came before the service acted. */
export interface ConnectError {
  /** What to do about it. */
  readonly remedy: string;
  /** The same request fails again: a retry cannot help. */
  readonly isPermanent?: true;
}

/** What opens files for uploads. */
export interface Uploads {
  readonly openUpload: (input: FileInput, reject: RejectFile, maxBytes?: number) => Promise<Upload>;
}

/**
 * What the client does in another way on Node than elsewhere. `#platform` of package.json leads to `node.ts` on Node,
 * Deno and Bun, and to `portable.ts` in browsers and Workers, so that these carry nothing that they cannot use.
 */
export interface Platform {
  /**
   * Chooses what sends the requests of a client, among `fetch` and what else the platform has.
   *
   * @throws {ConfigurationError} when `agent` is given where it has no effect.
   */
  chooseTransport(options: ResolvedOptions, sendWithFetch: Transport): Transport;
  /** Options of `fetch` for a request that may be silent for `timeoutMs`. */
  silenceOptions(fetch: unknown, timeoutMs: number): object | undefined;
  /** Whether the end of a body that `fetch` delivers cannot be told from a connection that was lost. */
  hasOpenEnd(fetch: unknown, headers: Headers): boolean;
  /** Recognises a network error that certainly came before the service acted; `undefined` for any other error. */
  connectErrorOf(error: unknown): ConnectError | undefined;
  /** The reason of a network error, in short: its code, else its message. */
  networkReason(error: Error & { readonly code?: unknown }): string;
  /** Loads what opens files for uploads. */
  loadUploads(): Promise<Uploads>;
  /** A logger that an environment variable switches on; `undefined` where it is off. */
  debugLogger(): Logger | undefined;
  /** Opens the channel that carries every `CallEvent`; `undefined` where the platform has none. */
  openChannel(): Channel | undefined;
}
