import type { SellerClient } from '../client.js';
import { AccessTokenError, GrantRevokedError } from '../core/errors/errors.js';
import { checkConfiguration, ofType, withMethod } from '../core/options/rules.js';
import { ignoreErrors } from '../core/scope/wait.js';
import type { Rule } from '../core/options/rules.js';
import { refreshingToken } from './refreshing-token.js';
import type { RefreshingTokenOptions } from './refreshing-token.js';
import type { TokenSet } from './token-set.js';
import type { TokenStore } from './token-store.js';

/** A seller who has revoked the application. */
export interface RevokedSeller {
  readonly user_id: number;
  readonly error: GrantRevokedError;
}

/** The options of `createSellers`. */
export interface SellersOptions {
  /** The client of the application. Those of the sellers are derived from it, so that they share what is known of limits. */
  readonly client: SellerClient;
  /** Where the tokens are: `sqliteTokens(path)`, or your own. */
  readonly tokens: TokenStore;
  /**
   * Requests the next tokens: `refresh` of `createOAuth`.
   *
   * @default undefined: a token that has expired is not replaced
   */
  readonly refresh?: RefreshingTokenOptions['refresh'] | undefined;
  /**
   * Called once when a seller's grant turns out to be revoked, by one of the processes on a store. Its errors are ignored.
   *
   * @default none
   */
  readonly onRevoked?: ((seller: RevokedSeller) => unknown) | undefined;
}

/** The clients of an application's sellers. The methods can be passed on without their object. */
export interface Sellers {
  /**
   * Returns the client of a seller; `undefined` for anybody whose tokens are not there, or whose grant is revoked. It fits
   * `clientFor` of an inbox and of an outbox.
   *
   * @example
   * const sellers = createSellers({ client: seller, tokens: sqliteTokens(':memory:') });
   * console.log(await sellers.for(7)); // undefined: nobody has authorised the application
   */
  readonly for: (user_id: number) => Promise<SellerClient | undefined>;
  /**
   * Stores the tokens of a new authorisation, also of a seller whose grant was revoked.
   *
   * @example
   * const sellers = createSellers({ client: seller, tokens: sqliteTokens(':memory:') });
   * const tokens = { user_id: 7, accessToken: 'token', refreshToken: 'refresh token' }; // of `oauth.exchange`
   * await sellers.add(tokens);
   */
  readonly add: (tokens: TokenSet & { readonly user_id: number }) => Promise<void>;
  /** The ids of the sellers whose grant is not revoked: for `sellers` of an inbox. */
  readonly ids: () => Promise<readonly number[]>;
}

/**
 * Creates one client per seller, when it is first asked for: its tokens are refreshed under a lock, and a revoked grant is told
 * once.
 *
 * @example
 * const sellers = createSellers({
 *   client: seller,
 *   tokens: sqliteTokens(':memory:'), // a file, such as 'tokens.db'
 *   refresh: oauth.refresh,
 *   onRevoked: ({ user_id }) => console.log('ask to authorise again:', user_id),
 * });
 * const receiver = createReceiver({
 *   clientFor: sellers.for,
 *   sellers: sellers.ids,
 *   on: { questions: async (_, { read }) => console.log((await read()).text) },
 * });
 * await receiver.close();
 * @throws {ConfigurationError} when an option is missing, unknown or wrong.
 */
export function createSellers(options: SellersOptions): Sellers {
  checkConfiguration('createSellers', options, rules, ['client', 'tokens']);
  const clients = new Map<number, SellerClient>();
  const { client, tokens } = options;
  return {
    for: async (user_id) => {
      const stored = await tokens.load(user_id);
      if (!stored || stored.isRevoked) return undefined;
      const known = clients.get(user_id) ?? client.withOptions({ accessToken: tokenOf(user_id, options) });
      clients.set(user_id, known);
      return known;
    },
    add: async ({ user_id, ...added }) => tokens.save(user_id, added),
    ids: () => tokens.sellers(),
  };
}

const isStore: Rule = (value) =>
  ['load', 'save', 'revoke', 'sellers', 'lock']
    .map((name) => withMethod(name)(value))
    .find((each) => each !== undefined);

const rules: Readonly<Record<keyof SellersOptions, Rule>> = {
  client: withMethod('withOptions'),
  tokens: isStore,
  refresh: ofType('function'),
  onRevoked: ofType('function'),
};

/** The token provider of a seller's client. */
function tokenOf(user_id: number, { tokens, refresh = cannotRefresh, onRevoked }: SellersOptions) {
  /** The tokens with which the last refresh was tried. */
  let tried: TokenSet | undefined;
  const onError = async (error: unknown): Promise<void> => {
    if (!(error instanceof GrantRevokedError) || !tried) return;
    if (await tokens.revoke(user_id, tried)) ignoreErrors(() => onRevoked?.({ user_id, error }));
  };
  const provider = refreshingToken({
    load: async () => {
      const stored = await tokens.load(user_id);
      if (stored) return stored.tokens;
      throw new AccessTokenError(`There are no tokens of the seller ${user_id} any more`);
    },
    save: (next) => tokens.save(user_id, next),
    lock: (work) => tokens.lock(user_id, work),
    refresh: (current, context) => {
      tried = current;
      return refresh(current, context);
    },
    onRefreshFailed: (error) => void onError(error).catch(() => undefined),
  });
  return async (context: Parameters<typeof provider>[0]): Promise<string> => {
    try {
      return await provider(context);
    } catch (error) {
      // Marking may fail; what the call has to know is why there is no token.
      await onError(error).catch(() => undefined);
      throw error;
    }
  };
}

function cannotRefresh(): never {
  throw new AccessTokenError('The access token has expired; pass `refresh: oauth.refresh` to createSellers');
}
