import { entryOf } from './sqlite-entries.js';
import type { Row, Statements } from '../../work/sqlite-rows.js';
import { deletedForRoom } from './store-limits.js';
import type { ResolvedLimits } from './store-limits.js';
import type { DeadLetter, Settlement } from './store.js';

/** The dead letters of an inbox in SQLite. */
export class SqliteDeadLetters {
  readonly #db: Statements;
  readonly #limits: ResolvedLimits;

  constructor(db: Statements, limits: ResolvedLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Makes a waiting entry a dead letter. Returns what the log says of those that are deleted for want of room. */
  add({ key, failure }: NonNullable<Settlement['deadLetter']>): string[] {
    const copy = `INSERT INTO notification_dead
        (key, entry, attempts, failure, dead_lettered_at, writes, user_id, topic, confirmed)
      SELECT key, entry, failures + stalls + 1, ?, ?, writes, user_id, topic, confirmed
      FROM notification_waiting WHERE key = ?`;
    this.#db.run(copy, failure, Date.now(), key);
    this.#db.run('DELETE FROM notification_waiting WHERE key = ?', key);
    const { maxDead, maxDeadBytes } = this.#limits;
    const excess = "SELECT 1 FROM notification_total WHERE name = 'dead' AND (entries > ? OR bytes > ?)";
    // What the service knows nothing of comes first, then the user and topic that has the most.
    const largest = `SELECT kind, user_id, topic FROM notification_room WHERE kind IN ('dead', 'dead unconfirmed')
      ORDER BY kind DESC, entries DESC LIMIT 1`;
    const oldest = `DELETE FROM notification_dead WHERE number = (SELECT min(number) FROM notification_dead
      WHERE (iif(confirmed IS 0, 'dead unconfirmed', 'dead'), user_id, topic) = (${largest})) RETURNING key`;
    const problems: string[] = [];
    while (this.#db.all(excess, maxDead, maxDeadBytes).length > 0) {
      const deleted = this.#db.all(oldest);
      if (deleted.length === 0) break;
      problems.push(...deleted.map((row) => deletedForRoom(row.key)));
    }
    return problems;
  }

  /** Those after one, oldest first. */
  list(limit: number, after: number): DeadLetter[] {
    const oldest = 'SELECT * FROM notification_dead WHERE number > ? ORDER BY number LIMIT ?';
    const letters: DeadLetter[] = [];
    // A page is full although some rows are damaged: a shorter one is the last.
    for (let from = after; letters.length < limit;) {
      const rows = this.#db.all(oldest, from, Math.min(limit - letters.length, Number.MAX_SAFE_INTEGER));
      letters.push(...rows.flatMap(letterOf));
      const last = rows.at(-1);
      if (!last) break;
      from = last.number;
    }
    return letters;
  }

  has(key: string): boolean {
    return this.#db.all('SELECT 1 FROM notification_dead WHERE key = ?', key).length > 0;
  }

  /** Deletes one, and returns its row. */
  take(key: string): Row | undefined {
    return this.#db.all('DELETE FROM notification_dead WHERE key = ? RETURNING entry, writes', key)[0];
  }
}

function letterOf(row: Row): DeadLetter[] {
  const { attempts, failure, dead_lettered_at: deadLetteredAt, number } = row;
  const entry = entryOf(row);
  return entry ? [{ entry, attempts, failure, deadLetteredAt, number }] : [];
}
