import type {
  TokenSet,
  AuthorizationCallback,
  AuthorizationRequest,
  OAuthOptions,
  OAuthTokens,
  PastedCode,
} from './tokens.js';
import { InvalidInputError } from '../core/errors/errors.js';
import { checkConfiguration, isLoopback, ofType } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { checkCallback, createAuthorization, exchangeCode, useRefreshToken } from './protocol.js';

/** The authorisation of an application by sellers. The methods can be passed on without their object. */
export interface OAuth {
  /**
   * Starts an authorisation.
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
   * // or a code that you have copied: await oauth.exchange({ code });
   * @throws {InvalidInputError} when a field is missing or wrong.
   * @throws {AuthorizationCallbackError} when the seller did not agree, the state is wrong, or the code is not valid.
   * @throws {OutcomeUnknownError} when the response was lost: the seller has to start again.
   * @throws {ConnectionError} when no connection could be made.
   * @throws {ApiError} when the authorisation server rejects the request for another reason.
   * @throws {UnexpectedResponseError} when a success contains no tokens or no user id.
   */
  readonly exchange: (callback: AuthorizationCallback | PastedCode) => Promise<OAuthTokens>;
  /**
   * Exchanges a refresh token for the next tokens. A refresh token works once. Pass this function to `refreshingToken`.
   * Other fields of `tokens` are kept.
   *
   * @example
   * const accessToken = refreshingToken({ load, save, refresh: oauth.refresh });
   * @throws {InvalidInputError} when `tokens` has no refresh token.
   * @throws {GrantRevokedError} when the refresh token is not valid: the seller has to authorise the application again.
   * @throws {OutcomeUnknownError} when the response was lost: the refresh token may have been used.
   * @throws {ConnectionError} when no connection could be made.
   * @throws {ApiError} when the authorisation server rejects the request for another reason.
   * @throws {UnexpectedResponseError} when a success contains no tokens.
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
 * not retried, because codes and refresh tokens work once.
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
    start: () => createAuthorization(application),
    exchange: async (callback) => {
      checkExchange(callback);
      return exchangeCode(application, callbackOf(callback, application), callback.verifier);
    },
    refresh: async <T extends TokenSet>(tokens: T, { signal }: { signal?: AbortSignal | undefined } = {}) => {
      checkFields(tokens, ['refreshToken']);
      const next = await useRefreshToken(application, String(tokens.refreshToken), signal);
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
function checkExchange(input: unknown): void {
  const { url, state, code, verifier } = (input ?? {}) as Record<string, unknown>;
  checkFields(input, [
    ...(code === undefined ? ['url', 'state'] : ['code']),
    ...(verifier === undefined ? [] : ['verifier']),
  ]);
  if (code === undefined || (url === undefined && state === undefined && !URL.canParse(code as string))) return;
  const message = '`code` takes a code alone; pass the address with it as `url`, with the `state` that is compared';
  throw new InvalidInputError([{ path: ['code'], message }]);
}

/** The parameters that the browser brought, with a code. */
function callbackOf(
  { url, state, code }: AuthorizationCallback | PastedCode,
  application: OAuthOptions,
): URLSearchParams {
  if (url === undefined) return checkCallback(application, new URLSearchParams({ code: code.trim() }));
  if (!URL.canParse(String(url), application.redirectUri))
    throw new InvalidInputError([{ path: ['url'], message: '`url` is not a URL' }]);
  return checkCallback(application, new URL(url, application.redirectUri).searchParams, state);
}
