import {
  calculatePKCECodeChallenge,
  expectNoState,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi';
import { AuthorizationCallbackError, InvalidInputError } from '../core/errors/errors.js';
import { withoutSecrets } from '../core/errors/redactor.js';
import { checkConfiguration, isLoopback, oddly, oddTokens, ofType, withMethods } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { mask, postGrant, unexpectedResponse, type TokenGrant } from './token-request.js';
import { times } from './tokens.js';
import type {
  AuthorizationCallback,
  AuthorizationRequest,
  LoginStore,
  OAuthOptions,
  OAuthTokens,
  PastedCode,
  TokenSet,
} from './tokens.js';

/** The authorisation of an application by sellers. The methods can be passed on without their object. */
export interface OAuth {
  /**
   * Starts an authorisation. `logins` keeps the verifier, and you keep the state in a cookie of the browser.
   *
   * @example
   * const { url, state, verifier } = await oauth.start();
   */
  readonly start: () => Promise<AuthorizationRequest>;
  /**
   * Exchanges the code that the seller's browser brought back for tokens. A code works once.
   *
   * @example
   * const { user_id, ...tokens } = await oauth.exchange({ url: request.url, state, verifier });
   * // with `logins`: await oauth.exchange({ url: request.url, state })
   * // or a code that you have copied: await oauth.exchange({ code });
   * @throws {InvalidInputError} when a field is missing or wrong.
   * @throws {AuthorizationCallbackError} when the seller did not agree, the state is wrong or has been used, or the code is not valid.
   * @throws {OutcomeUnknownError} when the response was lost: the seller has to start again.
   * @throws {ConnectionError} when no connection could be made.
   * @throws {ApiError} when the authorisation server rejects the request for another reason.
   * @throws {UnexpectedResponseError} when a success contains no tokens that can be used, or no user id.
   */
  readonly exchange: (callback: AuthorizationCallback | PastedCode) => Promise<OAuthTokens>;
  /**
   * Exchanges a refresh token for the next tokens. A refresh token works once. Pass this function to `refreshingToken`.
   * Other fields of `tokens` are kept.
   *
   * @example
   * const accessToken = refreshingToken({ load, save, refresh: oauth.refresh });
   * @throws {InvalidInputError} when `tokens` has no refresh token, or one that no request can have.
   * @throws {GrantRevokedError} when the refresh token is not valid: the seller has to authorise the application again.
   * @throws {OutcomeUnknownError} when the response was lost: the refresh token may have been used.
   * @throws {ConnectionError} when no connection could be made.
   * @throws {ApiError} when the authorisation server rejects the request for another reason.
   * @throws {UnexpectedResponseError} when a success contains no tokens that can be used.
   * @throws {RequestAbortedError} when the signal aborted before a request was sent.
   */
  readonly refresh: <T extends TokenSet>(
    tokens: T,
    context?: { readonly signal?: AbortSignal | undefined },
  ) => Promise<T>;
}

/**
 * Creates the OAuth functions of an application: authorization code with PKCE (S256), and refresh.
 *
 * A 429, a 503 and a connection that could not be made are retried, up to 4 times within 20 seconds. A lost response is
 * not retried, because codes and refresh tokens work once. A token with control characters is rejected, and not returned.
 *
 * @example
 * const oauth = createOAuth({
 *   clientId: '500',
 *   clientSecret: process.env.CLIENT_SECRET ?? 'secret',
 *   redirectUri: 'https://bot.example.com/callback',
 *   authorizationUrl: 'https://auth.example.com/authorization',
 *   tokenUrl: 'https://auth.example.com/oauth/token',
 * });
 * const { url, state, verifier } = await oauth.start();
 * @throws {ConfigurationError} when an option is missing, unknown or wrong.
 */
export function createOAuth(options: OAuthOptions): OAuth {
  checkConfiguration('createOAuth', options, rules, required);
  const application = { ...options };
  return {
    start: async () => {
      const started = await createAuthorization(application);
      if (application.logins) await keepLogin(application.logins, started);
      return started;
    },
    exchange: async (callback) => {
      checkExchange(callback, application);
      const { query, verifier } = await finished(callback, application);
      return exchangeCode(application, query, verifier);
    },
    refresh: async <T extends TokenSet>(tokens: T, { signal }: { signal?: AbortSignal | undefined } = {}) => {
      checkFields(tokens, ['refreshToken']);
      if (oddTokens(tokens).includes('refreshToken'))
        throw new InvalidInputError([
          { path: ['refreshToken'], message: `\`refreshToken\` takes a text, not ${oddly.refreshToken}` },
        ]);
      const refreshToken = String(tokens.refreshToken);
      const secrets = [application.clientSecret, refreshToken];
      const grant: TokenGrant = { application, type: 'refresh_token', secrets, signal };
      const next = await requestTokens(grant, { refresh_token: refreshToken });
      return { ...tokens, ...next, refreshToken: next.refreshToken ?? tokens.refreshToken };
    },
  };
}

const text: Rule = (value) => (typeof value === 'string' && value !== '' ? undefined : 'takes a text');

const absoluteUrl: Rule = (value) =>
  typeof value === 'string' && URL.canParse(value) ? undefined : 'takes an absolute URL';

const secureUrl: Rule = (value) => {
  const problem = absoluteUrl(value);
  if (problem !== undefined) return problem;
  const { protocol, hostname, username, password, hash } = new URL(value as string);
  if (username || password || hash) return 'takes a URL without user name, password and fragment';
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return undefined;
  return 'takes an https: URL; http: only of this machine, because secrets would travel in clear text';
};

const rules: Readonly<Record<keyof OAuthOptions, Rule>> = {
  clientId: text,
  clientSecret: text,
  redirectUri: absoluteUrl,
  authorizationUrl: secureUrl,
  tokenUrl: secureUrl,
  fetch: ofType('function'),
  logins: withMethods('get', 'set', 'delete'),
};
const required = ['clientId', 'clientSecret', 'redirectUri', 'authorizationUrl', 'tokenUrl'];

/** @throws {InvalidInputError} that names each field that is no text; a `url` may be a `URL`. */
function checkFields(input: unknown, names: readonly string[]): void {
  const given = (input ?? {}) as Record<string, unknown>;
  const wrong = names.filter((name) => {
    const value = given[name];
    return name === 'url' && value instanceof URL ? false : text(value) !== undefined;
  });
  if (wrong.length > 0)
    throw new InvalidInputError(wrong.map((name) => ({ path: [name], message: `\`${name}\` takes a text` })));
}

/** @throws {InvalidInputError} that names each field that is wrong. A code alone has no state: no browser has brought it. */
function checkExchange(input: unknown, { logins }: OAuthOptions): void {
  const given = (input ?? {}) as Record<string, unknown>;
  const { url, state, code, verifier } = given;
  // A browser without a cookie has the state `undefined`, or an empty one: it is not one that may go without.
  const goesWithout = logins !== undefined && (state === '' || !('state' in given));
  checkFields(input, [
    ...(code === undefined ? ['url'] : ['code']),
    ...(code !== undefined || goesWithout ? [] : ['state']),
    ...(verifier === undefined ? [] : ['verifier']),
  ]);
  if (code === undefined || (url === undefined && state === undefined && !URL.canParse(code as string))) return;
  const message = '`code` takes a code alone; pass the address with it as `url`, with the `state` that is compared';
  throw new InvalidInputError([{ path: ['code'], message }]);
}

/** What the browser brought, with a code, and the verifier that belongs to it. */
interface Finished {
  readonly query: URLSearchParams;
  readonly verifier?: string | undefined;
}

/** Takes the login of a callback from `logins`, unless its verifier is given. */
async function finished(callback: AuthorizationCallback | PastedCode, application: OAuthOptions): Promise<Finished> {
  const { url, code, verifier } = callback;
  if (url === undefined)
    return { query: checkCallback(application, new URLSearchParams({ code: code.trim() })), verifier };
  if (!URL.canParse(String(url), application.redirectUri))
    throw new InvalidInputError([{ path: ['url'], message: '`url` is not a URL' }]);
  const query = new URL(url, application.redirectUri).searchParams;
  const brought = query.get('state') ?? '';
  const { state = brought } = callback;
  const { logins } = application;
  // A login that belongs to another state is not used up.
  if (!logins || verifier !== undefined || brought !== state)
    return { query: checkCallback(application, query, state), verifier };
  const kept = await takeLogin(logins, state);
  if (kept === undefined)
    throw new AuthorizationCallbackError(
      'No authorisation that waits has the state of this callback: it was used, is older than an hour, or never began. Start again with start()',
    );
  return { query: checkCallback(application, query, state), verifier: kept };
}

async function keepLogin(logins: LoginStore, { state, verifier }: AuthorizationRequest): Promise<void> {
  if (logins instanceof Map) forgetOldLogins(logins);
  try {
    await logins.set(state, JSON.stringify({ verifier, startedAt: Date.now() }), times.loginMs);
  } catch (error) {
    throw withoutSecrets(error, [state, verifier]);
  }
}

/** A map forgets nothing by itself, and everybody can begin an authorisation. */
function forgetOldLogins(logins: Map<unknown, unknown>): void {
  for (const [state, kept] of logins) {
    if (verifierIn(kept) !== undefined) return;
    logins.delete(state);
  }
}

/** Returns the verifier of a login, which is used up by that. */
async function takeLogin(logins: LoginStore, state: string): Promise<string | undefined> {
  // Anybody can call the address, with any state.
  if (!/^[\w-]{43}$/.test(state)) return undefined;
  try {
    const kept = await logins.get(state);
    if (kept !== undefined && kept !== null) await logins.delete(state);
    return verifierIn(kept);
  } catch (error) {
    throw withoutSecrets(error, [state]);
  }
}

/** The verifier of a login that is not too old. Some stores return the object that a text stands for. */
function verifierIn(kept: unknown): string | undefined {
  try {
    const login: unknown = typeof kept === 'string' ? JSON.parse(kept) : kept;
    const { verifier, startedAt } = (login ?? {}) as Readonly<Record<string, unknown>>;
    return typeof verifier === 'string' && Date.now() - Number(startedAt) < times.loginMs ? verifier : undefined;
  } catch {
    return undefined;
  }
}

/** Creates the address of the authorisation page, with a new state and a new verifier of PKCE. */
async function createAuthorization(application: OAuthOptions): Promise<AuthorizationRequest> {
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
function checkCallback(application: OAuthOptions, given: URLSearchParams, state?: string): URLSearchParams {
  const query = new URLSearchParams(given);
  // It names the authorisation server, and this application has only one.
  query.delete('iss');
  const { clientId, tokenUrl } = application;
  try {
    const server = { issuer: new URL(tokenUrl).origin };
    const checked = validateAuthResponse(server, { client_id: clientId }, query, state ?? expectNoState);
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
async function exchangeCode(
  application: OAuthOptions,
  callback: URLSearchParams,
  verifier: string | undefined,
): Promise<OAuthTokens> {
  const { clientSecret, redirectUri } = application;
  const code = callback.get('code') ?? '';
  const secrets = [clientSecret, code, callback.get('state') ?? '', verifier ?? ''];
  const grant: TokenGrant = { application, type: 'authorization_code', secrets };
  // An application may do without PKCE.
  const proof = verifier !== undefined && { code_verifier: verifier };
  const { user_id, ...tokens } = await requestTokens(grant, { redirect_uri: redirectUri, code, ...proof });
  if (user_id === undefined) throw unexpectedResponse(grant, 'without a `user_id`');
  return { ...tokens, user_id };
}

/** Sends a grant with its own fields, and reads what the server responds: once, and as it came. */
async function requestTokens(
  grant: TokenGrant,
  fields: Readonly<Record<string, string>>,
): Promise<TokenSet & { readonly user_id?: number }> {
  const { clientId, clientSecret } = grant.application;
  const own = { grant_type: grant.type, client_id: clientId, client_secret: clientSecret };
  return readTokens(grant, await postGrant(grant, String(new URLSearchParams({ ...fields, ...own }))));
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
