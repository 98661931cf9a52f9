import { platform } from '#platform';
import {
  ConnectionError,
  isNetworkError,
  OutcomeUnknownError,
  RequestAbortedError,
  TimeoutError,
} from '../errors/errors.js';
import { printable, redactorOf, userTexts } from '../errors/redactor.js';
import { ApiError, UnexpectedResponseError } from '../errors/response-errors.js';
import { parseRetryAfter } from '../errors/response-headers.js';
import { SellerError, withMessageParts } from '../errors/seller-error.js';
import type { ErrorInBody } from '../operation/documented-error.js';
import type { Endpoint, RetryClass } from '../operation/endpoint.js';
import type { SentCall } from '../request/build-request.js';
import type { BufferedResponse } from '../response/body.js';
import { adviceFor, readError, type ReadError } from '../response/read-error.js';
import type { RequestDelivery, TransportResponse } from '../transport/transport.js';

/** How an attempt ended, and whether its request may have reached the service. */
export type AttemptResult =
  | {
      readonly delivery: RequestDelivery;
      readonly isSuccess: true;
      readonly response: BufferedResponse;
      readonly errorInBody?: undefined;
      /** The unread body of a download. */
      readonly download?: TransportResponse | undefined;
    }
  | FailedAttempt;

/** How an attempt failed. */
export type FailedAttempt =
  | {
      readonly delivery: RequestDelivery;
      readonly isSuccess?: undefined;
      readonly response: BufferedResponse;
      /** The error in the body of a success. */
      readonly errorInBody?: ErrorInBody | undefined;
    }
  | {
      readonly delivery: RequestDelivery;
      readonly isSuccess?: undefined;
      readonly response?: undefined;
      readonly errorInBody?: undefined;
      readonly error: unknown;
      /** The status of the response whose body was lost. */
      readonly status?: number | undefined;
    };

/** Why an attempt failed. Only `errorResponse` has a status and what follows from the response. */
export interface Failure {
  /**
   * `notSent`: no connection was made, so nothing was sent. `noResponse`: the network failed, or no response came in
   * time, after something may have been sent. `errorResponse`: the service responded with an error.
   */
  readonly kind: 'notSent' | 'noResponse' | 'errorResponse';
  /** A retry cannot help: the call has ended, or the same request would fail again. */
  readonly isFinal?: boolean;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The service certainly did nothing and asks to try again. */
  readonly didNothing?: boolean;
  /** The error stands in a success: the service has judged the request and did not do it, whatever the status. */
  readonly isRejected?: boolean;
  /** The error, if its body had to be read. */
  readonly read?: ReadError | undefined;
}

/** Why an attempt failed. `ended` is the error that has ended its call, if one has. */
export function failureOf(result: FailedAttempt, endpoint: Endpoint, ended: Error | undefined): Failure {
  if (result.response) return errorResponseOf(result.response, endpoint, result.errorInBody);
  const { error, delivery } = result;
  if (delivery === 'maybe') return { kind: 'noResponse', isFinal: error === ended };
  const isFinal = !isOfNetwork(error) || error === ended || platform.connectErrorOf(error)?.isLasting === true;
  return { kind: 'notSent', isFinal };
}

/** Whether an error comes from the network. Another one is for example that of a middleware, or of the file. */
function isOfNetwork(error: unknown): boolean {
  return error instanceof TimeoutError || isNetworkError(error) || platform.connectErrorOf(error) !== undefined;
}

function errorResponseOf(response: BufferedResponse, endpoint: Endpoint, inBody: ErrorInBody | undefined): Failure {
  const { status, headers } = response;
  // Only these depend on what the body says.
  const mayHaveDoneNothing = endpoint.errors.some(
    (each) => each.didNothing && (each.status === status || each.otherStatuses?.includes(status)),
  );
  const read = inBody || mayHaveDoneNothing ? readError(response, endpoint, inBody) : undefined;
  return {
    kind: 'errorResponse',
    status: read?.status ?? status,
    retryAfterMs: parseRetryAfter(headers, Date.now()),
    didNothing: read?.documented?.didNothing === true,
    isRejected: inBody !== undefined,
    read,
  };
}

