import type { RetryClass } from '../endpoint.js';

/** What went wrong with one attempt, as far as repeating is concerned. */
export type Failure =
  /** The connection was refused or never made: nothing was sent. */
  | { readonly kind: 'notSent' }
  /** The network failed, or no answer came in time, after something may have been sent. */
  | { readonly kind: 'noResponse' }
  /** The service answered with an error. `transient`: it said that it did nothing, and to try again. */
  | {
      readonly kind: 'errorResponse';
      readonly status: number;
      readonly retryAfterMs?: number | undefined;
      readonly transient?: boolean;
    };

/** How patiently to repeat. */
export interface BackoffOptions {
  /** The first wait is at most this long; each next one may be twice as long. */
  readonly initialDelayMs: number;
  /** No wait between attempts is longer, whatever the service asks for. */
  readonly maxDelayMs: number;
}

const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whether a failed attempt may be repeated at all, by the endpoint's class. */
export function shouldRetry(retry: RetryClass, failure: Failure): boolean {
  if (failure.kind === 'notSent') return true;
  if (failure.kind === 'errorResponse' && (failure.transient || failure.status === 429)) return true;
  if (retry !== 'unsafe') return failure.kind === 'noResponse' || transientStatuses.has(failure.status);
  return failure.kind === 'errorResponse' && failure.status === 503 && failure.retryAfterMs !== undefined;
}

/**
 * Whether a write that failed so may have been carried out all the same: nothing was heard of it, or the service broke
 * down without saying that it did nothing.
 */
export function mayHaveSucceeded(retry: RetryClass, failure: Failure): boolean {
  if (retry === 'safe' || failure.kind === 'notSent') return false;
  if (failure.kind === 'noResponse') return true;
  if (failure.status < 500 || failure.status === 501 || failure.transient) return false;
  return !(failure.status === 503 && failure.retryAfterMs !== undefined);
}

/**
 * How long to wait before attempt number `attempt + 1`, in milliseconds: what the service asked for, else full jitter
 * over an exponential backoff. `undefined`: do not repeat, the service asks for more patience than the cap allows.
 */
export function retryDelay(
  patience: BackoffOptions,
  attempt: number,
  failure: Failure,
  random = Math.random,
): number | undefined {
  const asked = failure.kind === 'errorResponse' ? failure.retryAfterMs : undefined;
  if (asked !== undefined) return asked > patience.maxDelayMs ? undefined : asked;
  return random() * Math.min(patience.maxDelayMs, patience.initialDelayMs * 2 ** (attempt - 1));
}

/** The wait that `Retry-After` asks for (seconds or an HTTP date), in milliseconds; `undefined` where it says nothing. */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const seconds = /^(\d+(?:\.\d+)?)(?:,|$)/.exec(value)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const date = parseHttpDate(value);
  // The service's own clock tells how long that is; this machine's may be wrong.
  return date === undefined ? undefined : Math.max(0, date - (parseHttpDate(headers.get('date')) ?? now));
}

/** The time an HTTP date names, in milliseconds; `Date.parse` alone would take `-5` for one. */
export function parseHttpDate(value: string | null): number | undefined {
  const date = value !== null && /^[A-Z][a-z]+,? /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : date;
}

const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Whether a network fault certainly came before anything was sent. */
export function isConnectError(fault: unknown): boolean {
  for (let each = fault, depth = 0; typeof each === 'object' && each !== null && depth < 5; depth += 1) {
    const { code, errors, cause } = each as { code?: unknown; errors?: unknown; cause?: unknown };
    if (typeof code === 'string' && neverSent.has(code)) return true;
    if (Array.isArray(errors) && errors.length > 0) return errors.every((inner) => isConnectError(inner));
    each = cause;
  }
  return false;
}
