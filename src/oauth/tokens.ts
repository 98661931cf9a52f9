import { AccessTokenError } from '../core/errors/errors.js';
import type { Fetch } from '../core/options/client-options.js';
import { oddly, oddTokens } from '../core/options/rules.js';

/** The tokens of an authorisation server: an access token, valid for some hours, and a refresh token, valid once. */
export interface TokenSet {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** When the access token expires, in milliseconds since 1970; `undefined` if that is not known. */
  readonly expiresAt?: number | undefined;
}

/** A smaller value is not a time in milliseconds but a time in seconds or a duration: this is March 1973. */
const leastExpiresAt = 1e11;

/**
 * Checks what a function of the user returned.
 *
 * @throws {AccessTokenError} when it is not a token set.
 */
export function checkTokenSet<T extends TokenSet>(name: 'load' | 'refresh', tokens: T): T {
  const { accessToken, refreshToken, expiresAt } = (tokens as UncheckedSet | undefined | null) ?? {};
  if (typeof accessToken !== 'string') throw invalidTokenSet(name, 'returned no token set');
  if (!isNothing(refreshToken) && typeof refreshToken !== 'string')
    throw invalidTokenSet(name, 'returned a `refreshToken` that is not a string');
  if (!isTime(expiresAt)) throw new AccessTokenError(`\`expiresAt\` of \`${name}\` ${noTime}`);
  return tokens;
}

/** What is said of a time that is none. */
export const noTime = 'is not a time in milliseconds since 1970; of seconds, multiply by 1000';

/** Whether a token may end then: in milliseconds since 1970, or it is not known when. */
export function isTime(expiresAt: unknown): boolean {
  return isNothing(expiresAt) || (typeof expiresAt === 'number' && expiresAt >= leastExpiresAt);
}

/**
 * Checks a new token set before it replaces the stored one. The response of an authorisation server may be an error, and
 * the stored refresh token must survive that. A response without a refresh token keeps the old one (RFC 6749, section 6).
 */
export function checkRefreshed<T extends TokenSet>(stored: T, refreshed: T): T {
  const tokens = checkTokenSet('refresh', refreshed);
  const [odd] = oddTokens(tokens);
  if (odd !== undefined) throw invalidTokenSet('refresh', `returned ${oddly[odd]}`);
  const { refreshToken } = stored;
  return refreshToken && !tokens.refreshToken ? { ...tokens, refreshToken } : tokens;
}

type UncheckedSet = Partial<Record<keyof TokenSet, unknown>>;

function invalidTokenSet(name: string, problem: string): AccessTokenError {
  return new AccessTokenError(
    `\`${name}\` of refreshingToken ${problem}; it takes { accessToken, refreshToken, expiresAt }`,
  );
}

/** A database may return `null` for an unknown value. */
function isNothing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Whether two token sets are of the same refresh. */
export function isSame(a: TokenSet, b: TokenSet): boolean {
  return a.accessToken === b.accessToken && a.refreshToken === b.refreshToken;
}

/** The time until the access token expires, in milliseconds. */
export function remainingMs({ expiresAt }: TokenSet): number {
  return isNothing(expiresAt) ? Infinity : expiresAt - Date.now();
}

/** The tokens of a seller, as a store has them. */
export interface StoredTokens {
  readonly tokens: TokenSet;
  /** Whether the grant was revoked: the seller has to authorise the application again. */
  readonly isRevoked: boolean;
}

/** A seller who has authorised your application, and whether that still holds. */
export interface SellerStatus {
  readonly user_id: number;
  /** `revoked`: the grant has ended, and the seller has to authorise the application again. */
  readonly state: 'connected' | 'revoked';
  /** Since when, in milliseconds since 1970: a refresh changes nothing. Absent if an earlier version has stored the seller. */
  readonly since?: number | undefined;
}

