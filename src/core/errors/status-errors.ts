import { ApiError } from './response-errors.js';

/**
 * 400: the service rejected the request.
 *
 * Remedy: change what the message and `causes` name. The same request would fail again.
 */
export class BadRequestError extends ApiError {
  static override readonly kind: string = 'BadRequestError';
  static readonly statuses: readonly [number, number] = [400, 400];
}

/**
 * 401: the token is missing or not valid.
 *
 * Remedy: pass a new token. If `accessToken` is a function, the client requests a new token itself, once per call.
 */
export class AuthenticationError extends ApiError {
  static override readonly kind: string = 'AuthenticationError';
  static readonly statuses: readonly [number, number] = [401, 401];
}

/**
 * 403: the user of the token is not allowed to do this, or not at the moment.
 *
 * Remedy: use the token of the user who owns the resource. If it is not possible now, the message says what to wait
 * for.
 */
export class ForbiddenError extends ApiError {
  static override readonly kind: string = 'ForbiddenError';
  static readonly statuses: readonly [number, number] = [403, 403];
}

/**
 * 404: the resource does not exist, or not for this user.
 *
 * Remedy: check the id. A resource that a notification has just announced may take a few seconds to appear.
 */
export class NotFoundError extends ApiError {
  static override readonly kind: string = 'NotFoundError';
  static readonly statuses: readonly [number, number] = [404, 404];
}

/**
 * 409: another request is changing the same resource.
 *
 * Remedy: call again in a moment, one call at a time.
 */
export class ConflictError extends ApiError {
  static override readonly kind: string = 'ConflictError';
  static readonly statuses: readonly [number, number] = [409, 409];
}

/**
 * 422: the request is well-formed, but the service cannot carry it out.
 *
 * Remedy: read the reason in the message and in `causes`.
 */
export class UnprocessableEntityError extends ApiError {
  static override readonly kind: string = 'UnprocessableEntityError';
  static readonly statuses: readonly [number, number] = [422, 422];
}

/**
 * 429: too many requests. `retryAfterMs` is how long to wait, if the service stated it.
 *
 * Remedy: send fewer calls in parallel (`maxConcurrency`). After most 429s, the other calls of this seller to the same group of
 * endpoints already wait.
 */
export class RateLimitError extends ApiError {
  static override readonly kind: string = 'RateLimitError';
  static readonly statuses: readonly [number, number] = [429, 429];
}

/**
 * 5xx: the service failed. After a write, `outcomeUnknown` states whether it may have been carried out nevertheless.
 *
 * Remedy: call again later. After a write, first call `confirm()`.
 */
export class ServerError extends ApiError {
  static override readonly kind: string = 'ServerError';
  static readonly statuses: readonly [number, number] = [500, 599];
}

const statusClasses = [
  BadRequestError,
  AuthenticationError,
  ForbiddenError,
  NotFoundError,
  ConflictError,
  UnprocessableEntityError,
  RateLimitError,
  ServerError,
];

/** Returns the error class of an HTTP status. */
export function classOfStatus(status: number): typeof ApiError {
  return statusClasses.find(({ statuses: [from, to] }) => status >= from && status <= to) ?? ApiError;
}
