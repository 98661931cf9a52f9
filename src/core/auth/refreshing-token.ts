import type { TokenProvider } from './token-source.js';
import { AccessTokenError } from '../errors/errors.js';

/** What an authorisation server grants: a token for some hours, and a refresh token that works once. */
export interface TokenSet {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** When the access token ends, in milliseconds since 1970; `undefined` where that is not known. */
  readonly expiresAt?: number | undefined;
}

/** How a grant is kept and renewed. */
export interface RefreshingTokenOptions<G extends TokenSet = TokenSet> {
  /** Reads the stored grant. */
  readonly load: () => G | Promise<G>;
  /** Asks the authorisation server for the next grant. Called once at a time: a refresh token works once. */
  readonly refresh: (grant: G, context: { readonly signal: AbortSignal }) => G | Promise<G>;
  /** Stores a new grant. It is called before the new token is used. */
  readonly save: (grant: G) => void | Promise<void>;
  /**
   * Runs a piece of work while no other process runs one of its own, e.g. under a database's advisory lock. Within it
   * the grant is loaded again, so that only one of several processes refreshes. Default: this process alone.
   */
  readonly lock?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
  /** How long before its end a token is renewed in the background, in milliseconds. Default 60,000. */
  readonly refreshBeforeMs?: number | undefined;
  /** Told of a renewal in the background that failed; the token in use goes on. */
  readonly onRefreshFailed?: ((error: unknown) => void) | undefined;
}

/**
 * A token supplier that keeps a grant: renewed in the background before it ends, at once after a 401, once for any
 * number of calls, and safe across processes when a `lock` is given.
 *
 * @example
 * const seller = new SellerClient({ baseUrl, accessToken: refreshingToken({ load, refresh, save }) });
 */
export function refreshingToken<G extends TokenSet>(keeping: RefreshingTokenOptions<G>): TokenProvider {
  const keeper = new RefreshingTokenSource(keeping);
  return (context) => keeper.token(context);
}

class RefreshingTokenSource<G extends TokenSet> {
  readonly #keeping: RefreshingTokenOptions<G>;
  #grant: G | undefined;
  #unsaved: G | undefined;
  #renewal: Promise<G> | undefined;

  constructor(keeping: RefreshingTokenOptions<G>) {
    this.#keeping = keeping;
  }

  async token({ rejected, signal }: Parameters<TokenProvider>[0]): Promise<string> {
    const grant = (this.#grant ??= await this.#keeping.load());
    if (grant.accessToken === rejected || this.#unsaved || leftMs(grant) <= 0) {
      return (await this.#renewed(grant.accessToken, signal)).accessToken;
    }
    if (leftMs(grant) <= (this.#keeping.refreshBeforeMs ?? 60_000)) this.#renewBehind(grant.accessToken);
    return grant.accessToken;
  }

  #renewBehind(old: string): void {
    if (this.#renewal) return;
    this.#renewed(old, new AbortController().signal).catch((error: unknown) => {
      this.#keeping.onRefreshFailed?.(error);
    });
  }

  #renewed(old: string, signal: AbortSignal): Promise<G> {
    return (this.#renewal ??= this.#renew(old, signal).finally(() => {
      this.#renewal = undefined;
    }));
  }

  #renew(old: string, signal: AbortSignal): Promise<G> {
    const { lock } = this.#keeping;
    const work = async (): Promise<G> => {
      const stored = this.#unsaved ?? (await this.#keeping.load());
      const isFresh = stored.accessToken !== old && leftMs(stored) > 0;
      return (this.#grant = isFresh && !this.#unsaved ? stored : await this.#next(stored, signal));
    };
    return lock ? lock(work) : work();
  }

  /** A grant that was not saved is kept and saved first: its refresh token is the only one that still works. */
  async #next(stored: G, signal: AbortSignal): Promise<G> {
    const grant = this.#unsaved ?? (await this.#keeping.refresh(stored, { signal }));
    if (typeof (grant as Partial<TokenSet> | undefined)?.accessToken !== 'string')
      throw new AccessTokenError('`refresh` of refreshingToken gave no grant: it must give { accessToken, ... }');
    this.#unsaved = grant;
    await this.#keeping.save(grant);
    this.#unsaved = undefined;
    return grant;
  }
}

function leftMs({ expiresAt }: TokenSet): number {
  return expiresAt === undefined ? Infinity : expiresAt - Date.now();
}
