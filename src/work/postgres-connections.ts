import { nodeModule } from '../core/scope/node-module.js';
import type { SqlValue, Statement } from './sql/entries.js';
import { Rounds } from './timers.js';

/** A connection of a `PostgresPool`. */
export interface PostgresClient {
  /** Runs statements, and returns the result of one, or a list of results. */
  query(text: string): Promise<unknown>;
  /** Gives the connection back. With an error, it is closed. */
  release(error?: Error): void;
  /** A connection that is lost while nobody asks it something is told to those who listen; without any, the process ends. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Lets the process end while the connection is open, or not. */
  unref?(): void;
  ref?(): void;
}

/** The part of the `Pool` of `pg` that is used. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on?(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
  readonly options?: { readonly max?: number | undefined };
  /** Whether it was ended: it waits for what it has given out. */
  readonly ending?: boolean;
}

/** What is known of a connection. */
interface Known {
  /** What is prepared on it, also by another store of its pool. */
  readonly statements: PostgresStatements;
  onLost?: ((error: Error) => void) | undefined;
}

const known = new WeakMap<PostgresClient, Known>();

/** A pool does not listen to a connection that it has given out, whose loss would end the process. */
function listenTo(client: PostgresClient): void {
  if (known.has(client)) return;
  const state: Known = { statements: new PostgresStatements() };
  known.set(client, state);
  client.on?.('error', (error) => state.onLost?.(error));
}

/** What is prepared on a connection. */
export function statementsOf(client: PostgresClient): PostgresStatements | undefined {
  return known.get(client)?.statements;
}

/** How often it is looked whether the pool was ended, in milliseconds. */
const endingMs = 1_000;

/**
 * The two connections that the stores of a pool keep while one of them works: handlers may hold all others, and what they write waits for
 * the store. One is for what is delivered and added, the other one for the rest. Those who only look give theirs back.
 */
export class PostgresConnections {
  readonly accepting: PostgresConnection;
  readonly working: PostgresConnection;
  readonly #pool: PostgresPool;
  readonly #stores = new Set<object>();
  readonly #rounds = new Rounds(() => undefined);

  private constructor(pool: PostgresPool) {
    this.#pool = pool;
    // Each connection is listened to before anything else can happen to it.
    pool.on?.('acquire', listenTo);
    this.accepting = new PostgresConnection(pool);
    this.working = new PostgresConnection(pool);
  }

  static readonly #ofPools = new WeakMap<PostgresPool, PostgresConnections>();

  /** Those of a pool: stores that have one pool keep two together, so that no number of them takes all that it has. */
  static of(pool: PostgresPool): PostgresConnections {
    const found = this.#ofPools.get(pool) ?? new PostgresConnections(pool);
    this.#ofPools.set(pool, found);
    return found;
  }

  /** From now on, a store needs them. Of a pool that does not say how many it has, none is kept: it may have no other. */
  keepFor(store: object): void {
    if (this.#stores.has(store) || this.#pool.options?.max === undefined) return;
    this.#stores.add(store);
    for (const each of [this.accepting, this.working]) each.keep();
    // A pool that was ended before the store would wait for ever.
    this.#rounds.start(endingMs, async () => {
      if (this.#pool.ending) await this.#giveBack();
    });
  }

  /** A store does not need them any more. The last one gives them back. */
  async leave(store: object): Promise<void> {
    this.#stores.delete(store);
    if (this.#stores.size === 0) await this.#giveBack();
  }

  async #giveBack(): Promise<void> {
    this.#stores.clear();
    void this.#rounds.stop();
    await Promise.all([this.accepting, this.working].map((each) => each.giveBack()));
  }
}

/** A connection of a pool, for one transaction after the other. */
export class PostgresConnection {
  readonly #pool: PostgresPool;
  #isKept = false;
  #client: Promise<PostgresClient> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Keeps it from now on. One that is lost is taken anew. */
  keep(): void {
    this.#isKept = true;
    this.use(() => Promise.resolve()).catch(() => undefined);
  }

  async giveBack(): Promise<void> {
    this.#isKept = false;
    if (this.#client) await this.use(() => Promise.resolve()).catch(() => undefined);
  }

  /** Carries out a transaction. A connection on which it fails is closed, which undoes it also where the server is out of reach. */
  use<R>(work: (client: PostgresClient) => Promise<R>): Promise<R> {
    const result = this.#last.then(() => this.#carryOut(work));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #carryOut<R>(work: (client: PostgresClient) => Promise<R>): Promise<R> {
    const client = await (this.#client ??= this.#take());
    client.ref?.();
    try {
      const result = await work(client);
      if (this.#isKept) client.unref?.();
      else this.#leave(client);
      return result;
    } catch (error) {
      this.#leave(client, error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  async #take(): Promise<PostgresClient> {
    try {
      const client = await this.#pool.connect();
      listenTo(client);
      const state = known.get(client);
      if (state) state.onLost = (error) => this.#leave(client, error);
      return client;
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
  }

  /** Gives a connection back, or closes it. In place of one that is kept, another one is taken before anybody else gets its place. */
  #leave(client: PostgresClient, error?: Error): void {
    const state = known.get(client);
    // It was lost before what was under way has failed.
    if (!state?.onLost) return;
    state.onLost = undefined;
    this.#client = undefined;
    client.release(error);
    if (!this.#isKept) return;
    this.#client = this.#take();
    this.#client.then((taken) => taken.unref?.()).catch(() => undefined);
  }
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
  /** What the connection has, also by others. */
  #prepared: Set<unknown> | undefined;

  /** Learns what the connection has, if that is not known yet. */
  async learn(names: () => Promise<readonly unknown[]>): Promise<void> {
    this.#prepared ??= new Set(await names());
  }

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
    if (this.#prepared?.has(name)) return `EXECUTE ${name}${literals}`;
    return `PREPARE ${name} AS ${text};\nEXECUTE ${name}${literals}`;
  }
}

/** A value as SQL: a text keeps each character, whatever the settings of the server. */
export function literal(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `'${value}'::float8`;
  return `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** A statement without preparing it: behind a proxy, the next transaction may have another connection to the server. */
export function plainTextOf({ sql, values }: Statement): string {
  let next = 0;
  return sql.replaceAll('?', () => literal(values[next++] ?? null));
}
