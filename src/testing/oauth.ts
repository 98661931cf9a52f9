import { ErrorResponse, HandlerResponse } from './http/handler.js';
import type { Call } from './http/call.js';
import { formFieldsOf } from './http/request-body.js';
import type { FormFields } from './http/request-body.js';
import type { Accounts, CodeProof, Grant } from './state/accounts.js';
import type { Stores } from './state/stores.js';

const grantFields = { authorization_code: 'code', refresh_token: 'refresh_token' } as const;

/** Handles `POST /oauth/token`: exchanges an authorization code or a refresh token for tokens. Each can be used once. */
export async function exchangeToken({ copied }: Call, { accounts, settings }: Stores): Promise<HandlerResponse> {
  const fields = formFieldsOf(copied.value);
  const kind = fields.grant_type;
  if (kind !== 'authorization_code' && kind !== 'refresh_token')
    throw oauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  const client_id = Number(fields.client_id);
  if (!fields.client_id || !Number.isSafeInteger(client_id) || !fields.client_secret)
    throw oauthError('invalid_client', 'client_id and client_secret are required');
  const value = fields[grantFields[kind]];
  const grant = value === undefined ? undefined : accounts.redeem(kind, value, client_id);
  if (!grant || !(await isProven(grant.proof, fields)))
    throw oauthError('invalid_grant', `The ${kind.replace('_', ' ')} is not valid or was already used`);
  return new HandlerResponse(200, issueTokens(accounts, grant, settings.accessTokenLifetimeSeconds));
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

function oauthError(error: string, message: string): ErrorResponse {
  return new ErrorResponse(400, { message, error, error_description: message, status: 400, cause: [] });
}
