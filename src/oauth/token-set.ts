import { AccessTokenError } from '../core/errors/errors.js';
import { isToken } from '../core/options/rules.js';

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
  const { accessToken, refreshToken, expiresAt } = (tokens as Unchecked | undefined | null) ?? {};
  if (typeof accessToken !== 'string') throw invalidTokenSet(name, 'returned no token set');
  if (!isNothing(refreshToken) && typeof refreshToken !== 'string')
    throw invalidTokenSet(name, 'returned a `refreshToken` that is not a string');
  if (!isNothing(expiresAt) && !(typeof expiresAt === 'number' && expiresAt >= leastExpiresAt)) {
    throw new AccessTokenError(
      `\`expiresAt\` of \`${name}\` is not a time in milliseconds since 1970; of seconds, multiply by 1000`,
    );
  }
  return tokens;
}

/**
 * Checks a new token set before it replaces the stored one. The response of an authorisation server may be an error, and
 * the stored refresh token must survive that. A response without a refresh token keeps the old one (RFC 6749, section 6).
 */
export function checkRefreshed<T extends TokenSet>(stored: T, refreshed: T): T {
  const tokens = checkTokenSet('refresh', refreshed);
  if (!isToken(tokens.accessToken))
    throw invalidTokenSet('refresh', 'returned an access token that is empty or has characters that no token has');
  const { refreshToken } = stored;
  return refreshToken && !tokens.refreshToken ? { ...tokens, refreshToken } : tokens;
}

type Unchecked = Partial<Record<keyof TokenSet, unknown>>;

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
