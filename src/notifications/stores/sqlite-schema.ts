import type { DatabaseSync } from 'node:sqlite';
import { ConfigurationError } from '../../core/errors/errors.js';

/** Marks a file as an inbox of this package (`PRAGMA application_id`). */
const applicationId = 0x4d_53_49_4e;

/** What takes a file from one version of the schema (`PRAGMA user_version`) to the next. */
const migrations = [
  `CREATE TABLE notification_waiting (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, group_id TEXT NOT NULL, sent_at INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0, stalls INTEGER NOT NULL DEFAULT 0, entry TEXT NOT NULL);
  CREATE INDEX notification_order ON notification_waiting (group_id, sent_at, number);
  CREATE TABLE notification_group (
    group_id TEXT PRIMARY KEY, user_id INTEGER, turn INTEGER, ready_at INTEGER NOT NULL, token TEXT, leased_key TEXT);
  CREATE INDEX notification_due ON notification_group (turn) WHERE turn IS NOT NULL;
  CREATE INDEX notification_later ON notification_group (ready_at) WHERE turn IS NULL;
  CREATE INDEX notification_user ON notification_group (user_id, turn);
  CREATE TABLE notification_processed (key TEXT PRIMARY KEY, until INTEGER NOT NULL);
  CREATE INDEX notification_expired ON notification_processed (until);
  CREATE TABLE notification_dead (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, entry TEXT NOT NULL, attempts INTEGER NOT NULL,
    failure TEXT NOT NULL, dead_lettered_at INTEGER NOT NULL);
  CREATE TABLE notification_damaged (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, group_id TEXT, entry, found_at INTEGER NOT NULL);
  CREATE TABLE notification_clock (
    id INTEGER PRIMARY KEY, latest INTEGER NOT NULL, offset INTEGER NOT NULL, served INTEGER NOT NULL);
  INSERT INTO notification_clock (id, latest, offset, served) VALUES (1, 0, 0, 0);
  CREATE TABLE notification_total (name TEXT PRIMARY KEY, entries INTEGER NOT NULL, bytes INTEGER NOT NULL);
  INSERT INTO notification_total (name, entries, bytes) VALUES ('waiting', 0, 0), ('dead', 0, 0);
  ${['waiting', 'dead'].map((name) => totalTriggers(name)).join('')}`,
];

function totalTriggers(name: string): string {
  const trigger = (event: string, row: string, sign: string): string => `
    CREATE TRIGGER notification_${name}_${event} AFTER ${event} ON notification_${name} BEGIN
      UPDATE notification_total SET entries = entries ${sign} 1, bytes = bytes ${sign} octet_length(${row}.entry)
      WHERE name = '${name}';
    END;`;
  return trigger('INSERT', 'new', '+') + trigger('DELETE', 'old', '-');
}

/**
 * Creates the tables in a new file, and migrates an older one.
 *
 * @throws {ConfigurationError} when the file belongs to another program or a newer version.
 */
export function prepareSchema(db: DatabaseSync): void {
  // Pages that change often are copied from the log to the file a quarter as often as by default.
  db.exec(
    'PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;',
  );
  if (pragma(db, 'user_version') === migrations.length && pragma(db, 'application_id') === applicationId) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    migrate(db);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function migrate(db: DatabaseSync): void {
  const isNew = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (!isNew && pragma(db, 'application_id') !== applicationId) {
    throw new ConfigurationError('the file belongs to another program; use a separate file for the inbox');
  }
  const version = pragma(db, 'user_version');
  if (version > migrations.length) {
    throw new ConfigurationError('the file was written by a newer version of this package; update the package');
  }
  for (const migration of migrations.slice(version)) db.exec(migration);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length};`);
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
}
