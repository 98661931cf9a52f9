import type { TokenProvider } from '../core/options/hooks.js';
import { checkConfiguration, ofType } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import type { RefreshingTokenOptions } from './refreshing-options.js';
import { TokenRefresher } from './token-refresher.js';
import type { TokenSet } from './token-set.js';

/** The `accessToken` of a client, which refreshes its token set. */
export interface RefreshingToken extends TokenProvider {
  /**
   * Waits until the refresh that has begun has saved its token set, up to 20 seconds. No other one begins.
   *
   * @throws {AccessTokenError} when it has not ended by then, or cannot be saved: then the grant may be lost.
   */
  readonly close: () => Promise<void>;
}

/**
 * Creates a token provider that refreshes its token set: in the background a minute before the token expires (in the last quarter
 * of its life, if that is less), and immediately after a 401. Any number of calls share one refresh, which may take 30 seconds. With
 * `lock`, it is also safe if several processes use the token set. Close it before the process ends.
 *
 * @example
 * const accessToken = refreshingToken({ load, refresh, save });
 * const seller = new SellerClient({ baseUrl, accessToken });
 * await accessToken.close();
 * @throws {ConfigurationError} when an option is missing, unknown or wrong.
 */
export function refreshingToken<T extends TokenSet>(options: RefreshingTokenOptions<T>): RefreshingToken {
  checkConfiguration('refreshingToken', options, rules, ['load', 'refresh', 'save']);
  const refresher = new TokenRefresher(options);
  const token: TokenProvider = (context) => refresher.token(context);
  return Object.assign(token, { close: () => refresher.close() });
}

const rules: Readonly<Record<keyof RefreshingTokenOptions, Rule>> = {
  load: ofType('function'),
  refresh: ofType('function'),
  save: ofType('function'),
  lock: ofType('function'),
  onRefreshFailed: ofType('function'),
};
