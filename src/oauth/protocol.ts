import {
  ClientSecretPost,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  customFetch,
  expectNoState,
  generateRandomCodeVerifier,
  generateRandomState,
  nopkce,
  refreshTokenGrantRequest,
  validateAuthResponse,
} from 'oauth4webapi';
import type { AuthorizationServer, Client, TokenEndpointRequestOptions } from 'oauth4webapi';
import type { TokenSet, AuthorizationRequest, OAuthOptions, OAuthTokens } from './tokens.js';
import { AuthorizationCallbackError } from '../core/errors/errors.js';
import { oddly, oddTokens } from '../core/options/rules.js';
import { mask, unexpectedResponse, postGrant } from './token-request.js';
import type { TokenGrant } from './token-request.js';

/** Creates the address of the authorisation page, with a new state and a new verifier of PKCE. */
export async function createAuthorization(application: OAuthOptions): Promise<AuthorizationRequest> {
  const state = generateRandomState();
  const verifier = generateRandomCodeVerifier();
  const url = new URL(application.authorizationUrl);
  const parameters = {
    response_type: 'code',
    client_id: application.clientId,
    redirect_uri: application.redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier };
}

/**
 * Checks what the seller's browser brought back; without a `state`, a code alone.
 *
 * @returns its parameters, with a code
 * @throws {AuthorizationCallbackError} when it does not belong to this authorisation, or contains no code.
 */
export function checkCallback(application: OAuthOptions, given: URLSearchParams, state?: string): URLSearchParams {
  const query = new URLSearchParams(given);
  // It names the authorisation server, and this application has only one.
  query.delete('iss');
  const { server, client } = partiesOf(application);
  try {
    const checked = validateAuthResponse(server, client, query, state ?? expectNoState);
    if (!checked.get('code') || checked.getAll('code').length > 1)
      throw new Error('the callback contains not one code');
    return checked;
  } catch (error) {
    if (query.get('state') !== state)
      throw new AuthorizationCallbackError(
        'The state of the callback is not that of this authorisation: start again with start()',
      );
    throw rejectedError(query, error as Error, [application.clientSecret, state, ...query.getAll('code')]);
  }
}

function rejectedError(query: URLSearchParams, error: Error, secrets: readonly string[]): AuthorizationCallbackError {
  const stated = query.get('error');
  const code = stated === null ? undefined : mask(stated, secrets);
  const reason = mask(query.get('error_description') ?? error.message, secrets);
  const which = code === undefined ? '' : ` (${code})`;
  return new AuthorizationCallbackError(`The authorisation failed${which}: ${reason}`, { code });
}

/** Exchanges the code of a checked callback. */
export async function exchangeCode(
  application: OAuthOptions,
  callback: URLSearchParams,
  verifier: string | undefined,
): Promise<OAuthTokens> {
  const { server, client, authentication } = partiesOf(application);
  const { clientSecret, redirectUri } = application;
  const secrets = [clientSecret, callback.get('code') ?? '', callback.get('state') ?? '', verifier ?? ''];
  const grant: TokenGrant = { application, type: 'authorization_code', secrets };
  // oxlint-disable-next-line typescript/no-deprecated -- marked so that it stands out: an application may do without PKCE
  const proof = verifier ?? nopkce;
  const { user_id, ...tokens } = await requestTokens(grant, (options) =>
    authorizationCodeGrantRequest(server, client, authentication, callback, redirectUri, proof, options),
  );
  if (user_id === undefined) throw unexpectedResponse(grant, 'without a `user_id`');
  return { ...tokens, user_id };
}

/** Exchanges a refresh token. The user id is absent if the response does not contain it. */
export async function useRefreshToken(
  application: OAuthOptions,
  refreshToken: string,
  signal: AbortSignal | undefined,
): Promise<TokenSet> {
  const { server, client, authentication } = partiesOf(application);
  return requestTokens(
    { application, type: 'refresh_token', secrets: [application.clientSecret, refreshToken], signal },
    (options) => refreshTokenGrantRequest(server, client, authentication, refreshToken, options),
  );
}

interface Parties {
  readonly server: AuthorizationServer;
  readonly client: Client;
  readonly authentication: ReturnType<typeof ClientSecretPost>;
}

function partiesOf({ clientId, clientSecret, tokenUrl }: OAuthOptions): Parties {
  return {
    server: { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl },
    client: { client_id: clientId },
    authentication: ClientSecretPost(clientSecret),
  };
}

/** Sends the form that the library builds, and reads what the server responds: once, and as it came. */
async function requestTokens(
  grant: TokenGrant,
  build: (options: TokenEndpointRequestOptions) => Promise<Response>,
): Promise<TokenSet & { readonly user_id?: number }> {
  let form = '';
  const keep = (_url: string, { body }: { readonly body: URLSearchParams }): Promise<Response> => {
    form = body.toString();
    return Promise.resolve(new Response());
  };
  // Which protocols are allowed was checked when the application was created.
  // oxlint-disable-next-line typescript/no-deprecated -- marked so that it stands out
  await build({ [customFetch]: keep, [allowInsecureRequests]: true });
  return readTokens(grant, await postGrant(grant, form));
}

/** A refresh token that has been used must not be lost because a field is missing that nobody needs, or `null`. */
function readTokens(
  grant: TokenGrant,
  { access_token, refresh_token, expires_in, user_id }: Readonly<Record<string, unknown>>,
): TokenSet & { readonly user_id?: number } {
  if (typeof access_token !== 'string')
    throw unexpectedResponse(grant, 'that is not as OAuth requires: its `access_token` is no text');
  const refreshToken = typeof refresh_token === 'string' && refresh_token !== '' ? refresh_token : undefined;
  const [odd] = oddTokens({ accessToken: access_token, refreshToken });
  if (odd !== undefined) throw unexpectedResponse(grant, `with ${oddly[odd]}`);
  const lastsMs = Number(expires_in) * 1000;
  const id = userIdOf(user_id);
  return {
    accessToken: access_token,
    ...(refreshToken !== undefined && { refreshToken }),
    expiresAt: lastsMs > 0 ? Date.now() + lastsMs : undefined,
    ...(id !== undefined && { user_id: id }),
  };
}

/** Reads a user id that may be a text of digits. */
function userIdOf(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}
