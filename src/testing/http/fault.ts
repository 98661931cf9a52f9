import type { Endpoint } from '../../core/operation/endpoint.js';
import type { EndpointName } from '../../endpoints.js';
import type { RequestFilter } from './request-filter.js';

/** What a fault does. Without any of these, the call only takes `delayMs` longer. */
export interface FaultKind {
  /** Responds with this status. The service does not act, unless `after` is `true`. */
  readonly status?: number | undefined;
  /** The body of that response: a string is sent unchanged, other values are sent as JSON. */
  readonly body?: unknown;
  /** The headers of that response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** With `status`: the service acts first, and its own response is lost. */
  readonly after?: boolean | undefined;
  /** Breaks the connection, before or after the service acts. */
  readonly reset?: 'before' | 'after' | undefined;
  /** The service acts, and its response stalls: after half the body, or before the headers. */
  readonly stall?: boolean | 'headers' | undefined;
  /** The service acts, and the connection breaks in the middle of its response. */
  readonly truncate?: boolean | undefined;
  /** Delays the call, in milliseconds of the machine's time. */
  readonly delayMs?: number | undefined;
}

/** A fault, and the calls it applies to. */
export interface Fault extends FaultKind {
  /** Applies only to this endpoint, or the one of this name. @default every endpoint */
  readonly endpoint?: Endpoint | EndpointName | (string & {}) | undefined;
  /** Applies only to requests that match all given fields. @default every request */
  readonly match?: Omit<RequestFilter, 'endpoint'> | undefined;
  /** How many matching calls are not affected first: with `skip: 2`, the third call is affected. @default 0 */
  readonly skip?: number | undefined;
  /** How many calls it applies to. @default 1, or `Infinity` with a `probability` */
  readonly times?: number | undefined;
  /** The probability per call, from 0 to 1. @default 1 */
  readonly probability?: number | undefined;
  /** The seed of the random numbers: the same seed selects the same calls. @default 1 */
  readonly seed?: number | undefined;
}
