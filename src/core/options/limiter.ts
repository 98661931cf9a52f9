import type { Endpoint } from '../endpoint.js';

/** An attempt that asks a limiter for permission. */
export interface AttemptInfo {
  readonly endpoint: Endpoint;
  /** 1 for the first. */
  readonly attempt: number;
  /** The host that is called. */
  readonly host: string;
  /** Aborts when the call no longer waits: the caller aborted it, or its deadline has passed. */
  readonly signal: AbortSignal;
}

/** The result of an attempt that a limiter had permitted. */
export interface AttemptReport {
  readonly endpoint: Endpoint;
  readonly attempt: number;
  readonly host: string;
  /** The status of the response; `undefined` where there was none. */
  readonly status: number | undefined;
  /** How long the service asked to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Decides when attempts are sent. Give one of your own to share a limit between processes or machines; the client's own
 * rate limiter stays in force behind it.
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
  /** Called before each attempt, which is sent when the promise resolves. A rejection ends the call; nothing is sent. */
  acquire(attempt: AttemptInfo): void | Promise<void>;
  /** Called when an attempt has ended. */
  release?(report: AttemptReport): void;
}
