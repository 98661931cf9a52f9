import type { DatabaseSync } from 'node:sqlite';
import { ConfigurationError } from '../core/errors/errors.js';

/** Marks a file as one of this package (`PRAGMA application_id`). */
const applicationId = 0x4d_53_49_4e;

/** How many topics are counted. */
const maxTopics = 1_000;

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
  `ALTER TABLE notification_waiting ADD COLUMN topic TEXT NOT NULL DEFAULT '';
  ALTER TABLE notification_waiting ADD COLUMN arrived_at INTEGER NOT NULL DEFAULT 0;
  UPDATE notification_waiting SET arrived_at = CAST(unixepoch('subsec') * 1000 AS INTEGER),
    topic = coalesce(CASE WHEN json_valid(entry) THEN json_extract(entry, '$.notification.topic') END, '');
  ALTER TABLE notification_group ADD COLUMN route TEXT NOT NULL DEFAULT '*';
  UPDATE notification_group SET route = (
    SELECT coalesce(max(CASE WHEN json_valid(entry) AND json_extract(entry, '$.notification.known') THEN topic END), '*')
    FROM notification_waiting WHERE notification_waiting.group_id = notification_group.group_id);
  DROP INDEX notification_due;
  DROP INDEX notification_later;
  CREATE INDEX notification_due ON notification_group (route, turn) WHERE turn IS NOT NULL;
  CREATE INDEX notification_later ON notification_group (route, ready_at) WHERE turn IS NULL;
  CREATE INDEX notification_leased ON notification_group (group_id) WHERE token IS NOT NULL;
  CREATE TABLE notification_done_until (group_id TEXT PRIMARY KEY, sent_at INTEGER NOT NULL, until INTEGER NOT NULL);
  CREATE INDEX notification_done_expired ON notification_done_until (until);
  CREATE TABLE notification_topic (topic TEXT PRIMARY KEY, entries INTEGER NOT NULL, last_arrival INTEGER NOT NULL);
  INSERT INTO notification_topic (topic, entries, last_arrival)
    SELECT topic, count(*), max(arrived_at) FROM notification_waiting GROUP BY topic LIMIT ${maxTopics};
  ${topicTriggers()}`,
  `ALTER TABLE notification_waiting ADD COLUMN last_failure TEXT;
  ALTER TABLE notification_waiting ADD COLUMN writes TEXT;
  ALTER TABLE notification_dead ADD COLUMN writes TEXT;
  ALTER TABLE notification_group ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;
  DROP TABLE notification_done_until;
  CREATE TABLE notification_ledger (key TEXT PRIMARY KEY, value TEXT NOT NULL, until INTEGER NOT NULL);
  CREATE INDEX notification_ledger_expired ON notification_ledger (until);`,
  `CREATE TABLE outbox_job (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, job TEXT NOT NULL, added_at INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting', failures INTEGER NOT NULL DEFAULT 0, reason TEXT, progress TEXT,
    due_at INTEGER NOT NULL, token TEXT, ended_at INTEGER, dead_number INTEGER);
  CREATE INDEX outbox_due ON outbox_job (state, due_at);
  CREATE INDEX outbox_leased ON outbox_job (state) WHERE token IS NOT NULL;
  CREATE INDEX outbox_dead ON outbox_job (dead_number) WHERE dead_number IS NOT NULL;`,
  `ALTER TABLE notification_waiting ADD COLUMN user_id INTEGER;
  ALTER TABLE notification_waiting ADD COLUMN confirmed INTEGER;
  ALTER TABLE notification_waiting ADD COLUMN until INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE notification_dead ADD COLUMN user_id INTEGER;
  ALTER TABLE notification_dead ADD COLUMN topic TEXT NOT NULL DEFAULT '';
  ALTER TABLE notification_dead ADD COLUMN confirmed INTEGER;
  UPDATE notification_waiting SET user_id = coalesce(${ofEntry('user_id')}, 0),
    until = CAST(unixepoch('subsec') * 1000 AS INTEGER) + ${3 * 86_400_000};
  UPDATE notification_dead SET user_id = coalesce(${ofEntry('user_id')}, 0), topic = coalesce(${ofEntry('topic')}, '');
  CREATE INDEX notification_unconfirmed ON notification_waiting (until) WHERE confirmed IS NOT 1;
  CREATE INDEX notification_waiting_room ON notification_waiting (user_id, topic, number) WHERE confirmed = 0;
  CREATE INDEX notification_dead_room ON notification_dead (user_id, topic, number);
  CREATE INDEX notification_arrival ON notification_waiting (topic, arrived_at);
  CREATE TABLE notification_room (kind TEXT NOT NULL, user_id INTEGER NOT NULL, topic TEXT NOT NULL,
    entries INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (kind, user_id, topic)) WITHOUT ROWID;
  CREATE INDEX notification_room_size ON notification_room (kind, entries);
  INSERT INTO notification_room
    SELECT 'waiting', user_id, topic, count(*), sum(octet_length(entry)) FROM notification_waiting GROUP BY user_id, topic;
  INSERT INTO notification_room
    SELECT 'dead', user_id, topic, count(*), sum(octet_length(entry)) FROM notification_dead GROUP BY user_id, topic;
  INSERT INTO notification_total (name, entries, bytes) VALUES ('unconfirmed', 0, 0), ('expired', 0, 0);
  ${roomTriggers('waiting', 'unconfirmed')}
  ${roomTriggers('dead', 'dead unconfirmed')}`,
  `DROP INDEX notification_order;
  CREATE INDEX notification_order ON notification_waiting (group_id, writes IS NULL, sent_at, number);`,
];

