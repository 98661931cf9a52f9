import type { AttemptResult } from './send-attempt.js';
import { secretsOf } from './request-context.js';
import type { RequestContext } from './request-context.js';
import { ConnectionError, OutcomeUnknownError, TimeoutError } from '../errors/errors.js';
import { redactSecrets, redactError, userTexts } from '../errors/redact.js';
import { apiErrorFrom } from './error-response.js';
import { mayHaveSucceeded, isConnectError } from '../retry/policy.js';
import type { Failure } from '../retry/policy.js';
import { SellerError } from '../errors/seller-error.js';

/** What a failed attempt means. */
export interface FailedAttempt {
  /** What the call rejects with if it ends here. */
  readonly error: unknown;
  /** As far as repeating is concerned; `undefined` where a repeat cannot help. */
  readonly failure: Failure | undefined;
  /** Whether the attempt may have been carried out all the same. */
  readonly outcomeUnknown: boolean;
}

/** Judges an attempt that did not succeed. */
export function classifyFailure(outcome: AttemptResult, errand: RequestContext): FailedAttempt {
  const { endpoint, input, scope } = errand;
  if (outcome.kind === 'fault') return classifyError(outcome, errand);
  const asked = { endpoint, input, secrets: () => secretsOf(errand), attempts: scope.attempts };
  const { error, refusal } = apiErrorFrom(outcome.answer, asked);
  const { status, retryAfterMs } = error;
  const failure: Failure = { kind: 'errorResponse', status, retryAfterMs, transient: refusal?.transient === true };
  return { error, failure, outcomeUnknown: mayHaveSucceeded(endpoint.retry, failure) };
}

function classifyError(
  { error, sent, status }: AttemptResult & { kind: 'fault' },
  errand: RequestContext,
): FailedAttempt {
  const { endpoint, scope } = errand;
  const isOver = error === scope.reason;
  if (!sent && !(error instanceof TimeoutError))
    return { error: unwrapped(error), failure: undefined, outcomeUnknown: false };
  const failure: Failure = { kind: sent && !isConnectError(error) ? 'noResponse' : 'notSent' };
  const outcomeUnknown = mayHaveSucceeded(endpoint.retry, failure);
  const told = connectionErrorOf(error, errand);
  const last = outcomeUnknown && told instanceof ConnectionError ? unknownOutcome(told, errand, status) : told;
  return { error: last, failure: isOver ? undefined : failure, outcomeUnknown };
}

/** What a call ends with: a deadline that strikes while a write is in doubt leaves it in doubt. */
export function finalError(error: unknown, errand: RequestContext): unknown {
  const { reason, outcomeUnknown } = errand.scope;
  if (error !== reason || !outcomeUnknown || !(error instanceof TimeoutError)) return error;
  return unknownOutcome(error, errand, undefined);
}

function unknownOutcome(
  cause: ConnectionError,
  { endpoint, scope }: RequestContext,
  status: number | undefined,
): Error {
  const what = `${endpoint.method} ${endpoint.path}`;
  const known =
    status === undefined
      ? 'it may or may not have been carried out'
      : `the service responded ${status} before the response body was lost, so it was most likely carried out`;
  const advice = endpoint.confirm ? 'confirm() reads it back' : 'read back before repeating it';
  return new OutcomeUnknownError(
    `${what} was sent and its answer was lost (${cause.message}): ${known}. Do not repeat it blindly; ${advice}.`,
    { cause, attempts: scope.attempts, status },
  );
}

/** A fault of the network as a ConnectionError; errors of this library stay what they are. */
function connectionErrorOf(fault: unknown, errand: RequestContext): unknown {
  if (fault instanceof SellerError) return fault;
  const { endpoint, scope } = errand;
  const secrets = [...secretsOf(errand), ...userTexts(errand.input)];
  const raw = unwrapped(fault);
  const inner = raw instanceof Error ? raw.cause : undefined;
  const code = inner instanceof Error ? ((inner as NodeJS.ErrnoException).code ?? inner.message) : undefined;
  const why =
    raw instanceof Error ? raw.message + (code ? ` (${code})` : '') : 'fetch rejected with something that is no error';
  return new ConnectionError(redactSecrets(`${endpoint.method} ${endpoint.path} got no response: ${why}`, secrets), {
    cause: redactError(raw, secrets),
    attempts: scope.attempts,
  });
}

/** ky puts an error of its own around what `fetch` threw. */
function unwrapped(fault: unknown): unknown {
  return fault instanceof Error && fault.name === 'NetworkError' ? (fault.cause ?? fault) : fault;
}
