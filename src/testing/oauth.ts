import { ErrorResponse, HandlerResponse, errorResponse } from './http/handler.js';
import type { Call } from './http/call.js';
import { formFieldsOf } from './http/request-body.js';
import type { FormFields } from './http/request-body.js';
import type { Accounts, CodeProof, Grant } from './state/accounts.js';
import type { Stores } from './state/stores.js';

const grantFields = { authorization_code: 'code', refresh_token: 'refresh_token' } as const;

/** Whether a path is that of the token endpoint. */
export function isTokenPath(path: string): boolean {
  return path === '/oauth/token' || path === '/oauth/token/';
}

/** Handles `POST /oauth/token`: exchanges an authorization code or a refresh token for tokens. Each can be used once. */
export async function exchangeToken(call: Call, { accounts, settings }: Stores): Promise<HandlerResponse> {
  if (call.request.method !== 'POST')
    throw errorResponse({ status: 405, message: 'Send a POST with the parameters in the body' }, {}, { allow: 'POST' });
  const fields = fieldsOf(call);
  const kind = needed(fields, 'grant_type');
  if (kind !== 'authorization_code' && kind !== 'refresh_token')
    throw oauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  const client_id = Number(needed(fields, 'client_id'));
  if (!Number.isSafeInteger(client_id) || !fields.client_secret)
    throw oauthError('invalid_client', 'client_id must be a number, and client_secret is required');
  const grant = accounts.redeem(kind, needed(fields, grantFields[kind]), client_id);
  if (!grant || !(await isProven(grant.proof, fields)))
    throw oauthError('invalid_grant', `The ${kind.replace('_', ' ')} is not valid or was already used`);
  return new HandlerResponse(200, issueTokens(accounts, grant, settings.accessTokenLifetimeSeconds));
}

/** The parameters of RFC 6749, each at most once. @throws {ErrorResponse} when one is in the query, or repeated */
function fieldsOf({ query, copied }: Call): FormFields {
  const given = typeof copied.value === 'string' ? new URLSearchParams(copied.value) : new URLSearchParams();
  for (const name of parameters) {
    if (query.has(name))
      throw invalidRequest(
        `Send ${name} in the body of the request (application/x-www-form-urlencoded), not in the query`,
      );
    if (given.getAll(name).length > 1) throw invalidRequest(`${name} is there more than once`);
  }
  return formFieldsOf(copied.value);
}

const parameters = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'refresh_token',
  'redirect_uri',
  'code_verifier',
];

/** @throws {ErrorResponse} `invalid_request` when a parameter is missing (RFC 6749, 5.2) */
function needed(fields: FormFields, name: string): string {
  const value = fields[name];
  if (value) return value;
  throw invalidRequest(`${name} is required, in the body of the request (application/x-www-form-urlencoded)`);
}

/** Whether the application that exchanges a code is the one that asked for it. */
async function isProven({ code_challenge, redirect_uri }: CodeProof = {}, fields: FormFields): Promise<boolean> {
  if (redirect_uri !== undefined && fields.redirect_uri !== redirect_uri) return false;
  if (code_challenge === undefined) return true;
  const verifier = new TextEncoder().encode(fields.code_verifier ?? '');
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', verifier));
  const text = btoa(String.fromCharCode(...hash));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === code_challenge;
}

function issueTokens(accounts: Accounts, { user_id, application_id }: Grant, expires_in: number): object {
  const access_token = accounts.issueToken(user_id, application_id, undefined, expires_in);
  const refresh_token = accounts.issueRefreshToken(user_id, application_id, access_token);
  return { access_token, token_type: 'Bearer', expires_in, scope: 'offline_access read write', user_id, refresh_token };
}

const invalidRequest = (message: string): ErrorResponse => oauthError('invalid_request', message);

function oauthError(error: string, message: string): ErrorResponse {
  return new ErrorResponse(400, { message, error, error_description: message, status: 400, cause: [] });
}