/** Where the tokens of all sellers are kept: `sqliteTokens(path)`, or your own. Several processes may share it. */
export interface TokenStore {
  /** Returns the tokens of a seller; `undefined` for anybody else. */
  load(user_id: number): Promise<StoredTokens | undefined>;
  /** Stores the tokens of a seller, in place of those that it has. The seller is no longer marked as revoked. */
  save(user_id: number, tokens: TokenSet): Promise<void>;
  /**
   * Marks a seller as revoked, in one step: only if the store still has these tokens, and no mark. Those of a new authorisation
   * stay as they are. It is called under the lock, after `onRevoked` has ended: a process that dies before is told again.
   *
   * @returns whether this call has marked the seller.
   */
  revoke(user_id: number, tokens: TokenSet): Promise<boolean>;
  /** Deletes the tokens of a seller. `false` if there are none. */
  remove(user_id: number): Promise<boolean>;
  /** The sellers with tokens that are not revoked. */
  sellers(): Promise<readonly number[]>;
  /** All sellers with tokens, in the order of their ids, also those who are revoked. Without it, `list` of `createSellers` rejects. */
  list?(): Promise<readonly SellerStatus[]>;
  /**
   * Runs a function while no other one runs for this seller, in this process or another, and returns its result. A refresh token
   * works once, so two at a time may lose the grant:
   *
   * - It is held for up to 45 seconds: a refresh may wait for 30, and its last request takes up to 15. What is taken
   *   from a process that is perhaps there, is taken after that; from one that has certainly ended, at once.
   * - It is given back when the function has ended, also with an error, and does not hold up other sellers.
   * - A call that waits for it gets an error after some time: a refresh ends after 30 seconds.
   *
   * An advisory lock of a database that ends with its connection does all this.
   */
  lock<R>(user_id: number, work: () => Promise<R>): Promise<R>;
  /** Waits for the locks of this process, and closes the store. */
  close?(): Promise<void>;
}

/** Options of `createOAuth`. Each value comes from the registration of your application. */
export interface OAuthOptions {
  /** The id of your application. */
  readonly clientId: string;
  /** The secret of your application. */
  readonly clientSecret: string;
  /** The address to which the seller's browser returns, exactly as it is registered. */
  readonly redirectUri: string;
  /** The page where a seller logs in and authorises your application. Its query is kept. */
  readonly authorizationUrl: string;
  /** The address that exchanges codes and refresh tokens. `http:` is only accepted for this machine. */
  readonly tokenUrl: string;
  /**
   * Sends the requests to `tokenUrl`. It is called as `fetch(url, init)`, like that of a client.
   *
   * @default the platform's `fetch`
   */
  readonly fetch?: Fetch | undefined;
  /**
   * Keeps the verifier of each authorisation from `start` to `exchange`, for up to an hour: a `Map`, or what all processes share.
   *
   * @default none: you keep it
   */
  readonly logins?: LoginStore | undefined;
}

/** What keeps the authorisations that have begun: a `Map`, a Keyv, or three functions of yours. They may be asynchronous. */
export interface LoginStore {
  /** Returns what was set; nothing if there is none. */
  get(key: string): unknown;
  /** `forMs` says for how many milliseconds it is needed: a store may forget it after that. */
  set(key: string, value: string, forMs: number): unknown;
  delete(key: string): unknown;
}

/** A new authorisation: where to send the seller, and what to keep until the seller returns. */
export interface AuthorizationRequest {
  /** Redirect the seller's browser to this address. */
  readonly url: string;
  /** Identifies this authorisation. Keep it in the session of the browser. */
  readonly state: string;
  /** The secret of this authorisation (PKCE). Keep it in the session, never in the browser; `logins` keeps it for you. */
  readonly verifier: string;
}

/** What is known when the seller's browser returns. The `state` is always compared. */
export interface AuthorizationCallback {
  /** The address that the browser requested, with its query. It may be relative, e.g. `request.url` of Node.js. */
  readonly url: string | URL;
  /**
   * The `state` that `start()` returned, from a cookie or the session: only the browser that started may finish. With `logins` it may be
   * left out where another browser may, too: then the address has to have the state of an authorisation that has begun.
   */
  readonly state?: string;
  /** The `verifier` that `start()` returned; without it, if `logins` keeps it, or the address was not that of `start()`. */
  readonly verifier?: string | undefined;
  readonly code?: undefined;
}

