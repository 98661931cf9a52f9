import { platform } from '#platform';
import { ConnectionError, OutcomeUnknownError, RequestAbortedError } from '../errors/errors.js';
import { ApiError, UnexpectedResponseError } from '../errors/response-errors.js';
import { printable, userTexts, redactorOf } from '../errors/redactor.js';
import { SellerError, withMessageParts } from '../errors/seller-error.js';
import type { SentCall } from '../request/built-request.js';
import { adviceFor } from '../response/api-error.js';
import { isOfNetwork } from './failure.js';
import type { FailedAttempt } from './failure.js';

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
