import type { Confirmation } from '../retry/confirm.js';
import type { Endpoint } from '../endpoint.js';
import type { Issue } from '../schema/issue.js';
import { SellerError, confirmed } from './seller-error.js';
import type { ConfirmOptions } from './seller-error.js';

/**
 * The client was set up wrongly; the message says what to write instead.
 *
 * Remedy: correct the option that the message names.
 */
export class ConfigurationError extends SellerError {
  static override readonly kind: string = 'ConfigurationError';
}

/**
 * The function given as `accessToken` failed, or gave something that is not a token; its error is the `cause`.
 *
 * Remedy: look at the `cause`. When the grant itself is lost, the seller has to authorise the application again.
 */
export class AccessTokenError extends SellerError {
  static override readonly kind: string = 'AccessTokenError';
}

/**
 * The input of a call is wrong. Nothing was sent.
 *
 * Remedy: each of `issues` has the path of a field and a sentence that says what it takes.
 */
export class InvalidInputError extends SellerError {
  static override readonly kind: string = 'InvalidInputError';
  /** What is wrong, each with the path of the field. */
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], prefix = 'Not sent: ') {
    super(prefix + issues.map((issue) => issue.message).join('; '));
    this.issues = issues;
  }
}

/**
 * The caller's signal ended the call. `name` is `AbortError`; `cause` is the signal's reason.
 *
 * Remedy: none is needed for a read. A write may have been carried out before it was aborted: read back first.
 */
export class RequestAbortedError extends SellerError {
  static override readonly kind: string = 'RequestAbortedError';
  /** How many times the request had been sent. */
  readonly attempts: number;
  /** A write had been sent, and nothing was heard of it: it may or may not have been carried out. */
  readonly outcomeUnknown: boolean;

  constructor(message: string, options: ErrorOptions & { attempts?: number; outcomeUnknown?: boolean } = {}) {
    super(message, options);
    this.name = 'AbortError';
    this.attempts = options.attempts ?? 0;
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }

  /** Finds out by reading back whether the write was carried out. */
  confirm(options: ConfirmOptions = {}): Promise<Confirmation> {
    return confirmed(this, options);
  }
}

/**
 * There was no answer: the network failed. The platform's error is the `cause`.
 *
 * Remedy: check `baseUrl`, DNS, proxy and certificates by what the `cause` says; then call again.
 */
export class ConnectionError extends SellerError {
  static override readonly kind: string = 'ConnectionError';
  /** How many times the request was sent or tried. */
  readonly attempts: number;

  constructor(message: string, options: ErrorOptions & { attempts?: number } = {}) {
    super(message, options);
    this.attempts = options.attempts ?? 1;
  }
}

/**
 * No complete answer came within `timeoutMs`, or the call did not end within `deadlineMs`.
 *
 * Remedy: call again later, or allow more time for what is slow by nature, such as an upload.
 */
export class TimeoutError extends ConnectionError {
  static override readonly kind: string = 'TimeoutError';
}

/**
 * A write was sent and its answer was lost: the service may or may not have carried it out. It is never repeated
 * blindly. The fault is the `cause`. Any method that writes may end so.
 *
 * Remedy: ask `confirm()`, which reads back whether the write was carried out, and repeat it only where it says
 * `done: false`; or let the option `onUnknownOutcome: 'confirm'` do both.
 */
export class OutcomeUnknownError extends ConnectionError {
  static override readonly kind: string = 'OutcomeUnknownError';
  /** The status of the answer whose body was lost; `undefined` where not even that came. */
  readonly status: number | undefined;

  constructor(message: string, options: ErrorOptions & { attempts?: number; status?: number | undefined } = {}) {
    super(message, options);
    this.status = options.status;
  }

  /**
   * Finds out by reading back whether the write was carried out. While nothing of it is seen it looks again, for as
   * long as the service may still be at it (`confirmWindowMs`, by default the client's).
   *
   * @example
   * const found = await error.confirm();
   * if (found.done === false) await seller.questions.answer(input);
   */
  confirm(options: ConfirmOptions = {}): Promise<Confirmation> {
    return confirmed(this, options);
  }
}

