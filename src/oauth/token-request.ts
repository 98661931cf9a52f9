import { platform } from '#platform';
import { ConnectionError, RequestAbortedError, TimeoutError } from '../core/errors/errors.js';
import { Redactor } from '../core/errors/redactor.js';
import type { SellerError } from '../core/errors/seller-error.js';
import { isPlainObject } from '../core/json/plain-object.js';
import { TimeLimit } from '../core/scope/time-limit.js';
import { wait } from '../core/scope/wait.js';
import { parseRetryAfter } from '../core/errors/response-headers.js';
import { FetchResponse } from '../core/transport/fetch-response.js';
import { lostResponse, mask, nameOf, errorFrom, unexpectedResponse } from './token-errors.js';
import type { TokenGrant } from './token-errors.js';

const maxRetries = 4;
/** The time that a request may take, in milliseconds. Connecting may take 10 seconds of it. */
const timeoutMs = 15_000;
const firstWaitMs = 250;
/** A longer `Retry-After` is an error at once. */
const maxWaitMs = 20_000;
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
    if (result.retryAfterMs === undefined || result.retryAfterMs > maxWaitMs || attempts > maxRetries)
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
): Promise<{ status: number; headers: Headers; text: string }> {
  const controller = new AbortController();
  const exchange = async (): ReturnType<typeof send> => {
    const response = await (grant.application.fetch ?? globalThis.fetch)(createRequest(grant, form, controller.signal));
    const { status, headers } = response;
    received.status = status;
    const { text } = await new FetchResponse(response, false).text(maxResponseBytes);
    return { status, headers, text };
  };
  return new TimeLimit(timeoutMs).run(exchange, () => {
    const error = new TimeoutError(`${nameOf(grant)} got no complete response within ${timeoutMs} ms`);
    controller.abort(error);
    return error;
  });
}

function createRequest({ application }: TokenGrant, body: string, signal: AbortSignal): Request {
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  return new Request(application.tokenUrl, { method: 'POST', headers, body, signal, redirect: 'manual' });
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
  return firstWaitMs * 2 ** (attempts - 1) * (0.5 + Math.random() / 2);
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

function objectIn(text: string): TokenBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? (value as TokenBody) : undefined;
  } catch {
    return undefined;
  }
}