/** What a failure is after reading back has proved that the attempt was not carried out. */
export function withoutEffect(failure: Failure): Failure {
  if (failure.kind === 'errorResponse') return { ...failure, didNothing: true };
  return { ...failure, kind: 'notSent' };
}

/** Another address takes the request (a wrong `baseUrl`), or no service can carry it out. */
const undoneStatuses = new Set([301, 302, 307, 308, 451, 501]);
/**
 * Of the statuses from 400 to 431, these do not say that the request was rejected: proxies send 408 when the service is late and
 * 421 for a connection of their own, and the others are not defined.
 */
const unclearStatuses = new Set([408, 419, 420, 421, 427, 430]);

/** Whether a status says that the service did nothing. 303 may follow a success, and 304 only says that something is unchanged. */
function saysNothingDone(status: number): boolean {
  return undoneStatuses.has(status) || (status >= 400 && status <= 431 && !unclearStatuses.has(status));
}

/**
 * Whether a failed write may have been carried out nevertheless: it got no response, or one that does not say that the service
 * did nothing. Every `outcomeUnknown` in this library comes from this function.
 */
export function mayHaveSucceeded(retry: RetryClass, { kind, status = 0, didNothing, isRejected }: Failure): boolean {
  if (retry === 'safe' || isRejected || didNothing || kind === 'notSent') return false;
  return kind === 'noResponse' || !saysNothingDone(status);
}

/** The error of a call whose last attempt got no response. */
export function errorWithoutResponse(
  { error, delivery, status }: Extract<FailedAttempt, { readonly response?: undefined }>,
  outcomeUnknown: boolean,
  call: SentCall,
): unknown {
  if (delivery === 'never' && !isOfNetwork(error)) return error;
  const remedy = delivery === 'never' ? platform.connectErrorOf(error)?.remedy : undefined;
  const cause = connectionError(error, remedy, call);
  const isLost = cause instanceof ConnectionError || cause instanceof UnexpectedResponseError;
  return outcomeUnknown && isLost ? outcomeUnknownError(cause, call, { status }) : cause;
}

/** These errors state the outcome themselves: in `outcomeUnknown`, or by their class. */
const statesOutcome = [ApiError, RequestAbortedError, UnexpectedResponseError, OutcomeUnknownError];

/** The error of a call whose outcome is unknown, whatever ended it. */
export function withUnknownOutcome(error: unknown, call: SentCall): unknown {
  if (statesOutcome.some((each) => error instanceof each)) return error;
  const what = 'failed after an earlier attempt that may have succeeded';
  return outcomeUnknownError(connectionError(error, undefined, call), call, { what });
}

function outcomeUnknownError(
  cause: SellerError,
  { request: { endpoint }, attempts }: SentCall,
  { status, what = 'was sent and its response was lost' }: { status?: number | undefined; what?: string },
): OutcomeUnknownError {
  const known =
    status === undefined
      ? 'it may or may not have been carried out'
      : `the service responded ${status} before the response body was lost, so it was most likely carried out`;
  const own = `${endpoint.method} ${endpoint.path} ${what}`;
  const error = new OutcomeUnknownError(
    `${own} (${cause.message}): ${known}. Do not retry it without checking; ${adviceFor(endpoint)}.`,
    { cause, attempts, status },
  );
  return withMessageParts(error, { own, said: cause.message });
}

/** Converts a network error to a ConnectionError. Errors of this library are returned unchanged. */
function connectionError(error: unknown, remedy: string | undefined, call: SentCall): SellerError {
  if (error instanceof SellerError) return error;
  const { attempts, request } = call;
  const { endpoint, input } = request;
  const redactor = redactorOf(call, userTexts(input));
  const inner = error instanceof Error ? error.cause : undefined;
  const detail = inner instanceof Error ? platform.networkReason(inner) : undefined;
  const reason =
    error instanceof Error
      ? error.message + (detail ? ` (${detail})` : '')
      : 'fetch rejected with a value that is not an error';
  const own = `${endpoint.method} ${endpoint.path} got no response`;
  const said = printable(redactor.foreignText(`${reason}${remedy === undefined ? '' : `; ${remedy}`}`));
  return withMessageParts(new ConnectionError(`${own}: ${said}`, { cause: redactor.error(error), attempts }), {
    own,
    said,
  });
}
