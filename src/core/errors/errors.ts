import { confirmError } from '../confirm/confirmation.js';
import type { ConfirmOptions, Confirmation } from '../confirm/confirmation.js';
import type { Issue } from '../schema/issue.js';
import type { ResponseHeaders } from '../transport/response-headers.js';
import { SellerError } from './seller-error.js';

/**
 * An option of the client is wrong. The message says what it accepts.
 *
 * Remedy: correct the option that the message names.
 */
export class ConfigurationError extends SellerError {
  static override readonly kind: string = 'ConfigurationError';
}

/**
 * The function that you passed as `accessToken` failed or did not return a token. Its error is the `cause`.
 *
 * Remedy: check the `cause`. When the refresh token is no longer valid, the seller has to authorise the application
 * again.
 */
export class AccessTokenError extends SellerError {
  static override readonly kind: string = 'AccessTokenError';
}

/**
 * The input of a call is wrong. Nothing was sent.
 *
 * Remedy: correct the fields that `issues` lists, each with its path and what it accepts.
 */
export class InvalidInputError extends SellerError {
  static override readonly kind: string = 'InvalidInputError';
  /** What is wrong: each issue has the path of its field. */
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], prefix = 'Not sent: ') {
    super(prefix + summarizeIssues(issues));
    this.issues = issues;
  }
}

const maxIssuesInMessage = 5;

/** Summarizes issues in one line: the first messages, and how many more there are. */
export function summarizeIssues(issues: readonly Issue[]): string {
  const first = issues.slice(0, maxIssuesInMessage).map(({ message }) => message);
  const more = issues.length - first.length;
  return first.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/**
 * The caller's signal aborted the call. `name` is `AbortError`; `cause` is the signal's reason.
 *
 * Remedy: for a read, none needed. A write may have been carried out before the abort: call `confirm()` before you
 * repeat it.
 */
export class RequestAbortedError extends SellerError {
  static override readonly kind: string = 'RequestAbortedError';
  /** How many times the request had been sent. */
  readonly attempts: number;
  /** A write was sent, and an attempt may or may not have been carried out. */
  readonly outcomeUnknown: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { attempts?: number | undefined; outcomeUnknown?: boolean | undefined } = {},
  ) {
    super(message, options);
    this.name = 'AbortError';
    this.attempts = options.attempts ?? 0;
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }

  /** Reads back whether the write was carried out. */
  confirm(options: ConfirmOptions = {}): Promise<Confirmation> {
    return confirmError(this, options);
  }
}

/**
 * The network failed, so there was no response. The platform's error is the `cause`.
 *
 * Remedy: read the `cause`, check `baseUrl`, DNS, proxy and certificates, then call again.
 */
export class ConnectionError extends SellerError {
  static override readonly kind: string = 'ConnectionError';
  /** How many times the request was sent, including failed connections. */
  readonly attempts: number;

  constructor(message: string, options: ErrorOptions & { attempts?: number | undefined } = {}) {
    super(message, options);
    this.attempts = options.attempts ?? 1;
  }
}

/**
 * No complete response came within `timeoutMs`, or the call did not end within `deadlineMs`.
 *
 * Remedy: call again later, or allow more time for a slow operation, for example an upload.
 */
export class TimeoutError extends ConnectionError {
  static override readonly kind: string = 'TimeoutError';
}

/**
 * A write was sent and its response was lost: the service may or may not have carried it out. An idempotent write is
 * retried first; the error then says that one of the attempts may have been carried out. The last error is the `cause`.
 * Every method that writes may throw it.
 *
 * Remedy: call `confirm()`, which reads back whether the write was carried out, and send it again only if it returns
 * `done: false`. The option `onUnknownOutcome: 'confirm'` does both.
 */
export class OutcomeUnknownError extends ConnectionError {
  static override readonly kind: string = 'OutcomeUnknownError';
  /** The status of the response whose body was lost; `undefined` if there was no response at all. */
  readonly status: number | undefined;

  constructor(
    message: string,
    options: ErrorOptions & { attempts?: number | undefined; status?: number | undefined } = {},
  ) {
    super(message, options);
    this.status = options.status;
  }

  /**
   * Reads back whether the write was carried out. While the write is not found, it reads again until `confirmWindowMs`
   * has passed.
   *
   * @example
   * const found = await error.confirm();
   * if (found.done === false) await seller.questions.answer(input);
   */
  confirm(options: ConfirmOptions = {}): Promise<Confirmation> {
    return confirmError(this, options);
  }
}

/** The endpoint of a failed call. */
export interface EndpointInfo {
  /** The name in `endpoints`, e.g. `questions.answer`. */
  readonly name: string;
  readonly method: string;
  /** The path template. */
  readonly path: string;
}

