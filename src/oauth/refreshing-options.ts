import type { TokenSet } from './token-set.js';

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
