import type { Ledger } from './ledger.js';
import type { SqlContext } from './sql-groups.js';
import { all, first } from './sql-rule.js';
import type { SqlRule } from './sql-rule.js';

/** Runs rules of a ledger. */
export type RunRule = <R>(rule: (context: SqlContext) => SqlRule<R>, options?: { readonly isRead: true }) => Promise<R>;

/** A ledger in the database of a store. */
export class SqlLedger implements Ledger {
  readonly #run: RunRule;

  constructor(run: RunRule) {
    this.#run = run;
  }

  get(key: string): Promise<string | undefined> {
    return this.#run((context) => valueOf(context, key), { isRead: true });
  }

  replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    return this.#run((context) => replace(context, expected, { key, value, ms }));
  }
}

function* valueOf({ now }: SqlContext, key: string): SqlRule<string | undefined> {
  const row = yield* first('SELECT value FROM seller_work_ledger WHERE key = ? AND until > ?', key, now);
  return row && String(row.value);
}

interface LedgerFact {
  readonly key: string;
  readonly value: string;
  readonly ms: number;
}

const insert = 'INSERT INTO seller_work_ledger AS l (key, value, until) VALUES (?, ?, ?)';
const update = 'DO UPDATE SET value = excluded.value, until = excluded.until';

function* replace({ now }: SqlContext, expected: string | undefined, { key, value, ms }: LedgerFact): SqlRule<boolean> {
  const change =
    'UPDATE seller_work_ledger SET value = ?, until = ? WHERE key = ? AND value = ? AND until > ? RETURNING key';
  if (expected !== undefined) return (yield* first(change, value, now + ms, key, expected, now)) !== undefined;
  const sql = `${insert} ON CONFLICT (key) ${update} WHERE l.until <= ? RETURNING key`;
  return (yield* first(sql, key, value, now + ms, now)) !== undefined;
}

/** Sets a value, whatever there is. */
export function* addFact({ now }: SqlContext, { key, value, ms }: LedgerFact): SqlRule<void> {
  yield* all(`${insert} ON CONFLICT (key) ${update}`, key, value, now + ms);
}

/** Deletes some of the values whose time is over. */
export function* forgetFacts({ now, dialect }: SqlContext): SqlRule<void> {
  const over = `SELECT key FROM seller_work_ledger WHERE until <= ? LIMIT 1000 ${dialect.skipLocked}`;
  yield* all(`DELETE FROM seller_work_ledger WHERE key IN (${over})`, now);
}
