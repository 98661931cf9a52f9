import { ConfigurationError } from '../core/errors/errors.js';
import { isObject } from '../core/json/json.js';
import { checkConfiguration, withMethods } from '../core/options/rules.js';
import { nodeModule } from '../core/scope/node-module.js';
import { tablesOf } from './sql/entries.js';
import type { Dialect, Row, SqlContext, SqlRule, SqlValue, Statement } from './sql/entries.js';
import { SqlStore } from './sql/store.js';
import { additions, isKnownVersion, schemaVersion } from './sql/versions.js';
import type { RuleOptions, SqlDatabase } from './sql/store.js';
import { LayoutError } from './store.js';
import type { Store } from './store.js';
import { atEndOfTurn } from './turns.js';

/** The options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** A `Pool` of `pg`. The store does not end it. */
  readonly pool: PostgresPool;
}

/**
 * Creates a store in PostgreSQL 11 or later, for an inbox, an outbox or both, on any number of machines. What was accepted or added
 * survives crashes.
 *
 * It creates its tables, `seller_work...`, at the first use, and uses one connection at a time. A transaction waits for the disk
 * where something must survive a power cut.
 *
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL }); // of `pg`
 * const store = postgresStore({ pool });
 * const inbox = createInbox({ store, fallback: (notification) => console.log(notification.topic) });
 * @throws {ConfigurationError} when `pool` has no method `connect`, or an option is unknown.
 */
export function postgresStore(options: PostgresStoreOptions): Store {
  if (!isObject(options) || typeof options.connect === 'function')
    throw new ConfigurationError('postgresStore takes `{ pool }`, a Pool of `pg`');
  checkConfiguration('postgresStore', options, { pool: withMethods('connect') }, ['pool']);
  return new SqlStore(new PostgresDatabase(options.pool), { durable: true });
}

/** A connection of a `PostgresPool`. */
export interface PostgresClient {
  /** Runs statements, and returns the result of one, or a list of results. */
  query(text: string): Promise<unknown>;
  /** Gives the connection back. With an error, it is closed. */
  release(error?: Error): void;
  /** A connection that is lost while nobody asks it something is told to those who listen; without any, the process ends. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of the `Pool` of `pg` that is used. */
interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on?(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
}

const dialect: Dialect = {
  numberType: 'BIGSERIAL PRIMARY KEY',
  greatest: 'greatest',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  nextNumber: "SELECT nextval('seller_work_number_seq') AS number",
};

/** What is prepared on each connection, also by another store of its pool. */
const prepared = new WeakMap<PostgresClient, PostgresStatements>();

/** A pool does not listen to a connection that it has given out, whose loss would end the process. What is asked next fails. */
function listenTo(client: PostgresClient): void {
  if (prepared.has(client)) return;
  prepared.set(client, new PostgresStatements());
  client.on?.('error', () => undefined);
}

/** The most rules in one transaction. */
const maxJobs = 200;

/**
 * The tables of a store in PostgreSQL. All rules of one turn of the event loop, and those that come while a transaction is under way, share
 * the next one; the statements that do not depend on each other are sent together.
 */
class PostgresDatabase implements SqlDatabase {
  mustExist = false;
  readonly #pool: PostgresPool;
  #opening: Promise<void> | undefined;
  #jobs: PostgresJob[] = [];
  #writing: Promise<void> | undefined;
  /** Whether statements are prepared: not behind a proxy that gives each transaction another connection to the server. */
  #prepares = true;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
    // Each connection is listened to before anything else can happen to it.
    pool.on?.('acquire', listenTo);
  }

  async run<R>(rule: (context: SqlContext) => SqlRule<R>, options: RuleOptions = {}): Promise<R> {
    await this.open();
    return new Promise<R>((resolve, reject) => {
      this.#jobs.push({ ...options, rule, resolve, reject });
      this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    });
  }