/** The response behind an error. */
export interface ResponseDetails {
  readonly status: number;
  readonly headers: Headers | ResponseHeaders;
  readonly body: unknown;
  readonly url?: string | undefined;
  readonly endpoint?: EndpointInfo | undefined;
  readonly attempts?: number | undefined;
}

/**
 * A 2xx response that is not JSON or does not have its documented shape. For a write, the message states that the
 * service reported success.
 *
 * Remedy: read `issues`, which lists the differences. With `responseValidation: 'report'`, the client returns such
 * responses and reports the differences to `onDrift`.
 */
export class UnexpectedResponseError extends SellerError {
  static override readonly kind: string = 'UnexpectedResponseError';
  readonly status: number;
  readonly issues: readonly Issue[];
  /** The raw body: parsed JSON, or text if it was not JSON. Not enumerable, so that logs do not show it. */
  declare readonly body: unknown;
  declare readonly headers: Headers;
  declare readonly endpoint: EndpointInfo | undefined;
  readonly attempts: number;

  constructor(
    message: string,
    details: ResponseDetails & { readonly issues: readonly Issue[] },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = details.status;
    this.issues = details.issues;
    this.attempts = details.attempts ?? 1;
    const { body, headers, endpoint } = details;
    defineHidden(this, { body, endpoint });
    defineHeaders(this, headers);
  }
}

/**
 * A received notification cannot be read.
 *
 * Remedy: do not use its content. In an endpoint of your own, respond with 200, so that the service does not send it again. The
 * receiver of the inbox responds with 400.
 */
export class NotificationError extends SellerError {
  static override readonly kind: string = 'NotificationError';
}

/** One entry of the `cause` in an error body. */
export interface ApiErrorCause {
  readonly code?: string;
  readonly message?: string;
}

/** The details of an error response, from any form of error body. */
export interface ApiErrorDetails extends ResponseDetails {
  readonly code?: string | undefined;
  readonly text?: string | undefined;
  readonly causes: readonly ApiErrorCause[];
  readonly retryAfterMs?: number | undefined;
  readonly outcomeUnknown?: boolean | undefined;
}

/**
 * The service responded with an error. Its class follows from the HTTP status; a documented error has a class of its
 * own.
 *
 * `instanceof` of a status class (`BadRequestError`, ...) checks the status of the response: an error that is
 * documented with 403 and came with 400 is a `BadRequestError`.
 *
 * Remedy: check `status`, `code` and `causes` for the reason. Include `requestId` when you contact support.
 */
export class ApiError extends SellerError {
  static override readonly kind: string = 'ApiError';
  /** The HTTP status of the response, not the one in its body. For an error inside a 200, the status of that error. */
  readonly status: number;
  /** The machine-readable code: the first of `error`, `code` and `message` that looks like one. */
  readonly code: string | undefined;
  readonly causes: readonly ApiErrorCause[];
  readonly requestId: string | undefined;
  /** How many times the request was sent. */
  readonly attempts: number;
  /** How long the service asks to wait (`Retry-After`), in milliseconds; `undefined` without that header. */
  readonly retryAfterMs: number | undefined;
  /**
   * A write was sent and may have been carried out: the service failed (5xx) and did not state that it did nothing, or
   * an earlier attempt of the same call may have succeeded.
   */
  readonly outcomeUnknown: boolean;
  /** The raw body: parsed JSON, or text. Not enumerable, so that logs do not show it. */
  declare readonly body: unknown;
  /** The response headers, without cookies. Not enumerable. */
  declare readonly headers: Headers;
  /** The URL of the request. Not enumerable. */
  declare readonly url: string | undefined;
  /** The endpoint of the call. Not enumerable. */
  declare readonly endpoint: EndpointInfo | undefined;

  constructor(message: string, details: ApiErrorDetails) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.causes = details.causes;
    this.requestId = requestIdOf(details.headers);
    this.attempts = details.attempts ?? 1;
    this.retryAfterMs = details.retryAfterMs;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    const { body, headers, url, endpoint } = details;
    defineHidden(this, { body, url, endpoint });
    defineHeaders(this, headers);
  }

  /** Reads back whether the write was carried out. */
  confirm(options: ConfirmOptions = {}): Promise<Confirmation> {
    return confirmError(this, options);
  }
}

/** The request id that the service sent in a header. */
export function requestIdOf(headers: Pick<Headers, 'get'>): string | undefined {
  return headers.get('x-request-id') ?? headers.get('x-amzn-requestid') ?? undefined;
}

/** Creates the headers on first use, because few callers need them. */
function defineHeaders(error: Error, headers: Headers | ResponseHeaders): void {
  Object.defineProperty(error, 'headers', { get: () => ('toHeaders' in headers ? headers.toHeaders() : headers) });
}

function defineHidden(error: Error, fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) Object.defineProperty(error, name, { value });
}
