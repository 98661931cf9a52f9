import { withMethod } from '../../core/options/rules.js';
import type { WriteRecord } from '../../core/recover/write-hook.js';
import { withoutUnknown } from '../../core/recover/write-records.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { Ledger } from '../../work/ledger.js';
import { PostgresDatabase } from './postgres-database.js';
import type { PostgresPool, PostgresRow, RunStatement } from './postgres-database.js';
import { PostgresDeadLetters, storable } from './postgres-dead-letters.js';
import { deleteEmptyGroup, dueGroups, leaseGroups, lockGroup, makeDue, nextInMs, releaseGroup } from './postgres-groups.js'; // prettier-ignore
import { PostgresLedger } from './postgres-ledger.js';
import { nowMs } from './postgres-schema.js';
import { makeDueNow, removeWaiting, waitingOf } from './postgres-waiting.js';
import { writesOf } from '../../work/sqlite-rows.js';
import { fullError, resolveStoreOptions } from './store-limits.js';
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
 * power cut. The limits are those of all processes together; each looks how much waits after it has added a hundredth of
 * `maxWaiting`, and every ten seconds.
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

/** After a power cut, a lost lease or result has an entry handled again, so these do not wait for the disk. */
const atOnce = { isDurable: false };
/** How long a process believes its count of what waits, in milliseconds. */
const countedMs = 10_000;

class PostgresStore implements NotificationStore {
  readonly durable = true;
  readonly shared = true;
  readonly ledger: Ledger;
  readonly #db: PostgresDatabase;
  readonly #limits: ResolvedLimits;
  readonly #dead: PostgresDeadLetters;
  readonly #problems: string[] = [];
  #waiting = { entries: 0, bytes: 0, added: Infinity, at: 0 };
  #forgetsAt = 0;

  constructor(pool: PostgresPool, limits: ResolvedLimits) {
    this.#db = new PostgresDatabase(pool);
    this.#limits = limits;
    this.#dead = new PostgresDeadLetters(limits);
    this.ledger = new PostgresLedger(this.#db);
  }

  onlyOpen(): void {
    this.#db.mustExist = true;
  }

  add(entry: QueuedNotification): Promise<EntryState> {
    return this.#db.write(async (run) => this.#add(run, entry));
  }

  async #add(run: RunStatement, entry: QueuedNotification): Promise<EntryState> {
    const known = `SELECT 'waiting' AS state FROM seller_inbox_waiting WHERE key = $1
      UNION ALL SELECT 'processed' FROM seller_inbox_processed WHERE key = $1 AND until > ${nowMs}
      UNION ALL SELECT 'processed' FROM seller_inbox_dead WHERE key = $1`;
    await lockGroup(run, entry);
    const [found] = await run(known, entry.key);
    if (found) await deleteEmptyGroup(run, entry.groupId);
    if (found) return found.state;
    const text = JSON.stringify(entry);
    await this.#takeRoom(run, text.length);
    await insertWaiting(run, entry, text);
    return 'added';
  }

  /** @throws {StoreFullError} when there is no room. */
  async #takeRoom(run: RunStatement, bytes: number): Promise<void> {
    const isOld = performance.now() - this.#waiting.at > countedMs;
    if (isOld || this.#waiting.added >= this.#limits.maxWaiting / 100) await this.#count(run);
    const full = fullError(this.#limits, this.#waiting, bytes);
    if (full) await this.#count(run);
    const stillFull = full && fullError(this.#limits, this.#waiting, bytes);
    if (stillFull) throw stillFull;
    this.#waiting.entries += 1;
    this.#waiting.bytes += bytes;
    this.#waiting.added += 1;
  }

  async #count(run: RunStatement): Promise<void> {
    const count = `SELECT count(*)::float8 AS entries, coalesce(sum(octet_length(entry)), 0)::float8 AS bytes
      FROM seller_inbox_waiting`;
    const [{ entries, bytes } = { entries: 0, bytes: 0 }] = await run(count);
    this.#waiting = { entries, bytes, added: 0, at: performance.now() };
  }

  claim(claim: Claim): Promise<Claimed> {
    return this.#db.write(async (run) => {
      await makeDue(run, claim);
      const groups = await dueGroups(run, claim);
      const problems = this.#problems.splice(0);
      const leases = groups.length > 0 ? await leaseGroups(run, groups, claim, problems) : [];
      const next = await nextInMs(run, claim);
      return { leases, ...(next !== undefined && { nextInMs: next }), ...(problems.length > 0 && { problems }) };
    }, atOnce);
  }

  async renew(leases: readonly LeaseId[], leaseMs: number): Promise<string[]> {
    const extend = `WITH held AS (SELECT * FROM unnest($1::text[], $2::text[]) AS held (group_id, token)),
      renewed AS (UPDATE seller_inbox_group AS renewed SET ready_at = ${nowMs} + $3, alone = false, turn = NULL
        FROM held WHERE renewed.group_id = held.group_id AND renewed.token = held.token
        RETURNING renewed.group_id, renewed.token)
      SELECT group_id FROM held EXCEPT ALL SELECT group_id FROM renewed`;
    const ids = leases.map(({ groupId }) => groupId);
    const tokens = leases.map(({ token }) => token);
    const lost = await this.#db.write((run) => run(extend, ids, tokens, leaseMs), atOnce);
    return lost.map((row) => row.group_id);
  }

  note(lease: LeaseId, writes: readonly WriteRecord[]): Promise<boolean> {
    return this.#db.write(async (run) => {
      const group = await leased(run, lease);
      if (group) await keepWrites(run, group.leased_key, writes);
      return group !== undefined;
    });
  }

  settle(settlement: Settlement): Promise<boolean> {
    return this.#db.write(async (run) => this.#settle(run, settlement), atOnce);
  }

  async #settle(run: RunStatement, settlement: Settlement): Promise<boolean> {
    const { groupId, retryInMs, lastFailure, writes, released, unstarted, deadLetter } = settlement;
    const group = await leased(run, settlement);
    if (!group) return false;
    if (writes) await keepWrites(run, group.leased_key, writes);
    await remember(run, settlement);
    if (deadLetter) this.#problems.push(...(await this.#dead.add(run, deadLetter)));
    const count = `UPDATE seller_inbox_waiting SET stalls = 0, failures = failures + $1,
      last_failure = coalesce($2, last_failure) WHERE key = $3`;
    const failure = lastFailure ? JSON.stringify(lastFailure) : null;
    if (retryInMs !== undefined && !unstarted) await run(count, released ? 0 : 1, failure, group.leased_key);
    await releaseGroup(run, groupId, retryInMs ?? 0);
    await this.#forgetExpired(run);
    return true;
  }

  /** Deletes some of the keys that are no longer needed to recognize duplicates. */
  async #forgetExpired(run: RunStatement): Promise<void> {
    if (performance.now() < this.#forgetsAt) return;
    this.#forgetsAt = performance.now() + 1_000;
    for (const table of ['seller_inbox_processed', 'seller_inbox_ledger']) {
      const expired = `SELECT key FROM ${table} WHERE until <= ${nowMs} LIMIT 1000 FOR UPDATE SKIP LOCKED`;
      await run(`DELETE FROM ${table} WHERE key IN (${expired})`);
    }
  }

  deadLetters(limit: number, after = 0): Promise<DeadLetter[]> {
    return this.#db.write((run) => this.#dead.list(run, limit, after));
  }

  redrive(key: string, forgetsUnknown = false): Promise<boolean> {
    return this.#db.write(async (run) => {
      const row = await this.#dead.take(run, key);
      if (!row) return false;
      const entry = JSON.parse(row.entry) as QueuedNotification;
      await lockGroup(run, entry);
      await insertWaiting(run, entry, row.entry);
      const writes = writesOf(row) ?? [];
      await keepWrites(run, key, forgetsUnknown ? withoutUnknown(writes) : writes);
      return true;
    });
  }

  removeDeadLetter(key: string): Promise<boolean> {
    return this.#db.write(async (run) => (await this.#dead.take(run, key)) !== undefined);
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

  stats(): Promise<StoreStats> {
    return this.#db.write(statsOf);
  }
}

