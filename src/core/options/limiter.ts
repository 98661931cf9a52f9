import type { Endpoint } from '../operation/endpoint.js';

/** An attempt that waits for a limiter. */
export interface AttemptInfo {
  readonly endpoint: Endpoint;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The host of the service. */
  readonly host: string;
  /** Aborts when the call ends early: the caller aborted it, or its deadline has passed. */
  readonly signal: AbortSignal;
}

/** The result of an attempt that a limiter had permitted. */
export interface AttemptReport {
  readonly endpoint: Endpoint;
  readonly attempt: number;
  readonly host: string;
  /** The status of the response; `undefined` if there was no response. */
  readonly status: number | undefined;
  /** How long the service asked to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Decides when attempts are sent. Use your own limiter to share a limit between processes or machines. The rate limiter
 * of the client still applies after it.
 *
 * @example
 * import type { Limiter } from 'marketplace-seller-sdk';
 * const limiter: Limiter = {
 *   acquire: async ({ host, signal }) => {
 *     await fetch(`https://limits.internal/${host}`, { method: 'POST', signal });
 *   },
 * };
 */
export interface Limiter {
  /** Called before each attempt. When the promise resolves, the attempt is sent; when it rejects, the call fails. */
  acquire(attempt: AttemptInfo): void | Promise<void>;
  /** Called when an attempt has ended. Its errors are ignored. */
  release?(report: AttemptReport): void;
}
