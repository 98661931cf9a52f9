import type { DatabaseSync } from 'node:sqlite';
import { ConfigurationError } from '../core/errors/errors.js';
import { nodeModule } from '../core/scope/node-module.js';
import { tablesOf, type Dialect, type Row, type SqlContext, type SqlRule, type Statement } from './sql/entries.js';
import { SqlStore, type RuleOptions, type SqlDatabase } from './sql/store.js';
import { additions, import020, isKnownVersion, schemaVersion, version020 } from './sql/versions.js';
import { createPrivateFile, explain, isOfLayout, unlessBusy } from './sqlite-file.js';
import { assertNoOptions, LayoutError, type InnerStore, type Store } from './store.js';
import { atEndOfTurn } from './timers.js';

/** @internal */
export function sqliteStore(path: string): InnerStore;
/**
 * Creates a store in a SQLite file, for the processes of one machine: an inbox, an outbox, or both. What was accepted or added
 * survives crashes and power cuts.
 *
 * Needs Node 22.13 or later; `node:sqlite` is loaded on first use. Do not use it on a network file system.
 *
 * @param path The file. It is created if it does not exist. `':memory:'` is not durable.
 * @example
 * const store = sqliteStore('seller.db');
 * const inbox = createInbox({ store, fallback: (notification) => console.log(notification.topic) });
 * const outbox = createOutbox({ store, clientFor: () => seller });
 * @throws {ConfigurationError} when `path` is not the name of a file, or there are options.
 */
export function sqliteStore(path: string): Store;
export function sqliteStore(path: string, ...options: readonly unknown[]): Store {
  if (typeof path !== 'string' || path === '')
    throw new ConfigurationError("sqliteStore takes the name of a file, such as 'seller.db'");
  assertNoOptions('sqliteStore', options);
  return new SqlStore(new SqliteDatabase(path), { durable: path !== inMemory });
}

