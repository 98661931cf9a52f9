import { withMethod } from '../../core/options/rules.js';
import type { WriteRecord } from '../../core/recover/write-hook.js';
import { withoutUnknown } from '../../work/write-records.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { Ledger } from '../../work/ledger.js';
import { PostgresDatabase } from './postgres-database.js';
import type { PostgresPool } from './postgres-database.js';
import { PostgresDeadLetters } from './postgres-dead-letters.js';
import { claimed } from './postgres-claims.js';
import { PostgresLedger } from './postgres-ledger.js';
import { PostgresRooms, addTo, storable } from './postgres-rooms.js';
import { nowMs } from './postgres-schema.js';
import { statsOf } from './postgres-stats.js';
import { TopicArrivals } from '../topic-arrivals.js';
import { makeDueNow, removeWaiting, waitingOf } from './postgres-waiting.js';
import { writesOf } from '../../work/sqlite-rows.js';
import { resolveStoreOptions } from './store-limits.js';
import type { ResolvedLimits, StoreLimits } from './store-limits.js';
import type {
  Claim,
  Claimed,
  DeadLetter,
  EntryState,
  LeaseId,
  NotificationStore,
  Settlement,
  StoreStats,
  WaitingEntry,
} from './store.js';

/** The options of `postgresStore`. */
export interface PostgresStoreOptions extends StoreLimits {
  /** A `Pool` of `pg`. The store does not end it. */
  readonly pool: PostgresPool;
}

