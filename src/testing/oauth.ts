import { FakeMarketplaceError } from './errors.js';
import { badRequest, ErrorResponse, errorResponse, forbidden, HandlerResponse, formFieldsOf } from './http/handler.js';
import type { Call, FormFields } from './http/handler.js';
import { assertCodeProof, type Account, type Accounts, type CodeProof, type Grant } from './state/accounts.js';
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

/** What an application asks a seller for on the authorisation page. */
interface AskedAuthorization {
  readonly client_id: number;
  readonly redirect_uri: string;
  readonly code_challenge: string | undefined;
  readonly state: string | undefined;
}

/** Lets a user agree on the authorisation page of an application. @returns the address to which the browser returns */
export function authorize(accounts: Accounts, user_id: number, authorizationUrl: string): string {
  if (!URL.canParse(authorizationUrl))
    throw new FakeMarketplaceError(
      '`url` is the address of the authorisation page, with the parameters of the application',
    );
  return agree(accounts, user_id, readRequest(new URL(authorizationUrl).searchParams));
}

/**
 * Handles `/authorization`: GET responds with a page on which a user agrees, POST with the way back to the application.
 *
 * @throws {ErrorResponse} 400 that names the wrong parameter
 */
export function authorizationPage({ request, query, copied }: Call, accounts: Accounts): HandlerResponse {
  const asked = asBadRequest(() => readRequest(query));
  if (request.method === 'GET') return new HandlerResponse(200, toPage(asked, accounts.all));
  // A page of another site must not agree in place of the person.
  if (request.headers.get('sec-fetch-site') === 'cross-site') throw forbidden('Cross-site requests are not allowed');
  const { user_id = '' } = formFieldsOf(copied.value);
  if (!accounts.get(Number(user_id))) throw badRequest(`user_id is the id of the user who agrees, not "${user_id}"`);
  return new HandlerResponse(302, undefined, { location: agree(accounts, Number(user_id), asked) });
}

/** @throws {FakeMarketplaceError} that names the wrong parameter */
function readRequest(parameters: URLSearchParams): AskedAuthorization {
  const get = (name: string): string | undefined => parameters.get(name) ?? undefined;
  const [type, client_id = '', redirect_uri] = [get('response_type'), get('client_id'), get('redirect_uri')];
  if (type !== 'code') throw new FakeMarketplaceError('`response_type` is `code`');
  if (!/^\d{1,15}$/.test(client_id)) throw new FakeMarketplaceError('`client_id` is the number of an application');
  if (redirect_uri === undefined) throw new FakeMarketplaceError('`redirect_uri` is missing');
  const code_challenge = get('code_challenge');
  if (code_challenge !== undefined && get('code_challenge_method') !== 'S256')
    throw new FakeMarketplaceError('`code_challenge_method` is `S256`');
  assertCodeProof({ code_challenge, redirect_uri });
  return { client_id: Number(client_id), redirect_uri, code_challenge, state: get('state') };
}

function agree(accounts: Accounts, user_id: number, asked: AskedAuthorization): string {
  const { client_id, redirect_uri, code_challenge, state } = asked;
  const url = new URL(redirect_uri);
  url.searchParams.set('code', accounts.issueAuthorizationCode(user_id, client_id, { code_challenge, redirect_uri }));
  if (state !== undefined) url.searchParams.set('state', state);
  return url.href;
}

function asBadRequest<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FakeMarketplaceError)) throw error;
    throw badRequest(error.messages.join('; '));
  }
}

/** The page: its form has the parameters of the application in its address. */
function toPage({ client_id, redirect_uri }: AskedAuthorization, users: readonly Account[]): Response {
  const options = users.map(
    ({ user_id, nickname }) => `<option value="${user_id}">${escapeHtml(nickname)} (${user_id})</option>`,
  );
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Authorise application ${client_id}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 15vh auto; padding: 0 1rem }</style>
<h1>Authorise application ${client_id}?</h1>
<p>It gets access to the account, and the browser returns to <code>${escapeHtml(redirect_uri)}</code>.</p>
<form method="post">
<label>Account <select name="user_id">${options.join('')}</select></label>
<button>Authorise</button>
</form>
</html>
`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    // No `form-action`: browsers apply it to the redirect to the application too.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  };
  return new Response(html, { headers });
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