interface SqliteWrite {
  readonly rule: (context: SqlContext) => SqlRule<unknown>;
  /** Whether the result must survive a power cut. */
  readonly isDurable: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The path of a database in memory. */
const inMemory = ':memory:';

/** A database file whose writes share transactions, and wait for other processes without blocking the event loop. */
class SqliteDatabase implements SqlDatabase {
  mustExist = false;
  readonly #path: string;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #db!: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  /** The writes of the next transaction. */
  #jobs: SqliteWrite[] = [];
  #synchronous = '';
  /** Which file was opened; `undefined` in memory. */
  #file: string | undefined;
  /** Which file its log is; `undefined` before the first transaction. */
  #log: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Carries out all rules of one turn of the event loop in one transaction, which waits for the disk once. */
  async run<R>(
    rule: (context: SqlContext) => SqlRule<R>,
    { isDurable = true, isRead = false }: RuleOptions = {},
  ): Promise<R> {
    await this.open();
    if (isRead) return this.#read(rule);
    return new Promise<R>((resolve, reject) => {
      if (this.#jobs.push({ rule, isDurable, resolve, reject }) === 1) atEndOfTurn(() => void this.#write(this.#jobs));
    });
  }

  open(): Promise<void> {
    return (this.#opening ??= this.#open());
  }

  #all({ sql, values }: Statement): Row[] {
    return this.#prepared(sql).all(...values) as unknown as Row[];
  }

  #prepared(sql: string): ReturnType<DatabaseSync['prepare']> {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }

  async #open(): Promise<void> {
    try {
      const sqlite = nodeModule('node:sqlite');
      if (!sqlite) throw new Error('there is no node:sqlite');
      await unlessBusy(() => {
        if (this.mustExist && fileOf(this.#path) === 'none')
          throw new ConfigurationError(`there is no file ${this.#path}`);
        createPrivateFile(this.#path);
        const db = new sqlite.DatabaseSync(this.#path);
        try {
          prepareSchema(db, this.mustExist);
        } catch (error) {
          db.close();
          throw error;
        }
        this.#db = db;
        this.#file = fileOf(this.#path);
      });
    } catch (cause) {
      this.#opening = undefined;
      const { reason, remedy } = explain(cause);
      const Class = isOfLayout(cause) ? LayoutError : ConfigurationError;
      throw new Class(`sqliteStore cannot open its database (${reason})${remedy}`, { cause });
    }
  }

  /** Writes jobs in one transaction. While it waits for the lock, more are added to them. */
  async #write(jobs: readonly SqliteWrite[]): Promise<void> {
    try {
      this.#assertFiles();
      const areWritten = await unlessBusy(() => this.#commit(jobs));
      if (!areWritten) for (const job of jobs) await this.#write([job]);
    } catch (error) {
      this.#begin(jobs);
      for (const { reject } of jobs) reject(error);
    }
  }

  /** SQLite goes on writing to a file that has no name any more, and nobody would find the notifications in it. */
  #assertFiles(): void {
    const log = `${this.#path}-wal`;
    if (fileOf(this.#path) !== this.#file) throw missing(this.#path);
    if (this.#log !== undefined && fileOf(log) !== this.#log) throw missing(log, ', so that its content is kept');
  }

  /** From now on, writes are collected for another transaction. */
  #begin(jobs: readonly SqliteWrite[]): void {
    if (this.#jobs === jobs) this.#jobs = [];
  }

  /**
   * Runs jobs in one transaction.
   *
   * @returns `false` when one of several has failed: then nothing is written, and each needs a transaction of its own.
   * @throws when another process holds the lock.
   */
  #commit(jobs: readonly SqliteWrite[]): boolean {
    this.#waitForDisk(jobs.some(({ isDurable }) => isDurable));
    this.#all({ sql: 'BEGIN IMMEDIATE', values: [] });
    this.#begin(jobs);
    try {
      const context = { dialect: sqliteDialect, now: Date.now() };
      const results = jobs.map(({ rule }) => this.#carryOut(rule(context)));
      this.#all({ sql: 'COMMIT', values: [] });
      if (this.#file !== undefined) this.#log ??= fileOf(`${this.#path}-wal`);
      for (const [index, { resolve }] of jobs.entries()) resolve(results[index] as never);
    } catch (error) {
      this.#rollBack();
      if (jobs.length > 1) return false;
      jobs[0]?.reject(error);
    }
    return true;
  }

  /** Reads what was committed, while others write. */
  async #read<R>(rule: (context: SqlContext) => SqlRule<R>): Promise<R> {
    this.#assertFiles();
    return unlessBusy(() => {
      this.#all({ sql: 'BEGIN', values: [] });
      try {
        return this.#carryOut(rule({ dialect: sqliteDialect, now: Date.now() }));
      } finally {
        this.#all({ sql: 'COMMIT', values: [] });
      }
    });
  }

  #carryOut<R>(rule: SqlRule<R>): R {
    for (let step = rule.next([]); ; step = rule.next(this.#all(step.value))) if (step.done) return step.value;
  }

  /** Only between transactions. `NORMAL` waits for the disk at a checkpoint, `FULL` at each commit. */
  #waitForDisk(atEachCommit: boolean): void {
    const synchronous = `PRAGMA synchronous = ${atEachCommit ? 'FULL' : 'NORMAL'}`;
    if (synchronous !== this.#synchronous) this.#db.exec(synchronous);
    this.#synchronous = synchronous;
  }

  #rollBack(): void {
    try {
      this.#db.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back.
    }
  }

  /** Closes the file once, also for several who close it at once. The next write opens it again. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close().finally(() => (this.#closing = undefined)));
  }

  async #close(): Promise<void> {
    if (!this.#opening) return;
    await this.#opening;
    try {
      // Pending writes are committed before the file is closed.
      await this.run(function* () {
        // Nothing more to write.
      });
    } finally {
      this.#opening = undefined;
      this.#log = undefined;
      this.#statements.clear();
      this.#db.close();
    }
  }
}

/** Has the code of the system, because it is the same failure for all who meet it. */
function missing(path: string, reason = ''): Error {
  return Object.assign(new Error(`The file ${path} was deleted or moved; restart${reason}`), { code: 'ENOENT' });
}

/** What identifies the file that has a name now; `undefined` for a database in memory. */
function fileOf(path: string): string | undefined {
  if (path === inMemory) return undefined;
  const found = nodeModule('node:fs')?.statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : 'none';
}

const sqliteDialect: Dialect = {
  numberType: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  greatest: 'max',
  skipLocked: '',
  // A number that is set does not count for AUTOINCREMENT.
  nextNumber: "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'seller_work' RETURNING seq AS number",
};

/** Marks a file as one of this package (`PRAGMA application_id`). */
const applicationId = 0x4d_53_49_4e;

/**
 * Creates the tables in a new file, and brings those of an earlier version to this one, in one transaction.
 *
 * @param mustExist Whether the file must have them already. Then they are left as they are.
 * @throws {LayoutError} when the file belongs to another program, or to a version of this package that it cannot open.
 */
function prepareSchema(db: DatabaseSync, mustExist: boolean): void {
  if (mustExist) assertPrepared(db);
  // Pages that change often are copied from the log to the file a quarter as often as by default.
  db.exec(
    'PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -16000;',
  );
  if (isPrepared(db) && (mustExist || isComplete(db))) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done so meanwhile.
    const before = is020(db) ? import020 : [];
    if (isEmpty(db) || is020(db)) db.exec([...tablesOf(sqliteDialect), ...before].join(';'));
    else assertPrepared(db);
    const marks = `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`;
    db.exec([...Object.values(additions), marks].join(';'));
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function isComplete(db: DatabaseSync): boolean {
  const hasAll = Object.keys(additions).every((name) => has(db, name));
  return hasAll && pragma(db, 'user_version') === schemaVersion;
}

function has(db: DatabaseSync, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

/** Files of before the first release have the same mark, and other tables. */
function isPrepared(db: DatabaseSync): boolean {
  const isOurs = pragma(db, 'application_id') === applicationId;
  return isOurs && has(db, 'seller_work') && isKnownVersion(pragma(db, 'user_version'));
}

function is020(db: DatabaseSync): boolean {
  const isOurs = pragma(db, 'application_id') === applicationId && pragma(db, 'user_version') === version020;
  return isOurs && has(db, 'notification_done_until') && !has(db, 'seller_work');
}

function assertPrepared(db: DatabaseSync): void {
  if (isPrepared(db)) return;
  if (pragma(db, 'application_id') !== applicationId)
    throw new LayoutError('the file belongs to another program; use a file of its own');
  if (is020(db))
    throw new LayoutError(
      'the file was written by 0.2.0 of this package; start a process on it, which brings it up to date',
    );
  throw new LayoutError(
    'the file was written by another version of this package; use that version, and keep the file: without its keys, what was sent is sent again',
  );
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
}
