import type { ConnectError } from './connect-errors.js';
import type { FileInput } from '../files/file-source.js';
import type { Upload } from '../files/upload.js';
import type { RejectFile } from '../files/upload-reader.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import type { Transport } from './transport.js';

/**
 * What differs between platforms. By the conditions in package.json, `#platform` is `portable.ts` for browsers, Workers and
 * React Native, so that bundles for these contain no code that they cannot use, and `node.ts` for Node.js, Deno and Bun.
 */
export interface Platform {
  /** What the running process remembers beside its objects: see `ofProcess`. A simulated process has its own. */
  memory(): Map<object, unknown>;
  /** Whether other processes may use the files of this one. */
  sharesFiles(): boolean;
  /**
   * Chooses the transport of a client: `fetch` or another one of the platform.
   *
   * @throws {ConfigurationError} when `agent` is given and has no effect.
   */
  chooseTransport(options: ResolvedOptions): Transport;
  /** Recognises a network error that certainly occurred before the service acted; `undefined` for other errors. */
  connectErrorOf(error: unknown): ConnectError | undefined;
  /** Returns the short reason of a network error: its code, otherwise its message. */
  networkReason(error: Error & { readonly code?: unknown }): string;
  /** Loads the module that opens files for uploads. */
  loadUploads(): Promise<{ openUpload(input: FileInput, reject: RejectFile, maxBytes?: number): Promise<Upload> }>;
}
