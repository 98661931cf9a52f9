import { platform } from '#platform';
import { ConnectionError, OutcomeUnknownError, RequestAbortedError, TimeoutError } from '../errors/errors.js';
import { ApiError, UnexpectedResponseError } from '../errors/response-errors.js';
import { redactError } from '../errors/redact-error.js';
import { printable, redactSecrets, userTexts } from '../errors/redact.js';
import { SellerError } from '../errors/seller-error.js';
import { mayHaveSucceeded } from '../response/failure.js';
import type { Failure } from '../response/failure.js';
import { isTransportError } from '../transport/transport.js';
import { adviceFor, apiErrorFrom } from '../response/error-response.js';
import type { Knowledge } from '../response/error-response.js';
import { secretsOf } from '../request/built-request.js';
import type { RequestContext } from './request-context.js';
import type { AttemptError, AttemptResult } from './attempt.js';

/** A classified failed attempt. */
export interface FailedAttempt {
  /** The error with which the call rejects if nothing else is done. */
  readonly error: unknown;
  readonly failure: Failure;
}

/** Classifies an attempt that did not succeed. */
export function classifyFailure(result: AttemptResult, context: RequestContext, known: Knowledge): FailedAttempt {
  return result.kind === 'response'
    ? apiErrorFrom(result.response, context, known)
    : classifyError(result, context, known);
}

function classifyError(attempt: AttemptError, context: RequestContext, { isUndone }: Knowledge): FailedAttempt {
  const { error, sent, status } = attempt;
  const delivery = deliveryOf(attempt);
  const isNetworkError = error instanceof TimeoutError || isTransportError(error);
  // For example the error of a middleware, or of the file.
  if (!sent && !isNetworkError) return { error, failure: { kind: 'notSent', isFinal: true } };
  const connectError = delivery === 'never' ? platform.connectErrorOf(error) : undefined;
  const isFinal = error === context.scope.reason || connectError?.isPermanent === true;
  const failure: Failure = { kind: delivery === 'maybe' && !isUndone ? 'noResponse' : 'notSent', isFinal };
  const cause = connectionErrorFrom(error, connectError?.remedy, context);
  if (!mayHaveSucceeded(context.request.endpoint.retry, failure)) return { error: cause, failure };
  return { error: cause instanceof ConnectionError ? outcomeUnknownError(cause, context, { status }) : cause, failure };
}

/** Whether the request may have reached the service. */
function deliveryOf({ error, sent, hasResponded }: AttemptError): 'never' | 'maybe' {
  if (!sent) return 'never';
  // With a response, or where the transport states that the request was sent, it is no error of connecting.
  if (hasResponded || (isTransportError(error) && error.sent)) return 'maybe';
  return platform.connectErrorOf(error) ? 'never' : 'maybe';
}

/** These errors state the outcome themselves: in `outcomeUnknown`, or by their class. */
const statesOutcome = [ApiError, RequestAbortedError, UnexpectedResponseError, OutcomeUnknownError];

/** The error of a call whose outcome is unknown, whatever ended it. */
export function withUnknownOutcome(error: unknown, context: RequestContext): unknown {
  if (statesOutcome.some((each) => error instanceof each)) return error;
  const what = 'failed after an earlier attempt that may have succeeded';
  return outcomeUnknownError(connectionErrorFrom(error, undefined, context), context, { what });
}

function outcomeUnknownError(
  cause: SellerError,
  { request: { endpoint }, attempts }: RequestContext,
  { status, what = 'was sent and its response was lost' }: { status?: number | undefined; what?: string } = {},
): OutcomeUnknownError {
  const known =
    status === undefined
      ? 'it may or may not have been carried out'
      : `the service responded ${status} before the response body was lost, so it was most likely carried out`;
  return new OutcomeUnknownError(
    `${endpoint.method} ${endpoint.path} ${what} (${cause.message}): ${known}. Do not retry it without checking; ${adviceFor(endpoint)}.`,
    { cause, attempts, status },
  );
}

/** Converts a network error to a ConnectionError. Errors of this library are returned unchanged. */
function connectionErrorFrom(error: unknown, remedy: string | undefined, context: RequestContext): SellerError {
  if (error instanceof SellerError) return error;
  const { request, attempts } = context;
  const { endpoint, input } = request;
  const secrets = [...secretsOf(context), ...userTexts(input)];
  const inner = error instanceof Error ? error.cause : undefined;
  const detail = inner instanceof Error ? platform.networkReason(inner) : undefined;
  const reason =
    error instanceof Error
      ? error.message + (detail ? ` (${detail})` : '')
      : 'fetch rejected with a value that is not an error';
  const message = `${endpoint.method} ${endpoint.path} got no response: ${reason}${remedy === undefined ? '' : `; ${remedy}`}`;
  return new ConnectionError(printable(redactSecrets(message, secrets)), {
    cause: redactError(error, secrets),
    attempts,
  });
}
