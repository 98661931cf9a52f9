import type { ApiPromise } from './api-promise.js';
import type { Endpoint } from './endpoint.js';
import type { InternalOptions } from '../scope/call-options.js';

/** Makes the calls of the resources. */
export interface Requester {
  /** The default deadline in milliseconds. It limits an operation of several calls as a whole. */
  readonly deadlineMs?: number | undefined;
  /** Reports a list that ended before its total. It does not throw. */
  onEarlyEnd?(end: { endpoint: Endpoint; delivered: number; total: number }): void;
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: InternalOptions): ApiPromise<Out>;
}
