import type { RetryClass } from '../operation/endpoint.js';

/** Why an attempt failed. */
export type Failure = {
  /** A retry cannot help: the call has ended, or the same request would fail again. */
  readonly isFinal?: boolean;
} & (
  | {
      /**
       * `notSent`: no connection was made, so nothing was sent. `noResponse`: the network failed, or no response came in
       * time, after something may have been sent.
       */
      readonly kind: 'notSent' | 'noResponse';
      readonly status?: undefined;
      readonly retryAfterMs?: undefined;
      readonly transient?: undefined;
    }
  /** The service responded with an error. `transient`: the service certainly did nothing and asks to try again. */
  | {
      readonly kind: 'errorResponse';
      readonly status: number;
      readonly retryAfterMs?: number | undefined;
      readonly transient?: boolean;
    }
);

/**
 * Whether a failed write may have been carried out nevertheless: it got no response, or the service failed and did not
 * state that it did nothing. Every `outcomeUnknown` in this library comes from this function.
 */
export function mayHaveSucceeded(retry: RetryClass, failure: Failure): boolean {
  if (retry === 'safe') return false;
  if (failure.kind !== 'errorResponse') return failure.kind === 'noResponse';
  return failure.status >= 500 && failure.status !== 501 && !failure.transient;
}
