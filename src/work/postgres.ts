import { ConfigurationError } from '../core/errors/errors.js';
import { isObject } from '../core/json/json.js';
import { checkConfiguration, withMethods } from '../core/options/rules.js';
import { PostgresConnections, literal, plainTextOf, statementsOf } from './postgres-connections.js';
import type { PostgresClient, PostgresConnection, PostgresPool } from './postgres-connections.js';
import { tablesOf, type Dialect, type Row, type SqlContext, type SqlRule, type Statement } from './sql/entries.js';
import { SqlStore, type RuleOptions, type SqlDatabase } from './sql/store.js';
import { additions, isKnownVersion, schemaVersion } from './sql/versions.js';
import { LayoutError, type InnerStore, type Store } from './store.js';
import { atEndOfTurn } from './timers.js';

/** One to accept what is delivered, one for the rest of the store, and one for everybody else. */
const leastConnections = 3;

/** The options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** A `Pool` of `pg`. The store does not end it. */
  readonly pool: PostgresPool;
}

/** @internal */
export function postgresStore(options: PostgresStoreOptions): InnerStore;
/**
 * Creates a store in PostgreSQL 11 or later, for an inbox, an outbox or both, on any number of machines. What was accepted or added
 * survives crashes.
 *
 * It creates its tables, `seller_work...`, at the first use. From the first delivery, `add()` or `start()` on it keeps two connections of
 * the pool until it is closed, so handlers may use the others; stores of one pool share the two. Close the inbox and the outbox before
 * you end the pool. A transaction waits for the disk where something must survive a power cut.
 *
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL }); // of `pg`
 * const store = postgresStore({ pool });
 * const inbox = createInbox({ store, fallback: (notification) => console.log(notification.topic) });
 * @throws {ConfigurationError} when `pool` has no method `connect` or has fewer than three connections (`max`), or an option is unknown.
 */
export function postgresStore(options: {
  /** A `Pool` of `pg`. The store does not end it. */
  readonly pool: PostgresPool;
}): Store;
export function postgresStore(options: PostgresStoreOptions): Store {
  if (!isObject(options) || typeof options.connect === 'function')
    throw new ConfigurationError('postgresStore takes `{ pool }`, a Pool of `pg`');
  checkConfiguration('postgresStore', options, { pool: withMethods('connect') }, ['pool']);
  const { max } = options.pool.options ?? {};
  if (typeof max === 'number' && max < leastConnections)
    throw new ConfigurationError(
      `postgresStore keeps two connections of its pool, which has ${max} (\`max\`); give it at least ${leastConnections}`,
    );
  return new SqlStore(new PostgresDatabase(options.pool), { durable: true });
}

const dialect: Dialect = {
  numberType: 'BIGSERIAL PRIMARY KEY',
  greatest: 'greatest',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  nextNumber: "SELECT nextval('seller_work_number_seq') AS number",
};

/** The most rules in one transaction: a burst of deliveries waits for few. */
const maxJobs = 500;

/** How often a transaction is begun whose connection was lost. */
const maxAttempts = 3;

/**
 * The tables of a store in PostgreSQL. All rules of one turn of the event loop, and those that come while a transaction is under way, share
 * the next one; the statements that do not depend on each other are sent together. What is added has a connection of its own, so it does
 * not wait for the rest.
 */
class PostgresDatabase implements SqlDatabase {
  mustExist = false;
  readonly #connections: PostgresConnections;
  readonly #accepting: Transactions;
  readonly #working: Transactions;
  #opening: Promise<void> | undefined;

  constructor(pool: PostgresPool) {
    this.#connections = PostgresConnections.of(pool);
    this.#accepting = new Transactions(this.#connections.accepting);
    this.#working = new Transactions(this.#connections.working);
  }

