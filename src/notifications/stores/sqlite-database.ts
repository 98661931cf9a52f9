import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { ConfigurationError } from '../../core/errors/errors.js';
import { nodeModule } from '../../core/node-module.js';
import { atEndOfTurn } from '../timing/turns.js';
import { explain, unlessBusy } from './sqlite-errors.js';
import type { Row } from './sqlite-rows.js';
import { assertVersion, prepareSchema } from './sqlite-schema.js';

/** What the writes of one transaction have in common. */
export interface Transaction {
  /** Writes what was collected, before the transaction is committed. */
  finish(): void;
}

interface Job<T> {
  readonly run: (transaction: T) => unknown;
  /** Whether the result must survive a power cut. */
  readonly isDurable: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

type JobResult = { readonly value: unknown } | { readonly error: unknown };

/** The path of a database in memory. */
export const inMemory = ':memory:';

/** A database file whose writes share transactions, and wait for other processes without blocking the event loop. */
export class SqliteDatabase<T extends Transaction> {
  readonly #path: string;
  readonly #begin: (db: SqliteDatabase<T>) => T;
  #opening: Promise<void> | undefined;
  #db!: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  #jobs: Job<T>[] = [];
  #synchronous = '';
  /** Which file was opened; `undefined` in memory. */
  #file: string | undefined;

  constructor(path: string, begin: (db: SqliteDatabase<T>) => T) {
    this.#path = path;
    this.#begin = begin;
  }

  /**
   * Runs all writes of one turn of the event loop in one transaction, which waits for the disk once.
   *
   * @param isDurable Whether the write has to survive a power cut. Every write survives the end of the process.
   */
  async write<R>(run: (transaction: T) => R, { isDurable = true } = {}): Promise<R> {
    this.#opening ??= this.#open();
    await this.#opening;
    return new Promise<R>((resolve, reject) => {
      if (this.#jobs.push({ run, isDurable, resolve, reject }) === 1) atEndOfTurn(() => void this.#write());
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
        const db = new sqlite.DatabaseSync(this.#path);
        try {
          prepareSchema(db);
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
      throw new ConfigurationError(`sqliteStore cannot open its database (${reason})${remedy}`, { cause });
    }
  }

  async #write(): Promise<void> {
    try {
      // SQLite goes on writing to a file that has no name any more, and nobody would find the notifications in it.
      if (fileOf(this.#path) !== this.#file) throw new Error(`The file ${this.#path} was deleted or moved; restart`);
      await unlessBusy(() => {
        this.#waitForDisk(this.#jobs.some(({ isDurable }) => isDurable));
        this.run('BEGIN IMMEDIATE');
        this.#assertVersion();
        this.#commit(this.#takeJobs());
      });
    } catch (error) {
      for (const { reject } of this.#takeJobs()) reject(error);
    }
  }

  /** While the transaction holds the lock, no other process can change the version. */
  #assertVersion(): void {
    try {
      assertVersion(this.all('PRAGMA user_version')[0]?.user_version);
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #takeJobs(): Job<T>[] {
    const jobs = this.#jobs;
    this.#jobs = [];
    return jobs;
  }

  /** Only between transactions. `NORMAL` waits for the disk at a checkpoint, `FULL` at each commit. */
  #waitForDisk(atEachCommit: boolean): void {
    const synchronous = `PRAGMA synchronous = ${atEachCommit ? 'FULL' : 'NORMAL'}`;
    if (synchronous !== this.#synchronous) this.#db.exec(synchronous);
    this.#synchronous = synchronous;
  }

  /** Never throws: a failure rejects the writes. */
  #commit(jobs: readonly Job<T>[]): void {
    try {
      const results = this.#runTogether(jobs) ?? jobs.map((job) => this.#runAlone(job));
      this.run('COMMIT');
      for (const [index, { resolve, reject }] of jobs.entries()) {
        const result = results[index];
        if (result && 'error' in result) reject(result.error);
        else resolve(result?.value as never);
      }
    } catch (error) {
      this.#rollBack();
      for (const { reject } of jobs) reject(error);
    }
  }

  /** Runs all writes. When one of them fails, starts the transaction anew and returns `undefined`. */
  #runTogether(jobs: readonly Job<T>[]): JobResult[] | undefined {
    try {
      return this.#inTransaction((transaction) => jobs.map(({ run }) => ({ value: run(transaction) })));
    } catch {
      this.#rollBack();
      this.run('BEGIN IMMEDIATE');
      return undefined;
    }
  }

  /** Runs a write so that its failure has no effect on the others. @throws when the whole transaction has ended. */
  #runAlone({ run }: Job<T>): JobResult {
    this.run('SAVEPOINT alone');
    try {
      const value = this.#inTransaction(run);
      this.run('RELEASE alone');
      return { value };
    } catch (error) {
      this.run('ROLLBACK TO alone');
      this.run('RELEASE alone');
      return { error };
    }
  }

  #inTransaction<R>(run: (transaction: T) => R): R {
    const transaction = this.#begin(this);
    const result = run(transaction);
    transaction.finish();
    return result;
  }

  #rollBack(): void {
    try {
      this.#db.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back.
    }
  }

  async close(): Promise<void> {
    if (!this.#opening) return;
    await this.#opening;
    try {
      // Pending writes are committed before the file is closed.
      await this.write(() => undefined);
    } finally {
      this.#opening = undefined;
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
