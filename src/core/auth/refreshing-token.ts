import { AccessTokenError } from '../errors/errors.js';
import type { TokenProvider } from '../options/hooks.js';

/** What an authorisation server issues: an access token for some hours, and a refresh token that works once. */
export interface TokenSet {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** When the access token expires, in milliseconds since 1970; `undefined` where that is not known. */
  readonly expiresAt?: number | undefined;
}

/** Options of `refreshingToken`. */
export interface RefreshingTokenOptions<T extends TokenSet = TokenSet> {
  /** Reads the stored token set. */
  readonly load: () => T | Promise<T>;
  /** Requests the next token set from the authorisation server. Called once at a time: a refresh token works once. */
  readonly refresh: (tokens: T, context: { readonly signal: AbortSignal }) => T | Promise<T>;
  /** Stores a new token set. Called before the new access token is used. */
  readonly save: (tokens: T) => void | Promise<void>;
  /**
   * Runs a function while no other process runs one of its own, e.g. under a database's advisory lock. Within it the
   * token set is loaded again, so that only one of several processes refreshes.
   *
   * @default none: only this process uses the refresh token
   */
  readonly lock?: (<R>(work: () => Promise<R>) => Promise<R>) | undefined;
  /**
   * How long before it expires a token is refreshed in the background, in milliseconds.
   *
   * @default 60_000
   */
  readonly refreshBeforeMs?: number | undefined;
  /**
   * Called when a refresh in the background fails; the current token stays in use.
   *
   * @default none
   */
  readonly onRefreshFailed?: ((error: unknown) => void) | undefined;
}

/**
 * Creates a token provider that refreshes its token set: in the background before it expires, at once after a 401, once
 * for any number of calls, and safely across processes where a `lock` is given.
 *
 * @example
 * const seller = new SellerClient({ baseUrl, accessToken: refreshingToken({ load, refresh, save }) });
 */
export function refreshingToken<T extends TokenSet>(options: RefreshingTokenOptions<T>): TokenProvider {
  const source = new RefreshingTokenSource(options);
  return (context) => source.token(context);
}

class RefreshingTokenSource<T extends TokenSet> {
  readonly #options: RefreshingTokenOptions<T>;
  #tokens: T | undefined;
  #unsaved: T | undefined;
  #refreshing: Promise<T> | undefined;

  constructor(options: RefreshingTokenOptions<T>) {
    this.#options = options;
  }

  async token({ rejected, signal }: Parameters<TokenProvider>[0]): Promise<string> {
    const tokens = (this.#tokens ??= await this.#options.load());
    if (tokens.accessToken === rejected || this.#unsaved || remainingMs(tokens) <= 0) {
      return (await this.#refreshOnce(tokens.accessToken, signal)).accessToken;
    }
    if (remainingMs(tokens) <= (this.#options.refreshBeforeMs ?? 60_000)) this.#refreshInBackground(tokens.accessToken);
    return tokens.accessToken;
  }

  #refreshInBackground(oldToken: string): void {
    if (this.#refreshing) return;
    this.#refreshOnce(oldToken, new AbortController().signal).catch((error: unknown) => {
      this.#options.onRefreshFailed?.(error);
    });
  }

  #refreshOnce(oldToken: string, signal: AbortSignal): Promise<T> {
    return (this.#refreshing ??= this.#refresh(oldToken, signal).finally(() => {
      this.#refreshing = undefined;
    }));
  }

  #refresh(oldToken: string, signal: AbortSignal): Promise<T> {
    const { lock, load } = this.#options;
    const work = async (): Promise<T> => {
      const stored = this.#unsaved ?? (await load());
      const isFresh = stored.accessToken !== oldToken && remainingMs(stored) > 0;
      return (this.#tokens = isFresh && !this.#unsaved ? stored : await this.#next(stored, signal));
    };
    return lock ? lock(work) : work();
  }

  /** A token set that was not saved is kept and saved first: its refresh token is the only one that still works. */
  async #next(stored: T, signal: AbortSignal): Promise<T> {
    const tokens = this.#unsaved ?? (await this.#options.refresh(stored, { signal }));
    if (typeof (tokens as Partial<TokenSet> | undefined)?.accessToken !== 'string')
      throw new AccessTokenError('`refresh` of refreshingToken returned no token set; it takes { accessToken, ... }');
    this.#unsaved = tokens;
    await this.#options.save(tokens);
    this.#unsaved = undefined;
    return tokens;
  }
}

function remainingMs({ expiresAt }: TokenSet): number {
  return expiresAt === undefined ? Infinity : expiresAt - Date.now();
}
