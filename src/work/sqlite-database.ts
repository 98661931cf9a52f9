import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { ConfigurationError } from '../core/errors/errors.js';
import { nodeModule } from '../core/scope/node-module.js';
import { atEndOfTurn } from './turns.js';
import { createPrivateFile } from './private-file.js';
import { explain, unlessBusy } from './sqlite-errors.js';
import type { Row } from './sqlite-rows.js';
import { assertVersion, prepareSchema } from './sqlite-schema.js';
import type { FileUse } from './sqlite-schema.js';
import { StoreTransaction } from './sqlite-transaction.js';
import type { KnownTime } from './sqlite-transaction.js';

interface Job {
  readonly run: (transaction: StoreTransaction) => unknown;
  /** Whether the result must survive a power cut. */
  readonly isDurable: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The path of a database in memory. */
export const inMemory = ':memory:';

/** A database file whose writes share transactions, and wait for other processes without blocking the event loop. */
export class SqliteDatabase {
  /** Whether the file has to be there, in this version: it is neither created nor migrated. */
  mustExist = false;
  readonly #path: string;
  readonly #creator: string;
  readonly #use: FileUse;
  readonly #known: KnownTime = { now: Infinity, at: 0 };
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #db!: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  /** The writes of the next transaction. */
  #jobs: Job[] = [];
  #synchronous = '';
  /** Which file was opened; `undefined` in memory. */
  #file: string | undefined;
  /** Which file its log is; `undefined` before the first transaction. */
  #log: string | undefined;

  /** @param creator The function of the user that creates it, for messages. */
  constructor(path: string, creator: string, use: FileUse) {
    this.#path = path;
    this.#creator = creator;
    this.#use = use;
  }

  /**
   * Runs all writes of one turn of the event loop in one transaction, which waits for the disk once.
   *
   * @param isDurable Whether the write has to survive a power cut. Every write survives the end of the process.
   */
  async write<R>(run: (transaction: StoreTransaction) => R, { isDurable = true } = {}): Promise<R> {
    this.#opening ??= this.#open();
    await this.#opening;
    return new Promise<R>((resolve, reject) => {
      if (this.#jobs.push({ run, isDurable, resolve, reject }) === 1) atEndOfTurn(() => void this.#write(this.#jobs));
    });
  }

  /** Runs a statement within a write, and returns its rows. */
  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as unknown as Row[];
  }

  /** Runs a statement within a write, and returns how many rows it has changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepared(sql).run(...values).changes);
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
          prepareSchema(db, this.mustExist ? this.#use : undefined);
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
      throw new ConfigurationError(`${this.#creator} cannot open its database (${reason})${remedy}`, { cause });
    }
  }

  /** Writes jobs in one transaction. While it waits for the lock, more are added to them. */
  async #write(jobs: readonly Job[]): Promise<void> {
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
    if (fileOf(this.#path) !== this.#file) throw new Error(`The file ${this.#path} was deleted or moved; restart`);
    if (this.#log !== undefined && fileOf(log) !== this.#log)
      throw new Error(`The file ${log} was deleted or moved; restart, so that its content is kept`);
  }

  /** From now on, writes are collected for another transaction. */
  #begin(jobs: readonly Job[]): void {
    if (this.#jobs === jobs) this.#jobs = [];
  }

  /**
   * Runs jobs in one transaction.
   *
   * @returns `false` when one of several has failed: then nothing is written, and each needs a transaction of its own.
   * @throws when another process holds the lock.
   */
  #commit(jobs: readonly Job[]): boolean {
    this.#waitForDisk(jobs.some(({ isDurable }) => isDurable));
    this.run('BEGIN IMMEDIATE');
    this.#begin(jobs);
    try {
      // While the transaction holds the lock, no other process can change the version.
      assertVersion(this.all('PRAGMA user_version')[0]?.user_version, this.#creator);
      const transaction = new StoreTransaction(this, this.#known);
      const results = jobs.map(({ run }) => run(transaction));
      transaction.finish();
      this.run('COMMIT');
      if (this.#file !== undefined) this.#log ??= fileOf(`${this.#path}-wal`);
      for (const [index, { resolve }] of jobs.entries()) resolve(results[index] as never);
    } catch (error) {
      this.#rollBack();
      if (jobs.length > 1) return false;
      jobs[0]?.reject(error);
    }
    return true;
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
      await this.write(() => undefined);
    } finally {
      this.#opening = undefined;
      this.#log = undefined;
      this.#statements.clear();
      this.#db.close();
    }
  }
}

/** What identifies the file that has a name now; `undefined` for a database in memory. */
function fileOf(path: string): string | undefined {
  if (path === inMemory) return undefined;
  const found = nodeModule('node:fs')?.statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : 'none';
}
