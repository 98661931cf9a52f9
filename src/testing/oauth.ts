import { ErrorResponse, HandlerResponse } from './http/handler.js';
import { copyBody } from './http/request-body.js';
import type { MarketplaceSettings } from './settings.js';
import type { Accounts, Grant } from './state/accounts.js';

const grantFields = { authorization_code: 'code', refresh_token: 'refresh_token' } as const;

/** Handles `POST /oauth/token`: exchanges an authorization code or a refresh token for tokens. Each can be used once. */
export async function exchangeToken(
  request: Request,
  accounts: Accounts,
  { accessTokenLifetimeSeconds: expires_in }: MarketplaceSettings,
): Promise<HandlerResponse> {
  const fields = await readFields(request);
  const kind = fields.grant_type;
  if (kind !== 'authorization_code' && kind !== 'refresh_token')
    throw oauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  const client_id = Number(fields.client_id);
  if (!fields.client_id || !Number.isSafeInteger(client_id) || !fields.client_secret)
    throw oauthError('invalid_client', 'client_id and client_secret are required');
  const value = fields[grantFields[kind]];
  const grant = value === undefined ? undefined : accounts.redeem(kind, value, client_id);
  if (!grant) throw oauthError('invalid_grant', `The ${kind.replace('_', ' ')} is not valid or was already used`);
  return new HandlerResponse(200, issueTokens(accounts, grant, expires_in));
}

function issueTokens(accounts: Accounts, { user_id, application_id }: Grant, expires_in: number): object {
  const access_token = accounts.issueToken(user_id, application_id, undefined, expires_in);
  const refresh_token = accounts.issueRefreshToken(user_id, application_id, access_token);
  return { access_token, token_type: 'Bearer', expires_in, scope: 'offline_access read write', user_id, refresh_token };
}

/** Reads the fields of a form or of a JSON object. */
async function readFields(request: Request): Promise<Readonly<Record<string, string | undefined>>> {
  const { value: body } = await copyBody(request);
  if (typeof body === 'string') return Object.fromEntries(new URLSearchParams(body));
  const entries = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function oauthError(error: string, message: string): ErrorResponse {
  return new ErrorResponse(400, { message, error, error_description: message, status: 400, cause: [] });
}
