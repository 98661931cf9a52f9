import type { TokenSet } from './token-set.js';

/** The tokens of a seller, as a store has them. */
export interface StoredTokens {
  readonly tokens: TokenSet;
  /** Whether the grant was revoked: the seller has to authorise the application again. */
  readonly isRevoked: boolean;
}

/** Where the tokens of all sellers are kept: `sqliteTokens(path)`, or your own. Several processes may share it. */
export interface TokenStore {
  /** Returns the tokens of a seller; `undefined` for anybody else. */
  load(user_id: number): Promise<StoredTokens | undefined>;
  /** Stores the tokens of a seller, in place of those that it has. The seller is no longer marked as revoked. */
  save(user_id: number, tokens: TokenSet): Promise<void>;
  /**
   * Marks a seller as revoked, in one step: only if the store still has this refresh token and no mark.
   *
   * @returns whether this call has marked the seller.
   */
  revoke(user_id: number, tokens: TokenSet): Promise<boolean>;
  /** Deletes the tokens of a seller. `false` if there are none. */
  remove(user_id: number): Promise<boolean>;
  /** The sellers with tokens that are not revoked. */
  sellers(): Promise<readonly number[]>;
  /**
   * Runs a function while no other process does for this seller, and returns its result. A lock whose process ended is over
   * after some time.
   */
  lock<R>(user_id: number, work: () => Promise<R>): Promise<R>;
  close?(): Promise<void>;
}
