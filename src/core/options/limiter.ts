import type { Endpoint } from '../operation/endpoint.js';

/** An attempt that waits for a limiter. */
export interface AttemptInfo {
  readonly endpoint: Endpoint;
  /** The endpoints that the service limits together: the first part of their names, for example `messages`. */
  readonly group: string;
  /** Whether it is no GET or OPTIONS. The service counts reads and writes of a group separately. */
  readonly isWrite: boolean;
  /**
   * The id of the user for whom it is sent: the one in the access token, otherwise that of the seller in the path.
   * `undefined` if neither has one.
   */
  readonly user: string | undefined;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The host of the service. */
  readonly host: string;
  /** Aborts when the call ends early: the caller aborted it, or its deadline has passed. */
  readonly signal: AbortSignal;
}

/** The result of an attempt that a limiter had permitted. */
export interface AttemptReport extends Omit<AttemptInfo, 'signal'> {
  /** The status of the response; `undefined` if there was no response, or if the attempt was not sent after all. */
  readonly status: number | undefined;
  /** How long the service asked to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Decides when attempts are sent. Use your own limiter to share a limit between processes or machines.
 *
 * It is asked last, just before the attempt is sent. A call that waits for the client's own limits, for example during the
 * pause after a 429, holds nothing of it. If a pause begins while the call waits for `acquire`, `release` gives the permission
 * back, and both begin again.
 *
 * @example
 * import type { Limiter } from 'marketplace-seller-sdk';
 * const limiter: Limiter = {
 *   acquire: async ({ user, group, isWrite, signal }) => {
 *     const bucket = `${user}/${group}/${isWrite ? 'write' : 'read'}`;
 *     await fetch(`https://limits.internal/${bucket}`, { method: 'POST', signal });
 *   },
 * };
 */
export interface Limiter {
  /** Called before each attempt. When the promise resolves, the attempt is sent; when it rejects, the call fails. */
  acquire(attempt: AttemptInfo): void | Promise<void>;
  /** Called when an attempt has ended. Its errors are ignored. */
  release?(report: AttemptReport): void;
}