/**
 * A code that somebody has copied from the address of the browser, e.g. to try an application on a machine that no browser can return
 * to. Nothing shows whose code it is, so do not take one from a request.
 */
export interface PastedCode {
  /** The code alone, without its address. */
  readonly code: string;
  /** The `verifier` that `start()` returned; without it, if the address was not that of `start()`. */
  readonly verifier?: string | undefined;
  readonly url?: undefined;
  readonly state?: undefined;
}

/** The tokens of a seller. Store all fields. */
export interface OAuthTokens extends TokenSet {
  /** The seller who authorised your application. */
  readonly user_id: number;
}

/** Options of `refreshingToken`. */
export interface RefreshingTokenOptions<T extends TokenSet = TokenSet> {
  /** Reads the stored token set. */
  readonly load: () => T | Promise<T>;
  /**
   * Requests the next token set from the authorisation server. All calls of this process share one refresh. A token set
   * without a valid access token is rejected before `save`. One without a refresh token keeps the old refresh token.
   * If it throws a `GrantRevokedError`, the token set is loaded again, because another process may have replaced it: with
   * `lock` once, otherwise with growing pauses: for 27 seconds, or 2 where nobody else has ever replaced what this process
   * has saved. After that, no call refreshes until `load` returns another token set.
   *
   * `signal` aborts after 30 seconds. It must not end a request that was sent: the tokens in its response replace a refresh token
   * that is used up.
   */
  readonly refresh: (tokens: T, context: { readonly signal: AbortSignal }) => T | Promise<T>;
  /** Stores a new token set. It is called before the new access token is used. */
  readonly save: (tokens: T) => void | Promise<void>;
  /**
   * Runs a function while no other process does, and returns its result, e.g. with an advisory lock of a database. In
   * it the token set is loaded again, so only one of several processes refreshes it.
   *
   * @default none: only this process uses the refresh token
   */
  readonly lock?: (<R>(work: () => Promise<R>) => Promise<R>) | undefined;
  /**
   * Called when a refresh in the background fails. The current token stays in use. Its own errors are ignored.
   *
   * @default none
   */
  readonly onRefreshFailed?: ((error: unknown) => void) | undefined;
}

/** How long a request for tokens may take, in milliseconds. Connecting may take 10 seconds of it. */
const requestMs = 15_000;
/** How long a refresh may take with its lock and its retries: two requests that hang. After it, the next call tries again. */
const refreshMs = 2 * requestMs;

/** All times of a token, in milliseconds: many are longer or shorter than another one, and each says why. */
export const times = {
  requestMs,
  /** The first pause before a request is sent again that certainly did nothing. It doubles each time. */
  firstRetryMs: 250,
  /** A longer `Retry-After` is an error at once. */
  longestRetryAfterMs: 20_000,
  refreshMs,
  /** How long before its expiry a token is refreshed in the background: longer than a refresh may take. */
  refreshBeforeMs: 2 * refreshMs,
  /** How long `close` waits: longer than a request may take, shorter than a platform waits before it kills. */
  closeMs: requestMs + 5_000,
  /** The first pause before a token set is loaded or saved again. It doubles each time. */
  firstPauseMs: 100,
  /** The last pause before it is saved again: after about six seconds. */
  longestSavePauseMs: 3_200,
  /** How long it is loaded again where there may be another process: less than a refresh may take, whose error would hide why. */
  othersMs: refreshMs - 3_000,
  /** The same where only this process has replaced the token set so far. */
  aloneMs: 2_000,
  /**
   * How long a lock lasts whose process is perhaps there: as long as a refresh that waits for its last moment, and then sends a
   * request, so that no second one begins beside it.
   */
  lockMs: refreshMs + requestMs,
  lockPollMs: 25,
  /** How long a refresh waits for the lock of another one: less than it may take, whose error would not say who holds the lock. */
  lockWaitMs: refreshMs - 10_000,
  /** How long after a first 401 a second one shows that an access token has ended: the first may be a fault of the service. */
  secondRejectionMs: 60_000,
  /** How long an authorisation may take: a person logs in, and agrees. */
  loginMs: 3_600_000,
};
