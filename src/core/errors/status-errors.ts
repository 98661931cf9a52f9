import type { Confirmation } from '../retry/confirm.js';
import { ApiError } from './errors.js';
import type { ApiErrorDetails } from './errors.js';
import { confirmed } from './seller-error.js';
import type { ConfirmOptions } from './seller-error.js';

/**
 * 400: the request is not acceptable as it stands.
 *
 * Remedy: the message and `causes` say what to change; the same request is refused again.
 */
export class BadRequestError extends ApiError {
  static override readonly kind: string = 'BadRequestError';
  static readonly statuses: readonly [number, number] = [400, 400];
}

/**
 * 401: there is no valid token.
 *
 * Remedy: give a fresh token; with a function as `accessToken` the client asks it for one by itself, once a call.
 */
export class AuthenticationError extends ApiError {
  static override readonly kind: string = 'AuthenticationError';
  static readonly statuses: readonly [number, number] = [401, 401];
}

/**
 * 403: the user of the token may not do this, or not now.
 *
 * Remedy: use the token of the user to whom it belongs; where it is only not now, the message says what to wait for.
 */
export class ForbiddenError extends ApiError {
  static override readonly kind: string = 'ForbiddenError';
  static readonly statuses: readonly [number, number] = [403, 403];
}

/**
 * 404: there is no such thing, or not for this user.
 *
 * Remedy: check the id. What a notification has just told of may take a few seconds to be found.
 */
export class NotFoundError extends ApiError {
  static override readonly kind: string = 'NotFoundError';
  static readonly statuses: readonly [number, number] = [404, 404];
}

/**
 * 409: another request is at the same thing.
 *
 * Remedy: call again in a moment, one call at a time.
 */
export class ConflictError extends ApiError {
  static override readonly kind: string = 'ConflictError';
  static readonly statuses: readonly [number, number] = [409, 409];
}

/**
 * 422: understood, and not possible.
 *
 * Remedy: the message and `causes` say what stands against it.
 */
export class UnprocessableEntityError extends ApiError {
  static override readonly kind: string = 'UnprocessableEntityError';
  static readonly statuses: readonly [number, number] = [422, 422];
}

/**
 * 429: too many requests; `retryAfterMs` says how long to wait, where the service said it.
 *
 * Remedy: slow down: walk with fewer calls at once (`maxConcurrency`). Calls of one client already wait together.
 */
export class RateLimitError extends ApiError {
  static override readonly kind: string = 'RateLimitError';
  static readonly statuses: readonly [number, number] = [429, 429];
}

/**
 * 5xx: the service failed. After a write `outcomeUnknown` says whether it may have been carried out all the same.
 *
 * Remedy: call again later. After a write, `confirm()` or read back first.
 */
export class ServerError extends ApiError {
  static override readonly kind: string = 'ServerError';
  static readonly statuses: readonly [number, number] = [500, 599];
  /** A write was sent, and the service does not say that it did nothing: it may have been carried out. */
  readonly outcomeUnknown: boolean;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    this.outcomeUnknown = details.outcomeUnknown ?? false;
  }

  /** Finds out by reading back whether the write was carried out. */
  confirm(options: ConfirmOptions = {}): Promise<Confirmation> {
    return confirmed(this, options);
  }
}

const byStatus = [
  BadRequestError,
  AuthenticationError,
  ForbiddenError,
  NotFoundError,
  ConflictError,
  UnprocessableEntityError,
  RateLimitError,
  ServerError,
];

/** The class that stands for an HTTP status. */
export function classOfStatus(status: number): typeof ApiError {
  return byStatus.find(({ statuses: [from, to] }) => status >= from && status <= to) ?? ApiError;
}