/** What is known of an answer that is an error. */
export interface AnswerDetails {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly url?: string | undefined;
  readonly endpoint?: Endpoint | undefined;
  readonly attempts?: number | undefined;
}

/**
 * A 2xx answer that is not JSON or has lost its documented shape. For a write, the message says that the service
 * reported success.
 *
 * Remedy: `issues` say what is different; `responseValidation: 'report'` delivers such answers and tells you of them.
 */
export class UnexpectedResponseError extends SellerError {
  static override readonly kind: string = 'UnexpectedResponseError';
  readonly status: number;
  readonly issues: readonly Issue[];
  /** The body as it came: parsed JSON, or text where it was not JSON. Not enumerable, so that logs do not show it. */
  declare readonly body: unknown;
  declare readonly headers: Headers;
  declare readonly endpoint: Endpoint | undefined;
  readonly attempts: number;

  constructor(message: string, details: AnswerDetails & { readonly issues: readonly Issue[] }, options?: ErrorOptions) {
    super(message, options);
    this.status = details.status;
    this.issues = details.issues;
    this.attempts = details.attempts ?? 1;
    hide(this, { body: details.body, headers: details.headers, endpoint: details.endpoint });
  }
}

/**
 * An inbound notification that cannot be read.
 *
 * Remedy: answer it with 200 all the same, or the service sends it again; nothing in it can be used.
 */
export class NotificationError extends SellerError {
  static override readonly kind: string = 'NotificationError';
}

/** One entry of a refusal's `cause`, whichever of its forms the service used. */
export interface ApiErrorCause {
  readonly code?: string;
  readonly message?: string;
}

/** A refusal, read from any of the service's error bodies. */
export interface ApiErrorDetails extends AnswerDetails {
  readonly code?: string | undefined;
  readonly text?: string | undefined;
  readonly causes: readonly ApiErrorCause[];
  readonly retryAfterMs?: number | undefined;
  readonly outcomeUnknown?: boolean | undefined;
}

/**
 * The service refused the call. The HTTP status decides the class; a documented refusal refines it.
 *
 * `instanceof` of a status class (`BadRequestError`, ...) goes by the status itself, so that a refusal that is
 * documented under 403 and came as 400 is a `BadRequestError`.
 *
 * Remedy: `status`, `code` and `causes` tell what the service minds; give `requestId` to whoever supports it.
 */
export class ApiError extends SellerError {
  static override readonly kind: string = 'ApiError';
  /** The HTTP status of the answer, not the one its body claims; where that is a 200 with an error inside, the error's. */
  readonly status: number;
  /** The machine readable code: the first of `error`, `code` and `message` that looks like one. */
  readonly code: string | undefined;
  readonly causes: readonly ApiErrorCause[];
  readonly requestId: string | undefined;
  /** How many times the request was sent. */
  readonly attempts: number;
  /** How long the service asks to wait, in milliseconds (`Retry-After`); `undefined` where it did not say. */
  readonly retryAfterMs: number | undefined;
  /** The body as it came: parsed JSON, or text. Not enumerable, so that logs do not show it. */
  declare readonly body: unknown;
  /** The answer's headers, without cookies. Not enumerable. */
  declare readonly headers: Headers;
  /** The URL that was asked. Not enumerable. */
  declare readonly url: string | undefined;
  /** The endpoint that refused. Not enumerable. */
  declare readonly endpoint: Endpoint | undefined;

  constructor(message: string, details: ApiErrorDetails) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.causes = details.causes;
    this.requestId = requestIdOf(details.headers);
    this.attempts = details.attempts ?? 1;
    this.retryAfterMs = details.retryAfterMs;
    const { body, headers, url, endpoint } = details;
    hide(this, { body, headers, url, endpoint });
  }
}

/** The header under which the service names a request. */
export function requestIdOf(headers: Headers): string | undefined {
  return headers.get('x-request-id') ?? headers.get('x-amzn-requestid') ?? undefined;
}

function hide(error: Error, fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) Object.defineProperty(error, name, { value });
}
