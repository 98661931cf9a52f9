import type { SellerClient } from '../client.js';
import { AccessTokenError, ConfigurationError, GrantRevokedError, InvalidInputError } from '../core/errors/errors.js';
import type { Issue } from '../core/errors/errors.js';
import type { TokenProvider } from '../core/options/hooks.js';
import { withoutSecrets } from '../core/errors/redactor.js';
import { checkConfiguration, ofType, oneOf, withMethods, oddly, oddTokens, type Rule } from '../core/options/rules.js';
import type { RefreshingTokenOptions, SellerStatus, TokenSet, TokenStore } from './tokens.js';
import { TokenRefresher } from './token-refresher.js';
import { isSame, isTime, noTime, remainingMs, times } from './tokens.js';

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
   * Called when a seller's grant turns out to be revoked, or its access ended without a refresh token: by one of the processes on a
   * store. The seller is marked when it has ended, so it is called again if the process dies in it. Its errors are ignored.
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
   * @throws {InvalidInputError} when `user_id` is no integer.
   */
  readonly for: (user_id: number) => Promise<SellerClient | undefined>;
  /**
   * Stores the tokens of a new authorisation, also of a seller whose grant was revoked.
   *
   * @example
   * const sellers = createSellers({ client: seller, tokens: sqliteTokens(':memory:') });
   * const tokens = { user_id: 7, accessToken: 'token', refreshToken: 'refresh token' }; // of `oauth.exchange`
   * await sellers.add(tokens);
   * @throws {InvalidInputError} when `user_id` is no integer, there is no access token, or a token has characters that no token has.
   */
  readonly add: (tokens: TokenSet & { readonly user_id: number }) => Promise<void>;
  /** The ids of the sellers whose grant is not revoked: for `sellers` of an inbox. */
  readonly ids: () => Promise<readonly number[]>;
  /**
   * Lists the sellers in the order of their ids, also those whose grant is revoked: with their state, and since when.
   *
   * @example
   * const sellers = createSellers({ client: seller, tokens: sqliteTokens(':memory:') });
   * for (const { user_id, since } of await sellers.list({ state: 'revoked' })) console.log(user_id, since);
   * @throws {ConfigurationError} when an option is unknown or wrong, or the store of the tokens has no `list`.
   */
  readonly list: (
    options?: Readonly<{
      /**
       * Which to list.
       *
       * @default all
       */
      state?: SellerStatus['state'] | undefined;
    }>,
  ) => Promise<readonly SellerStatus[]>;
  /**
   * Waits until the refreshes that have begun have stored their tokens, up to 20 seconds. No other one begins. Call it before the
   * process ends, after the inbox and the outbox are closed, and before the store of the tokens is.
   *
   * @example
   * const tokens = sqliteTokens(':memory:');
   * const sellers = createSellers({ client: seller, tokens });
   * await sellers.close();
   * await tokens.close?.();
   * @throws {AccessTokenError} that names the sellers whose new tokens are not stored by then: their grants may be lost.
   */
  readonly close: () => Promise<void>;
}

/**
 * Creates one client per seller, when it is first asked for: its tokens are refreshed under a lock, and a revoked grant is
 * told.
 *
 * @example
 * const sellers = createSellers({
 *   client: seller,
 *   tokens: sqliteTokens(':memory:'), // a file, such as 'tokens.db'
 *   refresh: oauth.refresh,
 *   onRevoked: ({ user_id }) => console.log('ask to authorise again:', user_id),
 * });
 * const inbox = createInbox({
 *   clientFor: sellers.for,
 *   sellers,
 *   on: { questions: async (_, { read }) => console.log((await read()).text) },
 * });
 * await inbox.close();
 * await sellers.close();
 * @throws {ConfigurationError} when an option is missing, unknown or wrong.
 */
export function createSellers(options: SellersOptions): Sellers {
  checkConfiguration('createSellers', options, rules, ['client', 'tokens']);
  const sellers = new Map<number, Seller>();
  const { tokens } = options;
  let isClosed = false;
  return {
    for: async (user_id) => {
      checkInput({ user_id });
      const stored = await tokens.load(user_id);
      if (!stored || stored.isRevoked) return undefined;
      const known = sellers.get(user_id) ?? new Seller(user_id, options);
      sellers.set(user_id, known);
      if (isClosed) await known.close();
      return known.client;
    },
    add: async (given) => {
      checkInput({ ...given }, checkTokens({ ...given }));
      const { user_id, ...added } = given;
      try {
        await tokens.save(user_id, added);
      } catch (error) {
        // An error of a database may show the parameters of a statement.
        throw withoutSecrets(error, [added.accessToken, added.refreshToken ?? '']);
      }
    },
    ids: () => tokens.sellers(),
    list: async (which = {}) => {
      checkConfiguration('list', which, { state: oneOf('connected', 'revoked') });
      if (!tokens.list) throw new ConfigurationError('`tokens` of createSellers has no `list`: add it to your store');
      const all = await tokens.list();
      return which.state === undefined ? all : all.filter(({ state }) => state === which.state);
    },
    close: async () => {
      isClosed = true;
      const all = [...sellers];
      const ends = await Promise.allSettled(all.map(([, seller]) => seller.close()));
      const failed = ends.flatMap((end, index) =>
        end.status === 'rejected' ? [{ user_id: all[index]?.[0], end }] : [],
      );
      const cause: unknown = failed[0]?.end.reason;
      if (cause === undefined) return;
      const ids = failed.map(({ user_id }) => user_id).join(', ');
      throw new AccessTokenError(
        `The new tokens of these sellers were not stored: ${ids}. ${(cause as Error).message}`,
        { cause },
      );
    },
  };
}

