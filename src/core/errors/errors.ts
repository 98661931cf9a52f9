import { confirmError, SellerError, type Confirmation, type ConfirmOptions } from './seller-error.js';

/**
 * An option of the client is wrong. The message says what it accepts.
 *
 * Remedy: correct the option that the message names.
 */
export class ConfigurationError extends SellerError {
  static override readonly kind: string = 'ConfigurationError';
  static override readonly lasting: boolean | undefined = true;
}

/**
 * Something was asked of an inbox, an outbox or tokens that are closed. A run of a handler or a job that ends with it, also as a `cause`,
 * counts as no attempt: the next process goes on.
 *
 * Remedy: close the inbox before the outbox, and these before the tokens of the sellers.
 */
export class ClosedError extends SellerError {
  static override readonly kind: string = 'ClosedError';
}

/**
 * The function that you passed as `accessToken` failed or did not return a token. Its error is the `cause`.
 *
 * Remedy: check the `cause`. A refresh token that is not valid any more is a `GrantRevokedError` instead.
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
  static override readonly lasting: boolean | undefined = true;
  /** What is wrong: each issue has the path of its field. */
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], prefix = 'Not sent: ') {
    super(prefix + summarizeIssues(issues));
    this.issues = issues;
  }
}

const maxIssuesInMessage = 5;
/** A message may name a field, whose name may have any length. */
const maxIssueLength = 300;

/** Summarizes issues in one line: the first messages, and how many more there are. */
export function summarizeIssues(issues: readonly Issue[]): string {
  const first = issues
    .slice(0, maxIssuesInMessage)
    .map(({ message }) => (message.length > maxIssueLength ? `${message.slice(0, maxIssueLength)}…` : message));
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
 * `done: false`. The option `unknownOutcome: 'confirm'` does both.
 */
export class OutcomeUnknownError extends ConnectionError {
  static override readonly kind: string = 'OutcomeUnknownError';
  /** The write may or may not have been carried out. */
  readonly outcomeUnknown = true;
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

/**
 * A received notification cannot be read.
 *
 * Remedy: do not use its content. In an endpoint of your own, respond with 200, so that the service does not send it again, as
 * the receiver of the inbox does. It responds with 400 only to what is no JSON object.
 */
export class NotificationError extends SellerError {
  static override readonly kind: string = 'NotificationError';
  static override readonly lasting: boolean | undefined = true;
}

/**
 * The refresh token of a seller is not valid any more. The seller revoked the authorisation, or the token was used
 * before, and the store has no newer one. Or the access of a seller without a refresh token has ended. It is thrown for nothing
 * else.
 *
 * Remedy: ask the seller to authorise your application again.
 */
export class GrantRevokedError extends SellerError {
  static override readonly kind: string = 'GrantRevokedError';
  static override readonly lasting: boolean | undefined = true;
}

/**
 * An authorisation failed: the seller did not agree, the callback does not belong to this authorisation, or the code is not
 * valid.
 *
 * Remedy: let the seller start again. If `code` is not `access_denied` or `invalid_grant`, check the registration of your
 * application.
 */
export class AuthorizationCallbackError extends SellerError {
  static override readonly kind: string = 'AuthorizationCallbackError';
  /** The error code of the authorisation server, e.g. `access_denied`; `undefined` if it stated none. */
  readonly code: string | undefined;

  constructor(message: string, options: ErrorOptions & { code?: string | undefined } = {}) {
    super(message, options);
    this.code = options.code;
  }
}

/**
 * An earlier run sent this write, it is not carried out yet, and the service may still be processing it. Nothing was sent.
 *
 * Remedy: run again after `retryAfterMs`. An inbox does that by itself, and counts no attempt.
 */
export class EarlierWriteOpenError extends SellerError {
  static override readonly kind: string = 'EarlierWriteOpenError';
  /** After this time, in whole milliseconds, the service is no longer processing the write. */
  readonly retryAfterMs: number;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs: number }) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * An earlier run sent this write, and reading back does not show whether it was carried out. Nothing was sent.
 *
 * Remedy: a person looks whether the buyer has it. An inbox keeps the notification as a dead letter: replay it to send the
 * write, or remove it.
 */
export class EarlierWriteUnknownError extends SellerError {
  static override readonly kind: string = 'EarlierWriteUnknownError';
  static override readonly lasting: boolean | undefined = true;
  /** The earlier write may or may not have been carried out. */
  readonly outcomeUnknown = true;
}

/** Marks the error of a transport as one of the network, unlike that of a middleware or of a file. */
export function networkError(error: TypeError): TypeError {
  return Object.assign(error, { isOfNetwork: true });
}

export function isNetworkError(error: unknown): boolean {
  return error instanceof TypeError && 'isOfNetwork' in error;
}

/**
 * Whether a framework has thrown an error for its own purposes, which it expects back as it is: Next.js says that a page cannot be
 * prerendered, React that a part is rendered later. It is thrown in place of sending a request.
 */
export function isOfFramework(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { digest, $$typeof } = error as { digest?: unknown; $$typeof?: unknown };
  return typeof digest === 'string' || typeof $$typeof === 'symbol';
}

/** Where something is in a value. */
export type Path = readonly PropertyKey[];

/** A problem of a value: its path, and a sentence. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The result of a rule of `refine`: a sentence, and the path of the field if it is not the value itself. */
export type RefineResult = string | { readonly path: Path; readonly message: string } | undefined;