  async run<R>(rule: (context: SqlContext) => SqlRule<R>, options: RuleOptions = {}): Promise<R> {
    const { isAdded = false, isAlone = false } = options;
    if (isAdded || isAlone) this.#connections.keepFor(this);
    await this.open();
    return (isAdded ? this.#accepting : this.#working).run(rule, options);
  }

  open(): Promise<void> {
    this.#opening ??= this.#connections.working
      .use((client) => prepare(client, this.mustExist))
      .catch((error: unknown) => {
        this.#opening = undefined;
        throw error;
      });
    return this.#opening;
  }

  /** Gives its connections back. The pool is not ended. */
  async close(): Promise<void> {
    await Promise.all([this.#accepting.ended(), this.#working.ended()]);
    await this.#connections.leave(this);
  }
}

/** The transactions of one connection. */
class Transactions {
  readonly #connection: PostgresConnection;
  #jobs: PostgresJob[] = [];
  #writing: Promise<void> | undefined;
  /** Whether statements are prepared: not behind a proxy that gives each transaction another connection to the server. */
  #prepares = true;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  run<R>(rule: (context: SqlContext) => SqlRule<R>, options: RuleOptions): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#jobs.push({ ...options, rule, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  async ended(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #write(): Promise<void> {
    await new Promise<void>((resolve) => atEndOfTurn(resolve));
    while (this.#jobs.length > 0) {
      const jobs = this.#jobs.splice(0, maxJobs);
      for (const some of [jobs.filter(({ isRead }) => isRead), jobs.filter(({ isRead }) => !isRead)])
        if (some.length > 0) await this.#commit(some);
    }
    // At once: a job that came between the end of the loop and a later step would wait for the next one.
    this.#writing = undefined;
  }

  /** Carries out jobs in one transaction. If one of several fails, each has one of its own. */
  async #commit(jobs: readonly PostgresJob[], attempt = 1): Promise<void> {
    const reached: Reached = {};
    try {
      await this.#connection.use(async (client) => {
        reached.isReached = true;
        await carryOut(client, jobs, { reached, textOf: await this.#textOf(client) });
      });
    } catch (error) {
      if (!(await this.#isCommitted(reached)))
        return this.#failed(jobs, { error, attempt, isReached: reached.isReached ?? false });
    }
    for (const [index, { resolve }] of jobs.entries()) resolve(reached.results?.[index] as never);
  }

  async #failed(
    jobs: readonly PostgresJob[],
    { error, attempt, isReached }: { readonly error: unknown; readonly attempt: number; readonly isReached: boolean },
  ): Promise<void> {
    if (this.#prepares && notPrepared.has(codeOf(error))) {
      this.#prepares = false;
      await this.#commit(jobs);
    } else if (isReached && attempt < maxAttempts && !isOfStatement(error)) await this.#commit(jobs, attempt + 1);
    else if (jobs.length > 1 && isOfStatement(error)) for (const job of jobs) await this.#commit([job]);
    else for (const { reject } of jobs) reject(error);
  }

  /** Whether a transaction was committed of which the connection was lost before the server has said so. */
  async #isCommitted({ id, results }: Reached): Promise<boolean> {
    if (id === undefined || !results) return false;
    try {
      const sql = `SELECT txid_status(${id}) AS status`;
      const find = async (): Promise<unknown> =>
        (await this.#connection.use((client) => rowsOf(client, sql)))[0]?.status;
      let status = await find();
      // The server has not noticed yet that the connection is lost.
      for (let left = 20; status === 'in progress' && left > 0; left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        status = await find();
      }
      return status === 'committed';
    } catch {
      return false;
    }
  }

  /** Writes the statements that a connection is sent. */
  async #textOf(client: PostgresClient): Promise<(statement: Statement) => string> {
    const statements = this.#prepares ? statementsOf(client) : undefined;
    await statements?.learn(async () =>
      (await rowsOf(client, 'SELECT name FROM pg_prepared_statements')).map(({ name }) => name),
    );
    return (statement) => statements?.textOf(statement) ?? plainTextOf(statement);
  }
}

/** How far a transaction has come. */
interface Reached {
  /** Whether there was a connection: nothing is gained by asking at once for another one where there is none. */
  isReached?: boolean;
  /** Its number; `undefined` where it only reads. */
  id?: string | undefined;
  /** Those of its jobs, once it has only to be committed. */
  results?: readonly unknown[];
}

/** Creates the tables, and checks them. */
async function prepare(client: PostgresClient, mustExist: boolean): Promise<void> {
  // Of several processes that start at once, one creates the tables.
  await client.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('seller_work_version'))");
  const tables = `SELECT tablename FROM pg_tables WHERE schemaname = ANY(current_schemas(false)) AND tablename LIKE 'seller_work%'`;
  const found = await rowsOf(client, tables);
  if (found.length === 0 && mustExist)
    throw new ConfigurationError('postgresStore: this database has no inbox and no outbox');
  const [{ encoding } = { encoding: null }] = await rowsOf(
    client,
    "SELECT current_setting('server_encoding') AS encoding",
  );
  if (!mustExist && encoding !== 'UTF8')
    throw new LayoutError(
      `postgresStore: the database has the encoding ${encoding}, which does not keep every text of a buyer; create one with ENCODING 'UTF8'`,
    );
  const create = `${tablesOf(dialect).join(';')}; CREATE TABLE seller_work_version AS SELECT ${schemaVersion} AS version`;
  if (found.length === 0) await client.query(create);
  const [row] = await rowsOf(client, 'SELECT version FROM seller_work_version');
  if (!isKnownVersion(row?.version))
    throw new LayoutError(
      `postgresStore: the tables have version ${row?.version}, and this package reads version ${schemaVersion}; use the version of the package that wrote them, and keep them: without their keys, what was sent is sent again`,
    );
  if (!mustExist) await add(client);
  if (!mustExist && row?.version !== schemaVersion)
    await client.query(`UPDATE seller_work_version SET version = ${schemaVersion}`);
  await client.query('COMMIT');
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
  { reached, textOf }: { readonly reached: Reached; readonly textOf: (statement: Statement) => string },
): Promise<void> {
  const { now, groups, id } = await begin(client, jobs);
  reached.id = id;
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
  reached.results = jobs.map((job) => results.get(job));
  await client.query('COMMIT');
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
): Promise<{ readonly now: number; readonly groups: ReadonlyMap<string, string>; readonly id?: string }> {
  // Other isolation levels of a session would not see what was committed while a statement waited for a lock.
  const isDurable = jobs.some((job) => job.isDurable !== false);
  // A plan that was made for an empty table is used for a full one as well. A bitmap is made of all that waits, also to find one.
  const isRead = jobs.every((job) => job.isRead);
  const level = isRead ? 'REPEATABLE READ READ ONLY' : 'READ COMMITTED';
  const start = `BEGIN ISOLATION LEVEL ${level}; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; ${isDurable ? '' : 'SET LOCAL synchronous_commit = off; '}`;
  const id = isRead ? '' : ', txid_current()::text AS id';
  const time = `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now${id}`;
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
    ...(!isRead && { id: String(answers.at(-1)?.[0]?.id) }),
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

/** Whether the server has rejected a statement: then the others of its transaction are not to blame. `57P01` and `08...` are lost connections. */
function isOfStatement(error: unknown): boolean {
  const code = codeOf(error);
  return typeof code === 'string' && /^(?!57P|08)(?=.*\d)[0-9A-Z]{5}$/.test(code);
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
