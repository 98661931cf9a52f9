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
