import type {
  TokenSet,
  AuthorizationCallback,
  AuthorizationRequest,
  LoginStore,
  OAuthOptions,
  OAuthTokens,
  PastedCode,
} from './tokens.js';
import { AuthorizationCallbackError, InvalidInputError } from '../core/errors/errors.js';
import { withoutSecrets } from '../core/errors/redactor.js';
import { checkConfiguration, isLoopback, ofType, withMethods, oddly, oddTokens } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { checkCallback, createAuthorization, exchangeCode, useRefreshToken } from './protocol.js';
import { times } from './times.js';

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
