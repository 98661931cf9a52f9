import { FakeMarketplaceError } from './errors.js';
import { HandlerResponse, badRequest, forbidden } from './http/handler.js';
import type { Call } from './http/call.js';
import { formFieldsOf } from './http/request-body.js';
import { assertCodeProof } from './state/accounts.js';
import type { Account, Accounts } from './state/accounts.js';

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
