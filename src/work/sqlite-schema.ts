import type { DatabaseSync } from 'node:sqlite';
import { ConfigurationError } from '../core/errors/errors.js';
import { additions, schemaVersion, tablesOf } from './sql-schema.js';
import type { Dialect } from './sql-schema.js';

export const sqliteDialect: Dialect = {
  numberType: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  greatest: 'max',
  skipLocked: '',
  // A number that is set does not count for AUTOINCREMENT.
  nextNumber: "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'seller_work' RETURNING seq AS number",
};

/** Marks a file as one of this package (`PRAGMA application_id`). */
const applicationId = 0x4d_53_49_4e;

/**
 * Creates the tables in a new file.
 *
 * @param mustExist Whether the file must have them already.
 * @throws {ConfigurationError} when the file belongs to another program or another version of this package.
 */
export function prepareSchema(db: DatabaseSync, mustExist: boolean): void {
  if (mustExist) assertPrepared(db);
  // Pages that change often are copied from the log to the file a quarter as often as by default.
  db.exec(
    'PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;',
  );
  if (isPrepared(db) && (mustExist || hasAdditions(db))) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have created them meanwhile.
    if (!isEmpty(db)) assertPrepared(db);
    else
      db.exec(
        `${tablesOf(sqliteDialect).join(';')}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion};`,
      );
    db.exec(Object.values(additions).join(';'));
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function hasAdditions(db: DatabaseSync): boolean {
  const names = db.prepare('SELECT name FROM sqlite_schema').all();
  return Object.keys(additions).every((addition) => names.some(({ name }) => name === addition));
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

/** Files of before the first release have the same mark, and other tables. */
function isPrepared(db: DatabaseSync): boolean {
  return (
    pragma(db, 'application_id') === applicationId &&
    pragma(db, 'user_version') === schemaVersion &&
    db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'seller_work'").get() !== undefined
  );
}

function assertPrepared(db: DatabaseSync): void {
  if (isPrepared(db)) return;
  if (pragma(db, 'application_id') !== applicationId)
    throw new ConfigurationError('the file belongs to another program; use a file of its own');
  throw new ConfigurationError(
    'the file was written by another version of this package; use that version, or move the file away',
  );
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
}
