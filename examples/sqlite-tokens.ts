import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { refreshingToken } from 'marketplace-seller-sdk';
import type { RefreshingTokenOptions, TokenProvider, TokenSet } from 'marketplace-seller-sdk';

/**
 * How long one process may take for a refresh before another one may try. It must be longer than the
 * timeout of a refresh.
 */
const leaseMs = 60_000;

/** The tokens of all sellers, in a SQLite file that several processes share. */
export class SqliteTokens {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database
      .exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS tokens
      (user_id INTEGER PRIMARY KEY, body TEXT NOT NULL, locked_until INTEGER NOT NULL DEFAULT 0)`);
  }

  /** The users who have authorised the application. */
  sellers(): number[] {
    return this.#database
      .prepare('SELECT user_id FROM tokens')
      .all()
      .map(({ user_id }) => Number(user_id));
  }

  /** Adds a seller or replaces their tokens. */
  save(user_id: number, tokens: TokenSet): void {
    this.#database
      .prepare(
        'INSERT INTO tokens (user_id, body) VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body',
      )
      .run(user_id, JSON.stringify(tokens));
  }

  /** Returns the tokens of a seller, or `undefined` for any other user. */
  load(user_id: number): TokenSet | undefined {
    const row = this.#database.prepare('SELECT body FROM tokens WHERE user_id = ?').get(user_id);
    return row && (JSON.parse(String(row.body)) as TokenSet);
  }

  /** Returns a token function for a client. One process at a time refreshes the tokens of a seller. */
  accessToken(user_id: number, refresh: RefreshingTokenOptions['refresh']): TokenProvider {
    return refreshingToken({
      load: () => this.load(user_id)!,
      save: (tokens) => this.save(user_id, tokens),
      lock: (work) => this.#withLock(user_id, work),
      refresh,
    });
  }

  close(): void {
    this.#database.close();
  }

  /**
   * Locks the row of a seller. Unlike a transaction, this does not block this process or the tokens of
   * other sellers.
   */
  async #withLock<T>(user_id: number, work: () => Promise<T>): Promise<T> {
    const lock = this.#database.prepare(
      'UPDATE tokens SET locked_until = ? WHERE user_id = ? AND locked_until < ?',
    );
    const unlock = this.#database.prepare(
      'UPDATE tokens SET locked_until = 0 WHERE user_id = ? AND locked_until = ?',
    );
    let until = Date.now() + leaseMs;
    for (; lock.run(until, user_id, Date.now()).changes === 0; until = Date.now() + leaseMs)
      await delay(25);
    try {
      return await work();
    } finally {
      unlock.run(user_id, until);
    }
  }
}
