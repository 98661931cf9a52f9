import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { ConfigurationError } from '../../core/errors/errors.js';
import { prepareSchema } from './sqlite-schema.js';

/** A row of any of the tables; each query has only the columns that it names. */
export interface Row {
  readonly key: string;
  readonly group_id: string;
  readonly user_id: number | null;
  readonly turn: number | null;
  readonly entry: string;
  readonly failures: number;
  readonly stalls: number;
  readonly token: string | null;
  readonly leased_key: string | null;
  readonly ready_at: number | null;
  readonly attempts: number;
  readonly failure: string;
  readonly dead_lettered_at: number;
  readonly entries: number;
  readonly bytes: number;
  readonly latest: number;
  readonly offset: number;
}

interface Job {
  readonly run: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

type JobResult = { readonly value: unknown } | { readonly error: unknown };

/** How long a write waits for other processes, in milliseconds. */
const lockTimeoutMs = 10_000;

/** A database file whose writes share transactions, and wait for other processes without blocking the event loop. */
export class SqliteDatabase {
  readonly #path: string;
  #opening: Promise<void> | undefined;
  #db!: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  #jobs: Job[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  /** Runs all writes of one turn of the event loop in one transaction, which waits for the disk once. */
  async write<T>(run: () => T): Promise<T> {
    this.#opening ??= this.#open();
    await this.#opening;
    return new Promise<T>((resolve, reject) => {
      if (this.#jobs.push({ run, resolve, reject }) === 1) setImmediate(() => void this.#commit());
    });
  }

  /** Runs a statement within a write. */
  all(sql: string, ...values: SQLInputValue[]): Row[] {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all(...values) as unknown as Row[];
  }

  async #open(): Promise<void> {
    try {
      const { DatabaseSync } = await import('node:sqlite');
      await unlessBusy(() => {
        const db = new DatabaseSync(this.#path);
        try {
          prepareSchema(db);
        } catch (error) {
          db.close();
          throw error;
        }
        this.#db = db;
      });
    } catch (cause) {
      this.#opening = undefined;
      const { reason, remedy } = explain(cause);
      throw new ConfigurationError(`sqliteStore cannot open its database (${reason})${remedy}`, { cause });
    }
  }

  async #commit(): Promise<void> {
    try {
      await unlessBusy(() => this.#db.exec('BEGIN IMMEDIATE'));
    } catch (error) {
      for (const { reject } of this.#takeJobs()) reject(error);
      return;
    }
    const jobs = this.#takeJobs();
    try {
      const results = jobs.map(({ run }) => this.#runAlone(run));
      this.#db.exec('COMMIT');
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

  #takeJobs(): Job[] {
    const jobs = this.#jobs;
    this.#jobs = [];
    return jobs;
  }

  /** A write that fails is undone alone. @throws when the whole transaction has ended, such as on a full disk. */
  #runAlone(run: () => unknown): JobResult {
    this.all('SAVEPOINT one');
    try {
      const value = run();
      this.all('RELEASE one');
      return { value };
    } catch (error) {
      try {
        this.all('ROLLBACK TO one');
        this.all('RELEASE one');
      } catch {
        throw error;
      }
      return { error };
    }
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
    // Pending writes are committed before the file is closed.
    await this.write(() => undefined);
    this.#opening = undefined;
    this.#statements.clear();
    this.#db.close();
  }
}

/** Retries while another process holds the lock: after a few milliseconds at random, without blocking the event loop. */
async function unlessBusy(run: () => void): Promise<void> {
  const endsAt = performance.now() + lockTimeoutMs;
  for (let mostMs = 2; ; mostMs = Math.min(mostMs * 2, 32)) {
    try {
      run();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > endsAt) throw error;
      const delayMs = 1 + Math.random() * mostMs;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** The primary result code of SQLite; `undefined` for other errors. */
function resultCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

function explain(cause: unknown): { reason: string; remedy: string } {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof ConfigurationError) return { reason, remedy: '' };
  const code = resultCode(cause);
  if (code === undefined) return { reason, remedy: '; it needs Node 22.13 or later' };
  if (code === SQLITE_NOTADB || code === SQLITE_CORRUPT) {
    return { reason, remedy: '; the file is damaged or not a SQLite database: move it away' };
  }
  if (isBusy(cause)) return { reason, remedy: `; another process has locked it for ${lockTimeoutMs} ms` };
  return { reason, remedy: '; its folder must exist and be writable' };
}
