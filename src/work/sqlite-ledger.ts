import type { Ledger } from './ledger.js';
import type { SqliteDatabase } from './sqlite-database.js';
import type { Row } from './sqlite-rows.js';

const select = 'SELECT value FROM notification_ledger WHERE key = ? AND until > ?';
const insert = 'INSERT OR REPLACE INTO notification_ledger (key, value, until) VALUES (?, ?, ?)';

/** A ledger in the database of an inbox. */
export class SqliteLedger implements Ledger {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  get(key: string): Promise<string | undefined> {
    return this.#db.write(({ now }) => this.#value(key, now), { isDurable: false });
  }

  #value(key: string, now: number): string | undefined {
    const [row] = this.#db.all(select, key, now) as Pick<Row, 'value'>[];
    return row?.value;
  }

  replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    return this.#db.write(
      (transaction) => {
        if (this.#value(key, transaction.now) !== expected) return false;
        this.#db.run(insert, key, value, Math.ceil(transaction.now + ms));
        transaction.forgetExpired();
        return true;
      },
      { isDurable: false },
    );
  }
}
