import { platform } from '#platform';
import { ConnectionError, OutcomeUnknownError, TimeoutError } from '../errors/errors.js';
import { printable } from '../errors/printable.js';
import { redactError } from '../errors/redact-error.js';
import { redactSecrets, userTexts } from '../errors/redact.js';
import { SellerError } from '../errors/seller-error.js';
import { mayHaveSucceeded } from '../retry/policy.js';
import type { Failure } from '../retry/policy.js';
import { isTransportError } from '../transport/transport.js';
import { apiErrorFrom } from './error-response.js';
import { secretsOf } from './request-context.js';
import type { RequestContext } from './request-context.js';
import type { AttemptResult } from './send-attempt.js';

/** What a failed attempt means. */
export interface FailedAttempt {
  /** What the call rejects with if it ends here. */
  readonly error: unknown;
  /** The failure, as far as retrying is concerned; `undefined` where a retry cannot help. */
  readonly failure: Failure | undefined;
  /** Whether the attempt may have been carried out all the same. */
  readonly outcomeUnknown: boolean;
}

/** Classifies an attempt that did not succeed. */
export function classifyFailure(result: AttemptResult, context: RequestContext): FailedAttempt {
  return result.kind === 'response' ? apiErrorFrom(result.response, context) : classifyError(result, context);
}

function classifyError(
  { error, sent, hasResponded, status }: AttemptResult & { kind: 'error' },
  context: RequestContext,
): FailedAttempt {
  const { request, scope } = context;
  const isNetworkError = error instanceof TimeoutError || isTransportError(error);
  if (!sent && !isNetworkError) return { error: withoutKyWrapper(error), failure: undefined, outcomeUnknown: false };
  // What is known of the request is more than its error can tell: after a response, and where the transport says it.
  const isSent = hasResponded || (sent && isTransportError(error));
  const connectError = isSent ? undefined : platform.connectErrorOf(error);
  const failure: Failure = { kind: sent && !connectError ? 'noResponse' : 'notSent' };
  const outcomeUnknown = mayHaveSucceeded(request.endpoint.retry, failure);
  const cause = connectionErrorFrom(error, connectError?.remedy, context);
  return {
    error: outcomeUnknown && cause instanceof ConnectionError ? outcomeUnknownError(cause, context, status) : cause,
    failure: error === scope.reason || connectError?.isPermanent ? undefined : failure,
    outcomeUnknown,
  };
}

/** The error of the whole call: a deadline that passes while the outcome of a write is unknown leaves it unknown. */
export function finalError(error: unknown, context: RequestContext): unknown {
  const { scope, outcomeUnknown } = context;
  if (error !== scope.reason || !outcomeUnknown || !(error instanceof TimeoutError)) return error;
  return outcomeUnknownError(error, context, undefined);
}

function outcomeUnknownError(
  cause: ConnectionError,
  { request: { endpoint }, attempts }: RequestContext,
  status: number | undefined,
): OutcomeUnknownError {
  const known =
    status === undefined
      ? 'it may or may not have been carried out'
      : `the service responded ${status} before the response body was lost, so it was most likely carried out`;
  const advice = endpoint.confirm ? 'confirm() reads it back' : 'read back before you retry it';
  return new OutcomeUnknownError(
    `${endpoint.method} ${endpoint.path} was sent and its response was lost (${cause.message}): ${known}. Do not retry it without checking; ${advice}.`,
    { cause, attempts, status },
  );
}

/** A network error as a ConnectionError; errors of this library stay what they are. */
function connectionErrorFrom(error: unknown, remedy: string | undefined, context: RequestContext): unknown {
  if (error instanceof SellerError) return error;
  const { request, attempts } = context;
  const { endpoint, input } = request;
  const secrets = [...secretsOf(context), ...userTexts(input)];
  const raw = withoutKyWrapper(error);
  const inner = raw instanceof Error ? raw.cause : undefined;
  const detail = inner instanceof Error ? platform.networkReason(inner) : undefined;
  const reason =
    raw instanceof Error
      ? raw.message + (detail ? ` (${detail})` : '')
      : 'fetch rejected with a value that is not an error';
  const message = `${endpoint.method} ${endpoint.path} got no response: ${reason}${remedy === undefined ? '' : `; ${remedy}`}`;
  return new ConnectionError(printable(redactSecrets(message, secrets)), {
    cause: redactError(raw, secrets),
    attempts,
  });
}

/** ky wraps what `fetch` threw in an error of its own. */
function withoutKyWrapper(error: unknown): unknown {
  return error instanceof Error && error.name === 'NetworkError' ? (error.cause ?? error) : error;
}
