import type { PostgresRow, RunStatement } from './postgres-database.js';
import { entryOf } from './sqlite-entries.js';
import { deletedForRoom } from './store-limits.js';
import type { ResolvedLimits } from './store-limits.js';
import type { DeadLetter } from './store.js';

/** Those beyond the limits, from the newest on. One that another transaction has locked is left to it. */
const excess = `SELECT number FROM seller_inbox_dead WHERE number IN (
    SELECT number FROM (
      SELECT number, row_number() OVER newest AS place, sum(octet_length(entry)) OVER newest AS bytes
      FROM seller_inbox_dead WINDOW newest AS (ORDER BY number DESC)) AS counted
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
    const oldest = `SELECT number::float8, key, entry, attempts, failure, dead_lettered_at FROM seller_inbox_dead
      WHERE number > $1 ORDER BY seller_inbox_dead.number LIMIT $2`;
    return (await run(oldest, after, Math.min(limit, 2 ** 53))).flatMap(letterOf);
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

/** PostgreSQL has no zero characters in a text. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