/** A field of the notification of an entry; null in a damaged row. */
function ofEntry(field: string): string {
  return `CASE WHEN json_valid(entry) THEN json_extract(entry, '$.notification.${field}') END`;
}

/** Counts a table by user and topic; what the service knows nothing of apart. */
function roomTriggers(name: string, unconfirmed: string): string {
  const kind = (row: string): string => `iif(${row}.confirmed IS 0, '${unconfirmed}', '${name}')`;
  const enter = `INSERT INTO notification_room VALUES (${kind('new')}, new.user_id, new.topic, 1, octet_length(new.entry))
      ON CONFLICT DO UPDATE SET entries = entries + 1, bytes = bytes + excluded.bytes;`;
  const total = (row: string, sign: string): string =>
    `UPDATE notification_total SET entries = entries ${sign} 1, bytes = bytes ${sign} octet_length(${row}.entry)
      WHERE name = '${unconfirmed}' AND ${row}.confirmed IS 0;`;
  const at = `WHERE kind = ${kind('old')} AND user_id = old.user_id AND topic = old.topic`;
  const leave = `UPDATE notification_room SET entries = entries - 1, bytes = bytes - octet_length(old.entry) ${at};
    DELETE FROM notification_room ${at} AND entries <= 0;`;
  const trigger = (event: string, actions: string): string => `
    CREATE TRIGGER notification_${name}_room_${event.slice(0, 6)} AFTER ${event} ON notification_${name}
    BEGIN ${actions} END;`;
  return [
    trigger('INSERT', enter + total('new', '+')),
    trigger('DELETE', leave + total('old', '-')),
    trigger('UPDATE OF confirmed', leave + total('old', '-') + enter + total('new', '+')),
  ].join('');
}

/** Topics are counted up to a limit, because strangers can invent any number of them. */
function topicTriggers(): string {
  return `
    CREATE TRIGGER notification_topic_arrived AFTER INSERT ON notification_waiting BEGIN
      INSERT INTO notification_topic (topic, entries, last_arrival) SELECT new.topic, 1, new.arrived_at
        WHERE EXISTS (SELECT 1 FROM notification_topic WHERE topic = new.topic)
          OR (SELECT count(*) FROM notification_topic) < ${maxTopics}
        ON CONFLICT (topic) DO UPDATE SET entries = entries + 1, last_arrival = excluded.last_arrival;
    END;
    CREATE TRIGGER notification_topic_left AFTER DELETE ON notification_waiting BEGIN
      UPDATE notification_topic SET entries = max(0, entries - 1) WHERE topic = old.topic;
    END;`;
}

function totalTriggers(name: string): string {
  const trigger = (event: string, row: string, sign: string): string => `
    CREATE TRIGGER notification_${name}_${event} AFTER ${event} ON notification_${name} BEGIN
      UPDATE notification_total SET entries = entries ${sign} 1, bytes = bytes ${sign} octet_length(${row}.entry)
      WHERE name = '${name}';
    END;`;
  return trigger('INSERT', 'new', '+') + trigger('DELETE', 'old', '-');
}

/** What a file can hold, also both, and the table in which it begins. */
const firstTables = { inbox: 'notification_waiting', outbox: 'outbox_job' };
export type FileUse = keyof typeof firstTables;

/**
 * Creates the tables in a new file, and migrates an older one.
 *
 * @param expected What the file has to hold already; without it, the file may be new.
 * @throws {ConfigurationError} when the file belongs to another program or a newer version, or holds only something else.
 */
export function prepareSchema(db: DatabaseSync, expected?: FileUse): void {
  if (expected) assertPrepared(db, expected);
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

/** @throws {ConfigurationError} when the file is no inbox of this version. */
function assertPrepared(db: DatabaseSync, expected: FileUse): void {
  if (pragma(db, 'application_id') !== applicationId)
    throw new ConfigurationError('the file is not an inbox or outbox');
  const version = pragma(db, 'user_version');
  if (version < migrations.length)
    throw new ConfigurationError(
      'the file was written by an older version of this package: a receiver or an outbox migrates it',
    );
  if (version > migrations.length) throw new ConfigurationError(newerVersion);
  // SQLite keeps there into which tables something was ever inserted.
  const used = db.prepare('SELECT name FROM sqlite_sequence').all();
  const held = (Object.keys(firstTables) as FileUse[]).filter((use) =>
    used.some(({ name }) => name === firstTables[use]),
  );
  if (held.length > 0 && !held.includes(expected))
    throw new ConfigurationError(
      `the file holds an ${held.join('')} and no ${expected}; open it as an ${held.join('')}`,
    );
}

function migrate(db: DatabaseSync): void {
  const isNew = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (!isNew && pragma(db, 'application_id') !== applicationId) {
    throw new ConfigurationError('the file belongs to another program; use a separate file for the inbox or outbox');
  }
  const version = pragma(db, 'user_version');
  if (version > migrations.length) throw new ConfigurationError(newerVersion);
  for (const migration of migrations.slice(version)) db.exec(migration);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length};`);
}

const newerVersion = 'the file was written by a newer version of this package; update the package';

/**
 * Checks before each transaction that no newer version of this package has changed the tables meanwhile.
 *
 * @throws {ConfigurationError} when one has.
 */
export function assertVersion(version: unknown, creator: string): void {
  if (version !== migrations.length) throw new ConfigurationError(`${creator} has stopped: ${newerVersion}`);
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
}
