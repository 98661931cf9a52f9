import { platform } from '#platform';
import {
  ApiError,
  ConnectionError,
  OutcomeUnknownError,
  RequestAbortedError,
  TimeoutError,
  UnexpectedResponseError,
} from '../errors/errors.js';
import { printable } from '../errors/printable.js';
import { redactError } from '../errors/redact-error.js';
import { redactSecrets, userTexts } from '../errors/redact.js';
import { SellerError } from '../errors/seller-error.js';
import { mayHaveSucceeded } from '../retry/policy.js';
import type { Failure } from '../retry/policy.js';
import { isTransportError } from '../transport/transport.js';
import { adviceFor, apiErrorFrom } from './error-response.js';
import { secretsOf } from './request-context.js';
import type { RequestContext } from './request-context.js';
import type { AttemptResult } from './send-attempt.js';

/** A classified failed attempt. */
export interface FailedAttempt {
  /** The error with which the call rejects if there is no retry. */
  readonly error: unknown;
  /** The failure, for the decision about a retry; `undefined` if a retry cannot help. */
  readonly failure: Failure | undefined;
  /** Whether the attempt may have been carried out nevertheless. */
  readonly outcomeUnknown: boolean;
}

/** Classifies an attempt that did not succeed. `isUndone`: reading back proved that it was not carried out. */
export function classifyFailure(result: AttemptResult, context: RequestContext, isUndone = false): FailedAttempt {
  return result.kind === 'response'
    ? apiErrorFrom(result.response, context, isUndone)
    : classifyError(result, context, isUndone);
}

function classifyError(
  { error, sent, hasResponded, status }: AttemptResult & { kind: 'error' },
  context: RequestContext,
  isUndone: boolean,
): FailedAttempt {
  const { request, scope } = context;
  const isNetworkError = error instanceof TimeoutError || isTransportError(error);
  if (!sent && !isNetworkError) return { error, failure: undefined, outcomeUnknown: false };
  // The error cannot be a connect error if a response arrived, or if the transport states that the request was sent.
  const isSent = hasResponded || (isTransportError(error) && error.sent);
  const connectError = isSent ? undefined : platform.connectErrorOf(error);
  const failure: Failure = { kind: sent && !connectError && !isUndone ? 'noResponse' : 'notSent' };
  const outcomeUnknown = mayHaveSucceeded(request.endpoint.retry, failure);
  const cause = connectionErrorFrom(error, connectError?.remedy, context);
  return {
    error: outcomeUnknown && cause instanceof ConnectionError ? outcomeUnknownError(cause, context, { status }) : cause,
    failure: error === scope.reason || connectError?.isPermanent ? undefined : failure,
    outcomeUnknown,
  };
}

/** These errors state the outcome themselves: in `outcomeUnknown`, or by their class. */
const statesOutcome = [ApiError, RequestAbortedError, UnexpectedResponseError, OutcomeUnknownError];

/** The error of the whole call. An outcome that is unknown stays unknown, whatever ends the call. */
export function finalError(error: unknown, context: RequestContext): unknown {
  if (statesOutcome.some((each) => error instanceof each)) return error;
  if (context.earlierOutcomeUnknown) {
    const what = 'failed after an earlier attempt that may have succeeded';
    return outcomeUnknownError(connectionErrorFrom(error, undefined, context), context, { what });
  }
  return context.outcomeUnknown && error instanceof TimeoutError ? outcomeUnknownError(error, context) : error;
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
