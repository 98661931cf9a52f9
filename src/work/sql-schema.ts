import { suspectStalls } from './store.js';

/** Where the SQL of databases differs. */
export interface Dialect {
  /** The type of the column that numbers the entries. */
  readonly numberType: string;
  /** The function that returns the greatest of its arguments. */
  readonly greatest: string;
  /** Ends a query of rows that this transaction changes, and that others may be changing. */
  readonly skipLocked: string;
  /** Returns a new `number`. */
  readonly nextNumber: string;
}

/** What an ended entry has, as long as it is listed: one that is reduced to its key is `done`. */
export const hasOutcome = "state IN ('accepted', 'rejected')";

/** The version of the tables. A store with another one is an error. */
export const schemaVersion = 1;

/** Whether an entry has ended, with a key that is kept for a time. */
export const hasEnded = "state IN ('done', 'accepted', 'rejected')";

/** Whether an entry is the head of its group, which is leased next, or is leased. */
export const isHead = "state = 'open' AND due_at IS NOT NULL";

/**
 * One table holds all entries. An open one with `due_at` is the head of its group, and the unique index makes a second one
 * impossible. A head with a `turn` is due; without, it is leased or delayed until `due_at`.
 *
 * Of an empty table, PostgreSQL takes any index whose condition fits. So none but those of a group begins with what every open entry has.
 */
export function tablesOf({ numberType }: Dialect): readonly string[] {
  return [
    `CREATE TABLE seller_work (
      number ${numberType}, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, owner TEXT NOT NULL, group_id TEXT NOT NULL,
      sent_at DOUBLE PRECISION NOT NULL, added_at DOUBLE PRECISION NOT NULL, data TEXT NOT NULL, state TEXT NOT NULL,
      turn DOUBLE PRECISION, due_at DOUBLE PRECISION, token TEXT,
      failures INTEGER NOT NULL DEFAULT 0, stalls INTEGER NOT NULL DEFAULT 0, failure TEXT, notes TEXT,
      ended_at DOUBLE PRECISION)`,
    `CREATE UNIQUE INDEX seller_work_head ON seller_work (group_id) WHERE ${isHead}`,
    "CREATE INDEX seller_work_group ON seller_work (group_id, sent_at, number) WHERE state = 'open'",
    'CREATE INDEX seller_work_due ON seller_work (kind, turn, number) WHERE turn IS NOT NULL',
    'CREATE INDEX seller_work_turn ON seller_work (kind, owner, turn) WHERE turn IS NOT NULL',
    `CREATE INDEX seller_work_later ON seller_work (kind, due_at) WHERE ${isHead} AND turn IS NULL`,
    'CREATE INDEX seller_work_owner ON seller_work (kind, owner, state, number)',
    "CREATE INDEX seller_work_listed ON seller_work (kind, state, number) WHERE state <> 'done'",
    `CREATE INDEX seller_work_ended ON seller_work (due_at) WHERE ${hasEnded}`,
    'CREATE TABLE seller_work_ledger (key TEXT PRIMARY KEY, value TEXT NOT NULL, until DOUBLE PRECISION NOT NULL)',
    'CREATE INDEX seller_work_ledger_until ON seller_work_ledger (until)',
  ];
}

/** What later versions have added to the same tables, by name. An earlier version works with it. */
export const additions: Readonly<Record<string, string>> = {
  // What is seldom has an index of its own, so that looking for it does not read all that waits.
  seller_work_suspects: `CREATE INDEX IF NOT EXISTS seller_work_suspects ON seller_work (kind, turn, number)
    WHERE turn IS NOT NULL AND stalls >= ${suspectStalls}`,
  seller_work_leased:
    'CREATE INDEX IF NOT EXISTS seller_work_leased ON seller_work (kind, due_at) WHERE token IS NOT NULL',
  seller_work_reopened: `CREATE INDEX IF NOT EXISTS seller_work_reopened ON seller_work (kind, added_at)
    WHERE state = 'open' AND ended_at IS NOT NULL`,
  seller_work_outcome: `CREATE INDEX IF NOT EXISTS seller_work_outcome ON seller_work (kind, ended_at) WHERE ${hasOutcome}`,
};
