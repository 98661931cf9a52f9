import { fullPage } from './postgres-database.js';
import type { PostgresRow, RunStatement } from './postgres-database.js';
import { entryOf } from './sqlite-entries.js';
import { deletedForRoom } from './store-limits.js';
import type { ResolvedLimits } from './store-limits.js';
import type { DeadLetter } from './store.js';

/**
 * Those beyond the limits: of the rooms that have the most, the oldest, and before them what the service knows nothing of. One
 * that another transaction has locked is left to it.
 */
const excess = `SELECT number FROM seller_inbox_dead WHERE number IN (
    SELECT number FROM (
      SELECT number, row_number() OVER kept AS place, sum(size) OVER kept AS bytes FROM (
        SELECT number, confirmed IS FALSE AS unconfirmed, octet_length(entry) AS size,
          row_number() OVER (PARTITION BY confirmed IS FALSE, room ORDER BY number DESC) AS nth
        FROM seller_inbox_dead) AS ranked
      WINDOW kept AS (ORDER BY unconfirmed, nth, number DESC)) AS counted
    WHERE place > $1 OR bytes > $2)
  FOR UPDATE SKIP LOCKED`;

/** The dead letters of an inbox in PostgreSQL. */
export class PostgresDeadLetters {
  readonly #limits: ResolvedLimits;

  constructor(limits: ResolvedLimits) {
    this.#limits = limits;
  }

  /** Deletes those beyond the limits. Returns what the log says of them. */
  async trim(run: RunStatement): Promise<string[]> {
    const { maxDead, maxDeadBytes } = this.#limits;
    const [most, mostBytes] = [Math.min(maxDead, 2 ** 53), Math.min(maxDeadBytes, 2 ** 53)];
    const deleted = await run(
      `DELETE FROM seller_inbox_dead WHERE number IN (${excess}) RETURNING key`,
      most,
      mostBytes,
    );
    return deleted.map((row) => deletedForRoom(row.key));
  }

  /** Those after one, oldest first. */
  async list(run: RunStatement, limit: number, after: number): Promise<DeadLetter[]> {
    const oldest = `SELECT number::float8, key, entry, writes, attempts, failure, dead_lettered_at FROM seller_inbox_dead
      WHERE number > $1 ORDER BY seller_inbox_dead.number LIMIT $2`;
    return fullPage(run, oldest, { limit, after, of: letterOf });
  }

  /** Deletes one, and returns its row. */
  async take(run: RunStatement, key: string): Promise<PostgresRow | undefined> {
    const [row] = await run('DELETE FROM seller_inbox_dead WHERE key = $1 RETURNING key, entry, writes', key);
    return row;
  }
}

function letterOf(row: PostgresRow): DeadLetter[] {
  const { attempts, failure, dead_lettered_at: deadLetteredAt, number } = row;
  const entry = entryOf(row);
  return entry ? [{ entry, attempts, failure, deadLetteredAt, number }] : [];
}
