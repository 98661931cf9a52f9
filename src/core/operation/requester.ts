import type { ApiPromise } from './api-promise.js';
import type { Endpoint } from './endpoint.js';
import type { InternalOptions } from '../scope/call-options.js';

/** Makes the calls of the resources. */
export interface Requester {
  /** The default deadline in milliseconds. It limits an operation of several calls as a whole. */
  readonly deadlineMs?: number | undefined;
  /** Reports what is wrong with answers that were read, to `onDrift` and the logger. It does not throw. */
  onDrift?(drift: {
    readonly endpoint: Endpoint;
    readonly path: readonly PropertyKey[];
    readonly expected: string;
    readonly received: string;
  }): void;
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: InternalOptions): ApiPromise<Out>;
}
