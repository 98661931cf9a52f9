import { platform } from '#platform';
import {
  AuthorizationCallbackError,
  ConnectionError,
  GrantRevokedError,
  OutcomeUnknownError,
  RequestAbortedError,
  TimeoutError,
} from '../core/errors/errors.js';
import { printable, Redactor } from '../core/errors/redactor.js';
import { classOfStatus, UnexpectedResponseError, type ApiError } from '../core/errors/response-errors.js';
import { parseRetryAfter } from '../core/errors/response-headers.js';
import type { SellerError } from '../core/errors/seller-error.js';
import { isPlainObject } from '../core/json/json.js';
import type { FetchInit } from '../core/options/client-options.js';
import { TimeLimit, wait } from '../core/scope/cancel-scope.js';
import { FetchResponse, isOk } from '../core/transport/transport.js';
import { times, type OAuthOptions } from './tokens.js';

const maxRetries = 4;
const maxResponseBytes = 1 << 20;

type TokenBody = Readonly<Record<string, unknown>>;

/** The result of one attempt. `retryAfterMs` is present if the server certainly did nothing. */
type TokenAttempt = { readonly body: TokenBody } | { readonly error: SellerError; readonly retryAfterMs?: number };

/**
 * Sends a grant to the token endpoint, and returns the JSON of a success. A grant works once, so it is sent again only if
 * the server certainly did nothing: after a 429, a 503, or a connection that could not be made.
 */
export async function postGrant(grant: TokenGrant, form: string): Promise<TokenBody> {
  for (let attempts = 1; ; attempts += 1) {
    if (grant.signal?.aborted) throw abortedError(grant, attempts - 1);
    const result = await attempt(grant, form, attempts);
    if ('body' in result) return result.body;
    if (result.retryAfterMs === undefined || result.retryAfterMs > times.longestRetryAfterMs || attempts > maxRetries)
      throw result.error;
    await wait(Math.max(result.retryAfterMs, backoff(attempts)), grant.signal);
  }
}

async function attempt(grant: TokenGrant, form: string, attempts: number): Promise<TokenAttempt> {
  const received: { status?: number } = {};
  try {
    const { status, headers, text } = await send(grant, form, received);
    return readResponse(grant, { status, text, attempts, retryAfterMs: parseRetryAfter(headers, Date.now()) });
  } catch (error) {
    const { status } = received;
    // The status decides the class of an error, even if the body was lost.
    if (status !== undefined && !isOk(status)) return readResponse(grant, { status, text: '', attempts });
    const connectError = status === undefined ? platform.connectErrorOf(error) : undefined;
    const cause = connectionError(grant, error, attempts, connectError?.remedy);
    if (!connectError) return { error: lostResponse(grant, cause, attempts, status) };
    return connectError.isLasting ? { error: cause } : { error: cause, retryAfterMs: 0 };
  }
}

interface TokenResponse {
  readonly status: number;
  readonly text: string;
  readonly attempts: number;
  readonly retryAfterMs?: number | undefined;
}

function readResponse(grant: TokenGrant, { status, text, attempts, retryAfterMs }: TokenResponse): TokenAttempt {
  const body = objectIn(text);
  const { access_token, error, error_description, message } = body ?? {};
  // Some servers send an error with status 200.
  if (isOk(status) && (access_token !== undefined || typeof error !== 'string'))
    return body ? { body } : { error: unexpectedResponse(grant, 'that is not a JSON object') };
  const reason = [error_description, message, error].find((each) => typeof each === 'string' && each !== '');
  const redirect = status >= 300 && status < 400 ? '`tokenUrl` redirects; is it right?' : undefined;
  const stated = {
    status: isOk(status) ? 400 : status,
    code: typeof error === 'string' ? mask(error, grant.secrets) : undefined,
    reason: redirect ?? (typeof reason === 'string' ? mask(reason, grant.secrets) : 'the server gave no reason'),
    retryAfterMs,
    attempts,
  };
  const isUndone = status === 429 || status === 503;
  return { error: errorFrom(grant, stated), ...(isUndone && { retryAfterMs: retryAfterMs ?? 0 }) };
}

/**
 * Sends a request once and reads its response. The signal of the caller does not end it: the tokens in the response
 * replace the used refresh token, and must not be lost.
 */
async function send(
  grant: TokenGrant,
  form: string,
  received: { status?: number },
): Promise<{ status: number; headers: Pick<Headers, 'get'>; text: string }> {
  const controller = new AbortController();
  const { fetch = globalThis.fetch, tokenUrl } = grant.application;
  const exchange = async (): ReturnType<typeof send> => {
    const response = await fetch(tokenUrl, requestInit(form, controller.signal));
    const { status, headers } = response;
    received.status = status;
    const { text } = await new FetchResponse(response, false).text(maxResponseBytes);
    return { status, headers, text };
  };
  return new TimeLimit(times.requestMs).run(exchange, () => {
    const error = new TimeoutError(`${nameOf(grant)} got no complete response within ${times.requestMs} ms`);
    controller.abort(error);
    return error;
  });
}

function requestInit(body: string, signal: AbortSignal): FetchInit {
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', headers, body, signal, redirect: 'manual' };
}

function connectionError(grant: TokenGrant, error: unknown, attempts: number, remedy?: string): ConnectionError {
  if (error instanceof TimeoutError) return error;
  const { message, cause } = error instanceof Error ? error : new Error('fetch rejected with no error');
  const detail = cause instanceof Error ? ` (${platform.networkReason(cause)})` : '';
  const advice = remedy === undefined ? '' : `; ${remedy.replace('`baseUrl`', '`tokenUrl`')}`;
  return new ConnectionError(`${nameOf(grant)} got no response: ${mask(message + detail, grant.secrets)}${advice}`, {
    cause: new Redactor(grant).error(error),
    attempts,
  });
}

function abortedError(grant: TokenGrant, attempts: number): RequestAbortedError {
  const cause = new Redactor(grant).error(grant.signal?.reason);
  return new RequestAbortedError(`${nameOf(grant)} was aborted before it was sent`, { cause, attempts });
}

function backoff(attempts: number): number {
  return times.firstRetryMs * 2 ** (attempts - 1) * (0.5 + Math.random() / 2);
}

function objectIn(text: string): TokenBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? (value as TokenBody) : undefined;
  } catch {
    return undefined;
  }
}

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
function nameOf({ application }: TokenGrant): string {
  const { origin, pathname } = new URL(application.tokenUrl);
  return `POST ${origin}${pathname}`;
}

/** The error of a request that was sent and got no response, or only the status of a success. */
function lostResponse(grant: TokenGrant, cause: Error, attempts: number, status?: number): OutcomeUnknownError {
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
function errorFrom(grant: TokenGrant, stated: ErrorStatement): SellerError {
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