/** The group of a lease that nobody else has, locked until the end of the transaction. */
async function leased(run: RunStatement, { groupId, token }: LeaseId): Promise<PostgresRow | undefined> {
  const lock = 'SELECT leased_key FROM seller_inbox_group WHERE group_id = $1 AND token = $2 FOR UPDATE';
  return (await run(lock, groupId, token))[0];
}

async function keepWrites(run: RunStatement, key: string | null, writes: readonly WriteRecord[]): Promise<void> {
  const text = writes.length > 0 ? JSON.stringify(writes) : null;
  await run('UPDATE seller_inbox_waiting SET writes = $1 WHERE key = $2', text, key);
}

async function insertWaiting(run: RunStatement, entry: QueuedNotification, text: string): Promise<void> {
  const { key, groupId, sentAt, notification } = entry;
  const insert = `INSERT INTO seller_inbox_waiting (key, group_id, sent_at, topic, arrived_at, entry)
    VALUES ($1, $2, $3, $4, $5, $6)`;
  await run(insert, key, groupId, sentAt, storable(notification.topic), Date.now(), text);
}

/** Deletes what is handled, and remembers its keys. */
async function remember(run: RunStatement, { groupId, done, doneUntil, deduplicationMs }: Settlement): Promise<void> {
  if (done.length === 0 && doneUntil === undefined) return;
  const handled = `WITH deleted AS (DELETE FROM seller_inbox_waiting
      WHERE key = ANY($1) OR (group_id = $2 AND arrived_at < $3) RETURNING key)
    INSERT INTO seller_inbox_processed (key, until)
      SELECT key, ${nowMs} + $4 FROM (SELECT unnest($1::text[]) AS key UNION SELECT key FROM deleted) AS handled
    ON CONFLICT (key) DO UPDATE SET until = excluded.until`;
  await run(handled, done, groupId, doneUntil ?? 0, deduplicationMs);
}

async function statsOf(run: RunStatement): Promise<StoreStats> {
  const counts = `SELECT (SELECT count(*) FROM seller_inbox_waiting)::float8 AS entries,
    (SELECT count(*) FROM seller_inbox_group WHERE token IS NOT NULL)::float8 AS leased,
    (SELECT count(*) FROM seller_inbox_dead)::float8 AS dead,
    (SELECT arrived_at FROM seller_inbox_waiting ORDER BY number LIMIT 1) AS arrived_at`;
  const byTopic = `SELECT topic, count(*)::float8 AS entries, max(arrived_at) AS last_arrival
    FROM seller_inbox_waiting GROUP BY topic LIMIT 1000`;
  const [row] = await run(counts);
  const topics = await run(byTopic);
  const { entries = 0, leased: running = 0, dead = 0, arrived_at: arrivedAt } = row ?? {};
  return {
    waiting: entries - running,
    running,
    dead,
    ...(typeof arrivedAt === 'number' && { oldestAgeMs: Math.max(0, Date.now() - arrivedAt) }),
    topics: Object.fromEntries(
      topics.map(({ topic, entries: waiting, last_arrival: lastArrivalAt }) => [topic, { waiting, lastArrivalAt }]),
    ),
  };
}