  async #write(): Promise<void> {
    await new Promise<void>((resolve) => atEndOfTurn(resolve));
    while (this.#jobs.length > 0) {
      const jobs = this.#jobs.splice(0, maxJobs);
      for (const some of [jobs.filter(({ isRead }) => isRead), jobs.filter(({ isRead }) => !isRead)])
        if (some.length > 0) await this.#commit(some);
    }
  }

  /** Carries out jobs in one transaction. If one of several fails, each has one of its own. */
  async #commit(jobs: readonly PostgresJob[]): Promise<void> {
    try {
      const results = await this.#with((client) => carryOut(client, jobs, this.#textOf(client)));
      for (const [index, { resolve }] of jobs.entries()) resolve(results[index] as never);
    } catch (error) {
      if (this.#prepares && notPrepared.has(codeOf(error))) {
        this.#prepares = false;
        await this.#commit(jobs);
      } else if (jobs.length > 1 && isOfStatement(error)) for (const job of jobs) await this.#commit([job]);
      else for (const { reject } of jobs) reject(error);
    }
  }

  /** Writes the statements that a connection is sent. */
  #textOf(client: PostgresClient): (statement: Statement) => string {
    if (!this.#prepares) return plainTextOf;
    const statements = prepared.get(client);
    return (statement) => statements?.textOf(statement) ?? plainTextOf(statement);
  }

  async #with<R>(work: (client: PostgresClient) => Promise<R>): Promise<R> {
    const client = await this.#pool.connect();
    listenTo(client);
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // A closed connection undoes what it has done, also where the server is out of reach.
      client.release(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  open(): Promise<void> {
    this.#opening ??= this.#with((client) => this.#prepare(client)).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #prepare(client: PostgresClient): Promise<void> {
    // Of several processes that start at once, one creates the tables.
    await client.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('seller_work_version'))");
    const tables = `SELECT tablename FROM pg_tables WHERE schemaname = ANY(current_schemas(false)) AND tablename LIKE 'seller_work%'`;
    const found = await rowsOf(client, tables);
    if (found.length === 0 && this.mustExist)
      throw new ConfigurationError('postgresStore: this database has no inbox and no outbox');
    const create = `${tablesOf(dialect).join(';')}; CREATE TABLE seller_work_version AS SELECT ${schemaVersion} AS version`;
    if (found.length === 0) await client.query(create);
    const [row] = await rowsOf(client, 'SELECT version FROM seller_work_version');
    if (!isKnownVersion(row?.version))
      throw new LayoutError(
        `postgresStore: the tables have version ${row?.version}, and this package reads version ${schemaVersion}; use the version of the package that wrote them, and keep them: without their keys, what was sent is sent again`,
      );
    if (!this.mustExist) await add(client);
    if (!this.mustExist && row?.version !== schemaVersion)
      await client.query(`UPDATE seller_work_version SET version = ${schemaVersion}`);
    await client.query('COMMIT');
  }

  /** The pool is not ended. */
  async close(): Promise<void> {
    while (this.#writing) await this.#writing;
  }
}

/** Adds what is missing. What is there is not created again: that would wait for every transaction on the table. */
async function add(client: PostgresClient): Promise<void> {
  const found = await rowsOf(client, 'SELECT indexname FROM pg_indexes WHERE schemaname = ANY(current_schemas(false))');
  const isThere = (name: string): boolean => found.some(({ indexname }) => indexname === name);
  for (const [name, sql] of Object.entries(additions)) if (!isThere(name)) await client.query(sql);
}

/** Carries out jobs in a transaction: those of different groups side by side, those that must be alone after them. */
async function carryOut(
  client: PostgresClient,
  jobs: readonly PostgresJob[],
  textOf: (statement: Statement) => string,
): Promise<unknown[]> {
  const { now, groups } = await begin(client, jobs);
  const context = { dialect, now };
  const results = new Map<PostgresJob, unknown>();
  for (const lines of linesOf(jobs, groups)) {
    const running = lines.map((line) => runLine(line, context, results));
    let steps = running.map((line) => ({ line, step: line.next([]) })).filter(({ step }) => !step.done);
    while (steps.length > 0) {
      const statements = steps.map(({ step }) => textOf(step.value as Statement));
      const answers = await resultsOf(client, statements.join(';\n'));
      steps = steps
        .map(({ line }, index) => ({ line, step: line.next(answers[index] ?? []) }))
        .filter(({ step }) => !step.done);
    }
  }
  await client.query('COMMIT');
  return jobs.map((job) => results.get(job));
}

/** One rule after the other. */
function* runLine(
  line: readonly PostgresJob[],
  context: SqlContext,
  results: Map<PostgresJob, unknown>,
): SqlRule<void> {
  for (const job of line) results.set(job, yield* job.rule(context));
}

