import type { Ledger } from '../../work/ledger.js';
import type { PostgresDatabase } from './postgres-database.js';
import { nowMs } from './postgres-schema.js';

/** Keys may be longer than an index takes. */
const digest = "sha256(convert_to($1, 'UTF8'))";
const select = `SELECT value FROM seller_inbox_ledger WHERE key = ${digest} AND until > ${nowMs}`;
const insert = `INSERT INTO seller_inbox_ledger AS kept (key, value, until) VALUES (${digest}, $2, ${nowMs} + $3)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, until = excluded.until WHERE kept.until <= ${nowMs}
  RETURNING 1`;
const update = `UPDATE seller_inbox_ledger SET value = $2, until = ${nowMs} + $3
  WHERE key = ${digest} AND value = $4 AND until > ${nowMs} RETURNING 1`;

/** A ledger in a table of an inbox. */
export class PostgresLedger implements Ledger {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async get(key: string): Promise<string | undefined> {
    const [row] = await this.#db.run(select, key);
    return row?.value;
  }

  async replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    const rows =
      expected === undefined
        ? await this.#db.run(insert, key, value, ms)
        : await this.#db.run(update, key, value, ms, expected);
    return rows.length > 0;
  }
}