/**
 * Creates a store in PostgreSQL 11 or later, for processes on any number of machines: accepted notifications survive crashes,
 * leases are renewed, and what a handler writes happens once.
 *
 * It creates its tables, `seller_inbox_...`, at the first use. A statement waits for the disk where something must survive a
 * power cut. The limits are those of all processes together. The room of a user and topic is counted exactly; how much waits of
 * all users, each process looks up after it has added a hundredth of `maxWaiting`, and every ten seconds.
 *
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL }); // of `pg`
 * const receiver = createReceiver({
 *   store: postgresStore({ pool }),
 *   clientFor: (user_id) => (user_id === 7 ? seller : undefined),
 *   on: { questions: async (_, { read }) => answer(await read()) },
 * });
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function postgresStore(options: PostgresStoreOptions): NotificationStore {
  const { pool, ...limits } = resolveStoreOptions('postgresStore', options, { pool: withMethod('connect') });
  return new PostgresStore(pool, limits);
}

class PostgresStore implements NotificationStore {
  readonly durable = true;
  readonly shared = true;
  readonly ledger: Ledger;
  readonly #db: PostgresDatabase;
  readonly #limits: ResolvedLimits;
  readonly #dead: PostgresDeadLetters;
  readonly #rooms: PostgresRooms;
  readonly #arrivals: TopicArrivals;
  readonly #problems: string[] = [];
  #forgetsAt = 0;

  constructor(pool: PostgresPool, limits: ResolvedLimits) {
    this.#db = new PostgresDatabase(pool);
    this.#limits = limits;
    this.#dead = new PostgresDeadLetters(limits);
    this.#rooms = new PostgresRooms(this.#db, limits);
    this.ledger = new PostgresLedger(this.#db);
    this.#arrivals = new TopicArrivals(this.ledger);
  }

  onlyOpen(): void {
    this.#db.mustExist = true;
  }

  async add(entry: QueuedNotification): Promise<EntryState> {
    await this.#age();
    const state = await this.#rooms.add(entry, JSON.stringify(entry));
    if (state === 'added') void this.#arrivals.note(entry.notification.topic);
    return state;
  }

  async #age(isForced?: boolean): Promise<void> {
    this.#problems.push(...(await this.#rooms.age(isForced)));
  }

  async claim(claim: Claim): Promise<Claimed> {
    await this.#age();
    return claimed(this.#db, claim, this.#problems.splice(0));
  }

  async renew(leases: readonly LeaseId[], leaseMs: number): Promise<string[]> {
    const extend = `WITH held AS (SELECT * FROM unnest($1::text[], $2::text[]) AS held (group_id, token)),
      renewed AS (UPDATE seller_inbox_group AS renewed SET ready_at = ${nowMs} + $3, alone = false, turn = NULL
        FROM held WHERE renewed.group_id = held.group_id AND renewed.token = held.token
        RETURNING renewed.group_id, renewed.token)
      SELECT group_id FROM held EXCEPT ALL SELECT group_id FROM renewed`;
    const ids = leases.map(({ groupId }) => groupId);
    const tokens = leases.map(({ token }) => token);
    const lost = await this.#db.run(extend, ids, tokens, leaseMs);
    return lost.map((row) => row.group_id);
  }

  async note({ groupId, token }: LeaseId, writes: readonly WriteRecord[]): Promise<boolean> {
    const note = 'SELECT seller_inbox_note($1, $2, $3) AS done';
    return (await this.#db.run(note, groupId, token, JSON.stringify(writes)))[0]?.done === true;
  }

  async settle(settlement: Settlement): Promise<boolean> {
    const settle = 'SELECT seller_inbox_settle($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS done';
    const [row] = await this.#db.run(settle, ...valuesOf(settlement));
    if (settlement.deadLetter) this.#problems.push(...(await this.#dead.trim(this.#db.run)));
    if (settlement.confirmed === false) this.#problems.push(...(await this.#rooms.evict()));
    await this.#forgetExpired();
    return row?.done === true;
  }

  /** Deletes some of the keys that are no longer needed to recognize duplicates. */
  async #forgetExpired(): Promise<void> {
    if (performance.now() < this.#forgetsAt) return;
    this.#forgetsAt = performance.now() + 1_000;
    for (const table of ['seller_inbox_processed', 'seller_inbox_ledger']) {
      const expired = `SELECT key FROM ${table} WHERE until <= ${nowMs} LIMIT 1000 FOR UPDATE SKIP LOCKED`;
      await this.#db.run(`DELETE FROM ${table} WHERE key IN (${expired})`);
    }
  }

  deadLetters(limit: number, after = 0): Promise<DeadLetter[]> {
    return this.#dead.list(this.#db.run, limit, after);
  }

  redrive(key: string, forgetsUnknown = false): Promise<boolean> {
    return this.#db.write(async (run) => {
      const row = await this.#dead.take(run, key);
      if (!row) return false;
      const unlimited = [Infinity, Infinity, Infinity, Infinity];
      await addTo(run, JSON.parse(row.entry) as QueuedNotification, row.entry, this.#limits.maxAgeMs, unlimited);
      const writes = writesOf(row) ?? [];
      const kept = forgetsUnknown ? withoutUnknown(writes) : writes;
      const keep = "UPDATE seller_inbox_waiting SET writes = nullif($1, '[]') WHERE key = $2";
      await run(keep, JSON.stringify(kept), key);
      return true;
    });
  }

  async removeDeadLetter(key: string): Promise<boolean> {
    return (await this.#dead.take(this.#db.run, key)) !== undefined;
  }

  waiting(limit: number, after = 0): Promise<WaitingEntry[]> {
    return this.#db.write((run) => waitingOf(run, limit, after));
  }

  retryNow(key: string): Promise<boolean> {
    return this.#db.write((run) => makeDueNow(run, key));
  }

  removeWaiting(key: string): Promise<boolean> {
    return this.#db.write((run) => removeWaiting(run, key));
  }

  async stats(): Promise<StoreStats> {
    await this.#age(true);
    const arrivals = await this.#arrivals.read();
    return this.#db.write((run) => statsOf(run, arrivals));
  }
}

/** What `seller_inbox_settle` takes. */
function valuesOf(settlement: Settlement): unknown[] {
  const { groupId, token, done, doneUntil, deduplicationMs, writes, deadLetter } = settlement;
  const { retryInMs, released, unstarted, lastFailure, confirmed } = settlement;
  const kept = [json(writes), deadLetter?.key, deadLetter && storable(deadLetter.failure)];
  const isCounted = retryInMs !== undefined && !unstarted;
  const counted = [isCounted ? Number(!released) : null, json(lastFailure), retryInMs ?? 0];
  return [groupId, token, done, doneUntil, deduplicationMs, ...kept, ...counted, confirmed].map(
    (value) => value ?? null,
  );
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