/** @throws {InvalidInputError} when the user id is no number, or the tokens are none. */
function checkInput({ user_id }: GivenInput, ofTokens: readonly Issue[] = []): void {
  const wrong = { path: ['user_id'], message: '`user_id` takes an integer: the id of the seller' };
  const issues = Number.isSafeInteger(user_id) ? ofTokens : [wrong, ...ofTokens];
  if (issues.length > 0) throw new InvalidInputError(issues);
}

type GivenInput = Readonly<Record<string, unknown>>;

/** What would be rejected when it is used is not stored. */
function checkTokens(input: GivenInput): Issue[] {
  const issues = oddTokens(input).map((name) => ({
    path: [name],
    message: `\`${name}\` takes a text, not ${oddly[name]}`,
  }));
  if (isTime(input.expiresAt)) return issues;
  return [...issues, { path: ['expiresAt'], message: `\`expiresAt\` ${noTime}` }];
}

const rules: Readonly<Record<keyof SellersOptions, Rule>> = {
  client: withMethods('withOptions'),
  tokens: withMethods('load', 'save', 'revoke', 'sellers', 'lock'),
  refresh: ofType('function'),
  onRevoked: ofType('function'),
};

/** A seller's client, and what refreshes its tokens. */
class Seller {
  readonly client: SellerClient;
  readonly #user_id: number;
  readonly #options: SellersOptions;
  readonly #refresher: TokenRefresher<TokenSet>;
  /** The access token that was rejected last, and when it was first. */
  #rejection = { token: '', at: 0 };
  /** The access token that was rejected twice. */
  #ended = '';

  constructor(user_id: number, options: SellersOptions) {
    const { client, tokens } = options;
    this.#user_id = user_id;
    this.#options = options;
    this.#refresher = new TokenRefresher({
      load: () => this.#load(),
      save: (next) => tokens.save(user_id, next),
      lock: (work) => tokens.lock(user_id, work),
      refresh: (current, context) => this.#refresh(current, context),
      onRevoked: (revoked, error) => this.#tellRevoked(revoked, error),
    });
    this.client = client.withOptions({ accessToken: (context) => this.#token(context) });
  }

  close(): Promise<void> {
    return this.#refresher.close();
  }

  #token(context: Parameters<TokenProvider>[0]): Promise<string> {
    const { rejected } = context;
    if (rejected !== undefined) {
      if (this.#rejection.token !== rejected) this.#rejection = { token: rejected, at: performance.now() };
      else if (performance.now() - this.#rejection.at >= times.secondRejectionMs) this.#ended = rejected;
    }
    return this.#refresher.token(context);
  }

  async #load(): Promise<TokenSet> {
    const stored = await this.#options.tokens.load(this.#user_id);
    if (stored) return stored.tokens;
    throw new AccessTokenError(`There are no tokens of the seller ${this.#user_id} any more`);
  }

  /** Without a refresh token, what has ended is the grant; until then the token stays. */
  #refresh(current: TokenSet, context: { readonly signal: AbortSignal }): TokenSet | Promise<TokenSet> {
    const { refresh = cannotRefresh } = this.#options;
    if (current.refreshToken) return refresh(current, context);
    if (remainingMs(current) > 0 && current.accessToken !== this.#ended) return current;
    throw new GrantRevokedError(`Seller ${this.#user_id} has no refresh token: the seller has to authorise again`);
  }

  /** A process that ends while it tells has not marked the seller, and so another one tells again. */
  async #tellRevoked(revoked: TokenSet, error: GrantRevokedError): Promise<void> {
    const { tokens, onRevoked } = this.#options;
    const stored = await tokens.load(this.#user_id);
    if (!stored || stored.isRevoked || !isSame(stored.tokens, revoked)) return;
    try {
      await onRevoked?.({ user_id: this.#user_id, error });
    } catch {
      // It was told.
    }
    await tokens.revoke(this.#user_id, revoked);
  }
}

function cannotRefresh(): never {
  throw new AccessTokenError('The access token has expired; pass `refresh: oauth.refresh` to createSellers');
}
