import type { Issue } from './errors.js';
import type { ResponseHeaders } from './response-headers.js';
import { confirmError, SellerError, type Confirmation, type ConfirmOptions } from './seller-error.js';

/**
 * A 2xx response that is not JSON or does not have its documented shape. For a write, the message states that the
 * service reported success. If a schema of your own throws, its error is the `cause`.
 *
 * Remedy: read `issues`, which lists the differences. With `responseValidation: 'report'`, the client returns such
 * responses and reports the differences to `onDrift`.
 */
export class UnexpectedResponseError extends SellerError {
  static override readonly kind: string = 'UnexpectedResponseError';
  /** The HTTP status of the response, e.g. 200. */
  readonly status: number;
  /** Where the body differs from its schema; empty if nothing in it can be compared, such as HTML. */
  readonly issues: readonly Issue[];
  /** The raw body: parsed JSON, or text if it was not JSON. Not enumerable, so that logs do not show it. */
  declare readonly body: unknown;
  /** The response headers, without cookies. Not enumerable. */
  declare readonly headers: Headers;
  /** The endpoint of the call. Not enumerable. */
  declare readonly endpoint: ApiError['endpoint'];
  /** How many times the request was sent. */
  readonly attempts: number;

  constructor(
    message: string,
    details: Omit<ApiErrorDetails, 'causes'> & { readonly issues: readonly Issue[] },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = details.status;
    this.issues = details.issues;
    this.attempts = details.attempts ?? 1;
    const { body, headers, endpoint } = details;
    defineHidden(this, { body, endpoint: infoOf(endpoint) }, headers);
  }
}

/** One entry of the `cause` in an error body. */
export interface ApiErrorCause {
  readonly code?: string;
  readonly message?: string;
}

/** The details of an error response, from any form of error body. */
export interface ApiErrorDetails {
  readonly status: number;
  readonly headers: Headers | ResponseHeaders;
  readonly body: unknown;
  readonly url?: string | undefined;
  readonly endpoint?: ApiError['endpoint'];
  readonly attempts?: number | undefined;
  readonly code?: string | undefined;
  /** The service's own sentence. */
  readonly text?: string | undefined;
  readonly causes: readonly ApiErrorCause[];
  readonly retryAfterMs?: number | undefined;
  readonly outcomeUnknown?: boolean | undefined;
  /** The service did nothing and asks to try again. */
  readonly didNothing?: boolean | undefined;
  /** The status with which the error is documented, where the service may report it with another one. */
  readonly documentedStatus?: number | undefined;
}

/**
 * The service responded with an error. Its class follows from the HTTP status; a documented error has a class of its
 * own.
 *
 * `instanceof` of a status class (`BadRequestError`, ...) checks the status of the response. So an error that is
 * documented with 403 and came with 400 is a `BadRequestError`.
 *
 * Remedy: check `status`, `code` and `causes` for the reason. Include `requestId` when you contact support.
 */
export class ApiError extends SellerError {
  static override readonly kind: string = 'ApiError';
  static override readonly lasting: boolean | undefined = undefined;
  /** Whether something does not exist; `undefined`: the status decides. */
  static readonly notFound: boolean | undefined = undefined;
  /** The HTTP status of the response, not the one in its body. For an error inside a 200, the status of that error. */
  readonly status: number;
  /** The machine-readable code: the first of `error`, `code` and `message` that looks like one. */
  readonly code: string | undefined;
  /** What the `cause` of the body says, one entry each; empty without one. */
  readonly causes: readonly ApiErrorCause[];
  /** The id of the request, from a header of the response. */
  readonly requestId: string | undefined;
  /** How many times the request was sent. */
  readonly attempts: number;
  /** How long the service asks to wait (`Retry-After`), in whole milliseconds; `undefined` without that header. */
  readonly retryAfterMs: number | undefined;
  /**
   * A write was sent and may have been carried out. Its status does not say that the service did nothing, such as a 5xx, 303,
   * 304, 408 or 421. Or an earlier attempt of the same call may have succeeded.
   */
  readonly outcomeUnknown: boolean;
  /**
   * Whether the service says that what the call is about does not exist, or not for this user. That is a 404, and a documented
   * error such as `MessageNotFoundError`, which is a 400. Not enumerable.
   */
  declare readonly isNotFound: boolean;
  /**
   * What the service says of the error, in its own words and masked like `message`. It is the first of `message`,
   * `error_description` and `error` of the body; `undefined` if it says nothing. Not enumerable.
   */
  declare readonly serviceMessage: string | undefined;
  /** The raw body: parsed JSON, or text. Not enumerable, so that logs do not show it. */
  declare readonly body: unknown;
  /** The response headers, without cookies. Not enumerable. */
  declare readonly headers: Headers;
  /** The URL of the request. Not enumerable. */
  declare readonly url: string | undefined;
  /** The endpoint of the call. Not enumerable. */
  declare readonly endpoint:
    | {
        /** The name in `endpoints`, e.g. `questions.answer`. */
        readonly name: string;
        readonly method: string;
        /** The path template. */
        readonly path: string;
      }
    | undefined;

  constructor(message: string, details: ApiErrorDetails) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.causes = details.causes;
    this.requestId = requestIdOf(details.headers);
    this.attempts = details.attempts ?? 1;
    this.retryAfterMs = details.retryAfterMs;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    const {
      body,
      text: serviceMessage,
      headers,
      url,
      endpoint,
      didNothing,
      documentedStatus: status = details.status,
    } = details;
    const isLasting = !didNothing && (new.target.lasting ?? isLastingStatus(status, new.target));
    const isNotFound = new.target.notFound ?? status === 404;
    defineHidden(this, { serviceMessage, body, url, endpoint: infoOf(endpoint), isLasting, isNotFound }, headers);
  }

  /** Reads back whether the write was carried out. */
  confirm(options: ConfirmOptions = {}): Promise<Confirmation> {
    return confirmError(this, options);
  }
}

/** The statuses with which the service rejects the request itself. After the others, time or another token may help. */
const lastingStatuses: ReadonlySet<number> = new Set([400, 405, 406, 410, 411, 413, 414, 415, 422, 431, 451, 501, 505]);

/** Whether waiting does not help after a status: nor after a 403 or 404 that the service explains, unlike one of a proxy. */
export function isLastingStatus(status: number, Class: typeof ApiError): boolean {
  const isDocumented = Class !== ApiError && !Object.hasOwn(Class, 'statuses');
  return lastingStatuses.has(status) || (isDocumented && (status === 403 || status === 404));
}

/** The request id that the service sent in a header. */
export function requestIdOf(headers: Pick<Headers, 'get'>): string | undefined {
  return headers.get('x-request-id') ?? headers.get('x-amzn-requestid') ?? undefined;
}

/** Without its schemas, which would be printed with the error. */
function infoOf(endpoint: ApiError['endpoint']): ApiError['endpoint'] {
  return endpoint && { name: endpoint.name, method: endpoint.method, path: endpoint.path };
}

/** Defines fields that logs do not show. The headers are created on first use, because few callers need them. */
function defineHidden(error: Error, fields: Record<string, unknown>, headers: Headers | ResponseHeaders): void {
  for (const [name, value] of Object.entries(fields)) Object.defineProperty(error, name, { value });
  Object.defineProperty(error, 'headers', { get: () => ('toHeaders' in headers ? headers.toHeaders() : headers) });
}

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
 * Remedy: send fewer calls in parallel (`concurrency`). After most 429s, the other calls of this seller to the same group of
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
