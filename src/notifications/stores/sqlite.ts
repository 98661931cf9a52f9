import { ConfigurationError } from '../../core/errors/errors.js';
import type { WriteRecord } from '../../core/recover/write-hook.js';
import { withoutUnknown } from '../../work/write-records.js';
import type { QueuedNotification } from '../queued-notification.js';
import { SqliteDatabase, inMemory } from '../../work/sqlite-database.js';
import type { Ledger } from '../../work/ledger.js';
import { SqliteDeadLetters } from './sqlite-dead-letters.js';
import { SqliteGroups } from './sqlite-groups.js';
import { SqliteRooms } from './sqlite-rooms.js';
import { SqliteLedger } from '../../work/sqlite-ledger.js';
import { writesOf } from '../../work/sqlite-rows.js';
import { countsOf, waitingOf } from './sqlite-entries.js';
import type { Row } from '../../work/sqlite-rows.js';
import type { StoreTransaction } from '../../work/sqlite-transaction.js';
import { StoreFullError, resolveStoreOptions } from './store-limits.js';
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

/** The options of `sqliteStore`. */
export interface SqliteStoreOptions extends StoreLimits {
  /** The database file, for the inbox alone. It is created if it does not exist. `':memory:'` is not durable. */
  readonly path: string;
}

/**
 * Creates a store in a SQLite file, for the processes of one machine: accepted notifications survive crashes and power cuts.
 *
 * Needs Node 22.13 or later; `node:sqlite` is loaded on first use. Do not use it on a network file system.
 *
 * @example
 * const receiver = createReceiver({
 *   store: sqliteStore({ path }),
 *   fallback: (notification) => console.log(notification.topic),
 * });
 */
export function sqliteStore(options: SqliteStoreOptions): NotificationStore {
  const { path, ...limits } = resolveStoreOptions('sqliteStore', options, { path: () => undefined });
  if (typeof path !== 'string' || path === '') throw new ConfigurationError('`path` must be the name of a file');
  return new SqliteStore(path, limits);
}

/** How many keys one transaction marks as handled. */
const keysAtATime = 1_000;

class SqliteStore implements NotificationStore {
  readonly durable: boolean;
  readonly #db: SqliteDatabase;
  readonly #limits: ResolvedLimits;
  readonly #groups: SqliteGroups;
  readonly #dead: SqliteDeadLetters;
  readonly #rooms: SqliteRooms;
  readonly #problems: string[] = [];
  readonly ledger: Ledger;

  constructor(path: string, limits: ResolvedLimits) {
    this.durable = path !== inMemory;
    this.#db = new SqliteDatabase(path, 'sqliteStore', 'inbox');
    this.#limits = limits;
    this.#groups = new SqliteGroups(this.#db);
    this.#dead = new SqliteDeadLetters(this.#db, limits);
    this.#rooms = new SqliteRooms(this.#db, limits);
    this.ledger = new SqliteLedger(this.#db);
  }

  onlyOpen(): void {
    this.#db.mustExist = this.durable;
  }

  /** Of the processes of a simulation, one runs at a time: the worker does not have to poll. */
  get shared(): boolean {
    return this.durable && !('isSimulated' in globalThis.setTimeout);
  }

  async add(entry: QueuedNotification): Promise<EntryState> {
    // Only a receiver adds and claims.
    this.#db.mustExist = false;
    const text = JSON.stringify(entry);
    const added = await this.#db.write((transaction) => this.#add(entry, text, transaction));
    if (added instanceof StoreFullError) throw added;
    return added;
  }

  /** A full store is a result, not an error: it does not undo the transaction. */
  #add(entry: QueuedNotification, text: string, transaction: StoreTransaction): EntryState | StoreFullError {
    const { key } = entry;
    const state = `SELECT 'waiting' AS state FROM notification_waiting WHERE key = ?
      UNION ALL SELECT 'processed' FROM notification_processed WHERE key = ? AND until > ?
      UNION ALL SELECT 'processed' FROM notification_dead WHERE key = ?`;
    const now = Date.now();
    const [known] = this.#db.all(state, key, key, now, key);
    if (known) return known.state;
    this.#problems.push(...this.#rooms.age(transaction));
    const full = this.#rooms.take(entry, Buffer.byteLength(text), transaction);
    if (full) return full;
    this.#insertWaiting(entry, text, transaction);
    this.#groups.insert(entry, transaction);
    return 'added';
  }