/** Begins a transaction, and keeps others from changing the groups of its jobs. */
async function begin(
  client: PostgresClient,
  jobs: readonly PostgresJob[],
): Promise<{ readonly now: number; readonly groups: ReadonlyMap<string, string> }> {
  // Other isolation levels of a session would not see what was committed while a statement waited for a lock.
  const isDurable = jobs.some((job) => job.isDurable !== false);
  // A plan that was made for an empty table is used for a full one as well.
  const level = jobs.every(({ isRead }) => isRead) ? 'REPEATABLE READ READ ONLY' : 'READ COMMITTED';
  const start = `BEGIN ISOLATION LEVEL ${level}; SET LOCAL enable_seqscan = off; ${isDurable ? '' : 'SET LOCAL synchronous_commit = off; '}`;
  const time = 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now';
  const keys = jobs.flatMap(({ key }) => (key === undefined ? [] : [literal(key)]));
  const groups = jobs.flatMap(({ group }) => (group === undefined ? [] : [`(${literal(group)})`]));
  const named = [
    ...(keys.length > 0 ? [`SELECT group_id FROM seller_work WHERE key IN (${keys.join(', ')})`] : []),
    ...(groups.length > 0 ? [`SELECT * FROM (VALUES ${groups.join(', ')}) AS g (group_id)`] : []),
  ].join(' UNION ');
  // All processes lock in the same order, so that none waits for another that waits for it.
  const locks = `SELECT pg_advisory_xact_lock(id) FROM (SELECT DISTINCT hashtextextended(group_id, 0) AS id FROM (${named}) AS n ORDER BY id) AS o`;
  const found = `SELECT key, group_id FROM seller_work WHERE key IN (${keys.join(', ')})`;
  const sql = `${start}${named === '' ? '' : `${locks}; `}${keys.length > 0 ? `${found}; ` : ''}${time}`;
  const answers = await resultsOf(client, sql);
  const rows = keys.length > 0 ? (answers.at(-2) ?? []) : [];
  return {
    now: Number(answers.at(-1)?.[0]?.now),
    groups: new Map(rows.map((row) => [String(row.key), String(row.group_id)])),
  };
}

async function rowsOf(client: PostgresClient, sql: string): Promise<readonly Row[]> {
  return (await resultsOf(client, sql))[0] ?? [];
}

/** Sends statements together, and returns the rows of each. */
async function resultsOf(client: PostgresClient, sql: string): Promise<readonly (readonly Row[])[]> {
  const answer = (await client.query(sql)) as Answer | Answer[];
  const answers = Array.isArray(answer) ? answer : [answer];
  return answers.filter(({ command }) => command !== 'PREPARE').map(({ rows }) => rows);
}

/** The response to a statement. */
interface Answer {
  readonly command: string;
  readonly rows: readonly Row[];
}

/**
 * The connection to the server is another one, or another client has prepared the same on it, or something else under its name: with
 * other parameters, which is a syntax error.
 */
const notPrepared = new Set<unknown>(['26000', '42P05', '42601']);

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

/** Whether the server has rejected a statement: then the others of its transaction are not to blame. */
function isOfStatement(error: unknown): boolean {
  const code = codeOf(error);
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
}

/** A rule that waits for its transaction. */
interface PostgresJob extends RuleOptions {
  readonly rule: (context: SqlContext) => SqlRule<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Which jobs of a transaction may run side by side: of each list, the lines may; of a line, one job after the other does. Jobs of one
 * group share a line; those that must be alone come last, one by one.
 *
 * @param groups The groups of entries by key.
 */
function linesOf(
  jobs: readonly PostgresJob[],
  groups: ReadonlyMap<string, string>,
): readonly (readonly (readonly PostgresJob[])[])[] {
  const nameOf = ({ group, key = '' }: PostgresJob, index: number): string =>
    JSON.stringify(group ?? groups.get(key) ?? (key === '' ? index : { key }));
  const together = jobs.filter(({ isAlone }) => !isAlone);
  const lines = [...Map.groupBy(together.entries(), ([index, job]) => nameOf(job, index)).values()];
  return [
    lines.map((line) => line.map(([, job]) => job)),
    ...jobs.filter(({ isAlone }) => isAlone).map((job) => [[job]]),
  ];
}

const hash = nodeModule('node:crypto')?.hash;

/**
 * The statements of one connection. Each is prepared once, and then carried out with its values as literals: statements with
 * parameters can only be sent one by one, each after the response to the one before.
 *
 * Behind a pooler, a connection to the server may have statements of other processes: a name is the hash of its SQL, so it means the
 * same in all of them.
 */
class PostgresStatements {
  readonly #names = new Map<string, string>();

  /** A statement as it is sent. */
  textOf(statement: Statement): string {
    const { sql, values } = statement;
    if (!hash) return plainTextOf(statement);
    const literals = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
    const known = this.#names.get(sql);
    if (known !== undefined) return `EXECUTE ${known}${literals}`;
    let count = 0;
    const text = sql.replaceAll('?', () => `$${(count += 1)}`);
    const name = `seller_work_${hash('sha256', text, 'hex').slice(0, 40)}`;
    this.#names.set(sql, name);
    return `PREPARE ${name} AS ${text};\nEXECUTE ${name}${literals}`;
  }
}

/** A value as SQL: a text keeps each character, whatever the settings of the server. */
function literal(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `'${value}'::float8`;
  return `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** A statement without preparing it: behind a proxy, the next transaction may have another connection to the server. */
function plainTextOf({ sql, values }: Statement): string {
  let next = 0;
  return sql.replaceAll('?', () => literal(values[next++] ?? null));
}
