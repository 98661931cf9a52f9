import { ConfigurationError } from '../../core/errors/errors.js';
import { functions } from './postgres-functions.js';
import { roomFunctions } from './postgres-room-functions.js';
import { tables, version } from './postgres-schema.js';
import type { Row } from '../../work/sqlite-rows.js';

/** A connection of a `PostgresPool`. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
  /** Gives the connection back. With an error, it is closed. */
  release(error?: Error): void;
}

/** The part of the `Pool` of `pg` that is used. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

/** A row of any of the tables; each query has only the columns that it names. */
export interface PostgresRow extends Omit<Row, 'alone'> {
  readonly alone: boolean;
  readonly version: number;
  readonly leased: number;
  readonly dead: number;
  readonly others: readonly string[];
  readonly done: boolean;
  readonly unconfirmed: number;
  readonly expired: number;
}

/** Runs one statement of a transaction. Each sees what others have committed before it. */
export type RunStatement = (sql: string, ...values: unknown[]) => Promise<PostgresRow[]>;

/** The tables of an inbox in PostgreSQL. They are created at the first use. */
export class PostgresDatabase {
  /** Whether the tables have to be there: they are not created. */
  mustExist = false;
  readonly #pool: PostgresPool;
  #opening: Promise<void> | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Runs statements in a transaction. What fails undoes all of it. */
  async write<R>(work: (run: RunStatement) => Promise<R>): Promise<R> {
    await this.#open();
    // Other isolation levels of a session would not see what was committed while a statement waited for a lock.
    return this.#with(work, 'BEGIN ISOLATION LEVEL READ COMMITTED');
  }

  /** Runs one statement, which is a transaction of its own. */
  readonly run: RunStatement = async (sql, ...values) => {
    await this.#open();
    const client = await this.#pool.connect();
    try {
      const { rows } = await client.query(sql, values);
      client.release();
      return rows as PostgresRow[];
    } catch (error) {
      client.release(asError(error));
      throw error;
    }
  };

  async #with<R>(work: (run: RunStatement) => Promise<R>, begin: string): Promise<R> {
    const client = await this.#pool.connect();
    const run: RunStatement = async (sql, ...values) => (await client.query(sql, values)).rows as PostgresRow[];
    try {
      await client.query(begin);
      const result = await work(run);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // A closed connection undoes what it has done, also where the server is out of reach.
      client.release(asError(error));
      throw error;
    }
  }

  #open(): Promise<void> {
    this.#opening ??= this.#with(async (run) => this.#prepare(run), 'BEGIN').catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #prepare(run: RunStatement): Promise<void> {
    // Of several processes that start at once, one creates the tables. A cached answer would not show what it has created.
    await run("SELECT pg_advisory_xact_lock(hashtext('seller_inbox_version'))");
    const [found] = await run(
      "SELECT 1 FROM pg_tables WHERE schemaname = ANY(current_schemas(false)) AND tablename = 'seller_inbox_version'",
    );
    if (!found && this.mustExist) throw new ConfigurationError('postgresStore: there is no inbox in this database');
    if (!found) for (const each of [...tables, ...roomFunctions, ...functions]) await run(each);
    const [row] = await run('SELECT version FROM seller_inbox_version');
    if (row?.version !== version)
      throw new ConfigurationError(
        `postgresStore: the inbox has version ${row?.version}, and this package reads version ${version}; update the package`,
      );
  }
}

/** Reads a page. It is full although some rows are damaged, of which nothing is made: a shorter one is the last. */
export async function fullPage<T>(
  run: RunStatement,
  sql: string,
  {
    limit,
    after,
    of,
  }: { readonly limit: number; readonly after: number; readonly of: (row: PostgresRow) => readonly T[] },
): Promise<T[]> {
  const page: T[] = [];
  for (let from = after; page.length < limit;) {
    const rows = await run(sql, from, Math.min(limit - page.length, 2 ** 53));
    page.push(...rows.flatMap(of));
    const last = rows.at(-1);
    if (!last) break;
    from = last.number;
  }
  return page;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
