import { AuthorizationCallbackError, GrantRevokedError, OutcomeUnknownError } from '../core/errors/errors.js';
import { UnexpectedResponseError } from '../core/errors/response-errors.js';
import type { ApiError } from '../core/errors/response-errors.js';
import { Redactor, printable } from '../core/errors/redactor.js';
import type { SellerError } from '../core/errors/seller-error.js';
import { classOfStatus } from '../core/errors/status-errors.js';
import type { OAuthOptions } from './application.js';

/** A code or a refresh token on its way to the token endpoint. */
export interface TokenGrant {
  readonly application: OAuthOptions;
  readonly type: 'authorization_code' | 'refresh_token';
  /** What no error may contain. */
  readonly secrets: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const maxTextLength = 20_000;
const maxReasonLength = 200;

/** A text of the authorisation server for a message: on one line, without secrets. */
export function mask(text: string, secrets: readonly string[]): string {
  return new Redactor({ secrets })
    .foreignText(printable(text.slice(0, maxTextLength)))
    .trim()
    .slice(0, maxReasonLength);
}

/** What may be lost when it is not known whether the server used up the code or the refresh token. */
const losses: Readonly<Record<TokenGrant['type'], string>> = {
  authorization_code: 'The code may have been used, and then its grant is lost: start again with start()',
  refresh_token:
    'The refresh token may have been used, and then the grant is lost: the next refresh fails with a GrantRevokedError',
};

/** Method and address without query, as in the messages of all errors. */
export function nameOf({ application }: TokenGrant): string {
  const { origin, pathname } = new URL(application.tokenUrl);
  return `POST ${origin}${pathname}`;
}

/** The error of a request that was sent and got no response, or only the status of a success. */
export function lostResponse(grant: TokenGrant, cause: Error, attempts: number, status?: number): OutcomeUnknownError {
  const message = `${nameOf(grant)}: the response was lost (${cause.message}). ${losses[grant.type]}`;
  return new OutcomeUnknownError(message, { cause, attempts, status });
}

/** The error of a success without tokens. Its body is left out, because it may contain tokens. */
export function unexpectedResponse(grant: TokenGrant, what: string): UnexpectedResponseError {
  const message = `${nameOf(grant)} responded 200 with a body ${mask(what, grant.secrets)}. ${losses[grant.type]}`;
  const headers = new Headers();
  return new UnexpectedResponseError(message, { status: 200, headers, body: undefined, issues: [] });
}

/** What an error response states. */
interface ErrorStatement {
  readonly status: number;
  readonly code: string | undefined;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly attempts: number;
}

/** The error of an error response: `invalid_grant` has its own class, everything else that of its status. */
export function errorFrom(grant: TokenGrant, stated: ErrorStatement): SellerError {
  const error = statusError(grant, stated);
  if (stated.code !== 'invalid_grant' || stated.status >= 500) return error;
  if (grant.type === 'authorization_code')
    return new AuthorizationCallbackError(`The code was not accepted (invalid_grant): ${stated.reason}`, {
      code: stated.code,
      cause: error,
    });
  return new GrantRevokedError(
    `The refresh token is not valid any more (invalid_grant): ${stated.reason}. Ask the seller to authorise the application again`,
    { cause: error },
  );
}

function statusError(grant: TokenGrant, { status, code, reason, retryAfterMs, attempts }: ErrorStatement): ApiError {
  // After a 503 the server did nothing; after another failure nobody knows.
  const outcomeUnknown = status >= 500 && status !== 501 && status !== 503;
  const remedy = code === 'invalid_client' ? '; check `clientId` and `clientSecret`' : '';
  const loss = outcomeUnknown ? `. ${losses[grant.type]}` : '';
  const which = code === undefined ? '' : ` (${code})`;
  const Class = classOfStatus(status);
  return new Class(`${nameOf(grant)} failed with ${status}${which}: ${reason}${remedy}${loss}`, {
    status,
    code,
    causes: [],
    headers: new Headers(),
    body: undefined,
    attempts,
    retryAfterMs,
    outcomeUnknown,
  });
}