  #insertWaiting(
    { key, groupId, sentAt, notification, caughtUp }: QueuedNotification,
    text: string,
    { now }: StoreTransaction,
  ): void {
    const insert = `INSERT INTO notification_waiting (key, group_id, sent_at, user_id, topic, arrived_at, until, confirmed, entry)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const { user_id, topic } = notification;
    // The service itself has named what `catchUp` found.
    const until = Math.min(Math.ceil(now + this.#limits.maxAgeMs), Number.MAX_SAFE_INTEGER);
    this.#db.run(insert, key, groupId, sentAt, user_id, topic, Date.now(), until, caughtUp ? 1 : null, text);
  }

  claim(claim: Claim): Promise<Claimed> {
    this.#db.mustExist = false;
    return this.#write((transaction) => {
      // It begins with the worker, so that a stored lease shows who has it.
      const token = `${claim.workerId}:${crypto.randomUUID()}`;
      this.#problems.push(...this.#rooms.age(transaction));
      const problems = this.#problems.splice(0);
      this.#groups.makeDue(transaction, claim.routes);
      const groups = this.#groups.due(claim, transaction.now);
      const leases = groups.flatMap((group) => this.#groups.lease(group, claim, token, transaction.now, problems));
      transaction.serve(groups);
      const nextInMs = this.#groups.nextInMs(transaction.now, claim.routes);
      return { leases, ...(nextInMs !== undefined && { nextInMs }), ...(problems.length > 0 && { problems }) };
    });
  }

  /** After a power cut, a lost lease or result has an entry handled again, so only adding waits for the disk. */
  #write<R>(run: (transaction: StoreTransaction) => R): Promise<R> {
    return this.#db.write(run, { isDurable: false });
  }

  renew(leases: readonly LeaseId[], leaseMs: number): Promise<string[]> {
    const extend = `UPDATE notification_group SET ready_at = ?, alone = 0, turn = NULL
      WHERE group_id = ? AND token = ?`;
    return this.#write((transaction) => {
      const until = Math.ceil(transaction.now + leaseMs);
      transaction.keepTime();
      const lost = leases.filter(({ groupId, token }) => this.#db.run(extend, until, groupId, token) === 0);
      return lost.map(({ groupId }) => groupId);
    });
  }

  /** Many keys are stored in several transactions, so that the event loop is not blocked. The last one ends the lease. */
  async settle(settlement: Settlement): Promise<boolean> {
    let { done } = settlement;
    for (; done.length > keysAtATime; done = done.slice(keysAtATime)) {
      const some = done.slice(0, keysAtATime);
      const isLeased = await this.#write(() => {
        if (!this.#leased(settlement)) return false;
        for (const key of some) this.#remember(key, Date.now() + settlement.deduplicationMs);
        return true;
      });
      if (!isLeased) return false;
    }
    return this.#write((transaction) => this.#settle({ ...settlement, done }, transaction));
  }

  note(lease: LeaseId, writes: readonly WriteRecord[]): Promise<boolean> {
    return this.#db.write(() => {
      const group = this.#leased(lease);
      if (group) this.#keepWrites(group.leased_key, writes);
      return group !== undefined;
    });
  }

  #keepWrites(key: string | null, writes: readonly WriteRecord[]): void {
    const update = 'UPDATE notification_waiting SET writes = ? WHERE key = ?';
    this.#db.run(update, writes.length > 0 ? JSON.stringify(writes) : null, key);
  }

  #leased({ groupId, token }: LeaseId): Row | undefined {
    const leased = 'SELECT leased_key, user_id FROM notification_group WHERE group_id = ? AND token = ?';
    return this.#db.all(leased, groupId, token)[0];
  }

  #settle(settlement: Settlement, transaction: StoreTransaction): boolean {
    const {
      groupId,
      done,
      doneUntil,
      retryInMs,
      lastFailure,
      writes,
      released,
      unstarted,
      deadLetter,
      deduplicationMs,
      confirmed,
    } = settlement;
    const group = this.#leased(settlement);
    if (!group) return false;
    if (writes) this.#keepWrites(group.leased_key, writes);
    if (confirmed !== undefined) this.#rooms.confirm(group.leased_key, confirmed, transaction);
    const until = Date.now() + deduplicationMs;
    for (const key of done) this.#remember(key, until);
    if (doneUntil !== undefined) this.#doneUntil(groupId, doneUntil, until);
    if (deadLetter) this.#problems.push(...this.#dead.add(deadLetter));
    const count = `UPDATE notification_waiting SET stalls = 0, failures = failures + ?,
      last_failure = coalesce(?, last_failure) WHERE key = ?`;
    const failure = lastFailure ? JSON.stringify(lastFailure) : null;
    if (retryInMs !== undefined && !unstarted) this.#db.run(count, released ? 0 : 1, failure, group.leased_key);
    this.#groups.release(groupId, group.user_id, transaction, retryInMs ?? 0);
    if (confirmed === false) this.#problems.push(...this.#rooms.evict());
    transaction.forgetExpired();
    return true;
  }

  #doneUntil(groupId: string, arrivedAt: number, until: number): void {
    const earlier = 'SELECT key FROM notification_waiting WHERE group_id = ? AND arrived_at < ?';
    for (const { key } of this.#db.all(earlier, groupId, arrivedAt)) this.#remember(key, until);
  }

  #remember(key: string, until: number): void {
    this.#db.run('DELETE FROM notification_waiting WHERE key = ?', key);
    this.#db.run('INSERT OR REPLACE INTO notification_processed (key, until) VALUES (?, ?)', key, until);
  }

  deadLetters(limit: number, after = 0): Promise<DeadLetter[]> {
    return this.#write(() => this.#dead.list(limit, after));
  }

  hasDeadLetter(key: string): Promise<boolean> {
    return this.#write(() => this.#dead.has(key));
  }

  redrive(key: string, forgetsUnknown = false): Promise<boolean> {
    return this.#db.write((transaction) => {
      const row = this.#dead.take(key);
      if (!row) return false;
      const entry = JSON.parse(row.entry) as QueuedNotification;
      this.#insertWaiting(entry, row.entry, transaction);
      this.#groups.insert(entry, transaction);
      const writes = writesOf(row) ?? [];
      this.#keepWrites(key, forgetsUnknown ? withoutUnknown(writes) : writes);
      return true;
    });
  }

  removeDeadLetter(key: string): Promise<boolean> {
    return this.#db.write(() => this.#dead.take(key) !== undefined);
  }

  waiting(limit: number, after = 0): Promise<WaitingEntry[]> {
    return this.#write(({ now }) => waitingOf(this.#db, { limit, after, now }));
  }

  retryNow(key: string): Promise<boolean> {
    return this.#write((transaction) => {
      const free = `SELECT group_id, user_id, turn FROM notification_group
        WHERE group_id = (SELECT group_id FROM notification_waiting WHERE key = ?) AND token IS NULL`;
      const [group] = this.#db.all(free, key);
      if (group?.turn === null) this.#groups.release(group.group_id, group.user_id, transaction, 0);
      return group !== undefined;
    });
  }

  removeWaiting(key: string): Promise<boolean> {
    return this.#db.write(() => {
      const isFree = `DELETE FROM notification_waiting WHERE key = ?1
        AND NOT EXISTS (SELECT 1 FROM notification_group WHERE leased_key = ?1 AND token IS NOT NULL
          AND group_id = notification_waiting.group_id) RETURNING group_id`;
      const [row] = this.#db.all(isFree, key);
      if (row) this.#groups.removeEmpty(row.group_id);
      return row !== undefined;
    });
  }

  stats(): Promise<StoreStats> {
    return this.#write((transaction) => {
      this.#problems.push(...this.#rooms.age(transaction, true));
      return countsOf(this.#db);
    });
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}
