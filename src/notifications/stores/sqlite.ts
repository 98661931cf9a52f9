import { ConfigurationError } from '../../core/errors/errors.js';
import type { QueuedNotification } from '../queued-notification.js';
import { routeOf, routes } from '../queued-notification.js';
import { SqliteDatabase, inMemory } from './sqlite-database.js';
import type { Row } from './sqlite-database.js';
import { SqliteDeadLetters } from './sqlite-dead-letters.js';
import { entryOf, statsOf } from './sqlite-rows.js';
import { InboxTransaction } from './sqlite-transaction.js';
import { StoreFullError, assertNames, newToken, resolveLimits } from './store.js';
import type {
  Claim,
  Claimed,
  DeadLetter,
  EntryState,
  Lease,
  LeaseId,
  NotificationStore,
  Settlement,
  StoreLimits,
  StoreStats,
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
  assertNames('sqliteStore', options, ['path']);
  const { path, ...limits } = options;
  if (typeof path !== 'string' || path === '') throw new ConfigurationError('`path` must be the name of a file');
  return new SqliteStore(path, limits);
}

/** How many keys one transaction marks as handled. */
const keysAtATime = 1_000;

class SqliteStore implements NotificationStore {
  readonly durable: boolean;
  readonly shared: boolean;
  readonly #db: SqliteDatabase<InboxTransaction>;
  readonly #limits: ReturnType<typeof resolveLimits>;
  readonly #dead: SqliteDeadLetters;
  #problems: string[] = [];

  constructor(path: string, limits: StoreLimits) {
    this.durable = this.shared = path !== inMemory;
    const known = { now: Infinity, at: 0 };
    this.#db = new SqliteDatabase(path, (db) => new InboxTransaction(db, known));
    this.#limits = resolveLimits(limits);
    this.#dead = new SqliteDeadLetters(this.#db, this.#limits);
  }

  async add(entry: QueuedNotification): Promise<EntryState> {
    const text = JSON.stringify(entry);
    const added = await this.#db.write((transaction) => this.#add(entry, text, transaction));
    if (added instanceof StoreFullError) throw added;
    return added;
  }

  /** A full store is a result, not an error: it does not undo the transaction. */
  #add(entry: QueuedNotification, text: string, transaction: InboxTransaction): EntryState | StoreFullError {
    const { key, groupId, sentAt } = entry;
    const state = `SELECT 'waiting' AS state FROM notification_waiting WHERE key = ?
      UNION ALL SELECT 'processed' FROM notification_processed WHERE key = ? AND until > ?
      UNION ALL SELECT 'processed' FROM notification_dead WHERE key = ?
      UNION ALL SELECT 'processed' FROM notification_done_until WHERE group_id = ? AND sent_at >= ? AND until > ?`;
    const now = Date.now();
    const [known] = this.#db.all(state, key, key, now, key, groupId, sentAt, now);
    if (known) return known.state;
    const full = this.#takeRoom(Buffer.byteLength(text), transaction);
    if (full) return full;
    this.#insertWaiting(entry, text);
    this.#insertGroup(entry, transaction);
    return 'added';
  }

  #takeRoom(newBytes: number, transaction: InboxTransaction): StoreFullError | undefined {
    const total = transaction.waiting();
    const { maxWaiting, maxWaitingBytes } = this.#limits;
    if (total.entries >= maxWaiting) {
      return new StoreFullError(`${maxWaiting} notifications are waiting (\`maxWaiting\`)`);
    }
    if (total.bytes + newBytes > maxWaitingBytes) {
      return new StoreFullError(`The waiting notifications have ${maxWaitingBytes} bytes (\`maxWaitingBytes\`)`);
    }
    total.entries += 1;
    total.bytes += newBytes;
    return undefined;
  }

  #insertWaiting({ key, groupId, sentAt, notification }: QueuedNotification, text: string): void {
    const insert = `INSERT INTO notification_waiting (key, group_id, sent_at, topic, arrived_at, entry)
      VALUES (?, ?, ?, ?, ?, ?)`;
    this.#db.run(insert, key, groupId, sentAt, notification.topic, Date.now(), text);
  }

  #insertGroup({ groupId, notification }: QueuedNotification, transaction: InboxTransaction): void {
    const insert = `INSERT OR IGNORE INTO notification_group (group_id, route, user_id, turn, ready_at)
      VALUES (?, ?, ?, ?, 0)`;
    const { user_id } = notification;
    this.#db.run(insert, groupId, routeOf(notification), user_id, transaction.nextTurn(user_id));
  }

  claim(claim: Claim): Promise<Claimed> {
    return this.#write((transaction) => {
      const token = newToken(claim.workerId);
      const problems = this.#problems.splice(0);
      this.#makeDue(transaction, claim.routes);
      const groups = this.#dueGroups(claim, transaction.now);
      const leases = groups.flatMap((group) => this.#lease(group, claim, token, transaction.now, problems));
      transaction.serve(groups);
      const nextInMs = this.#nextInMs(transaction.now, claim.routes);
      return { leases, ...(nextInMs !== undefined && { nextInMs }), ...(problems.length > 0 && { problems }) };
    });
  }

  /** After a power cut, a lost lease or result has an entry handled again, so only adding waits for the disk. */
  #write<R>(run: (transaction: InboxTransaction) => R): Promise<R> {
    return this.#db.write(run, { isDurable: false });
  }

  /** Gives a turn to the groups whose lease or delay has ended. */
  #makeDue(transaction: InboxTransaction, of: readonly string[] = routes): void {
    const ended = `SELECT group_id, user_id FROM notification_group
      WHERE route = ? AND turn IS NULL AND ready_at <= ? LIMIT 1000`;
    for (const { group_id, user_id } of of.flatMap((route) => this.#db.all(ended, route, transaction.now))) {
      const turn = transaction.nextTurn(user_id);
      this.#db.run('UPDATE notification_group SET turn = ? WHERE group_id = ?', turn, group_id);
    }
  }

  #dueGroups({ groupId, limit, routes: of = routes }: Claim, now: number): Row[] {
    const select = 'SELECT group_id, turn, token, leased_key FROM notification_group WHERE';
    if (groupId !== undefined) {
      const isFree = '(token IS NULL OR turn IS NOT NULL OR ready_at <= ?)';
      return this.#db.all(`${select} group_id = ? AND ${isFree}`, groupId, now);
    }
    const due = `${select} route = ? AND turn IS NOT NULL ORDER BY turn LIMIT ?`;
    const groups = of.flatMap((route) => this.#db.all(due, route, limit));
    return groups.sort((a, b) => Number(a.turn) - Number(b.turn)).slice(0, limit);
  }

  #nextInMs(now: number, of: readonly string[] = routes): number | undefined {
    const due = 'SELECT turn FROM notification_group WHERE route = ? AND turn IS NOT NULL LIMIT 1';
    if (of.some((route) => this.#db.all(due, route).length > 0)) return 0;
    const later = 'SELECT min(ready_at) AS ready_at FROM notification_group WHERE route = ? AND turn IS NULL';
    const times = of.flatMap((route) => this.#db.all(later, route)[0]?.ready_at ?? []);
    return times.length > 0 ? Math.max(0, Math.min(...times) - now) : undefined;
  }

  #lease(group: Row, { leaseMs, coalesce }: Claim, token: string, now: number, problems: string[]): Lease[] {
    const groupId = group.group_id;
    if (group.token !== null) {
      this.#db.run('UPDATE notification_waiting SET stalls = stalls + 1 WHERE key = ?', group.leased_key);
    }
    const found = this.#nextOf(groupId, coalesce, now, problems);
    if (!found) {
      this.#db.run('DELETE FROM notification_group WHERE group_id = ?', groupId);
      return [];
    }
    const { row, entry } = found;
    const update = `UPDATE notification_group SET token = ?, leased_key = ?, ready_at = ?, turn = NULL
      WHERE group_id = ?`;
    this.#db.run(update, token, row.key, Math.ceil(now + leaseMs), groupId);
    const others = 'SELECT key FROM notification_waiting WHERE group_id = ? AND key <> ? ORDER BY sent_at, number';
    const coalescedKeys = coalesce ? this.#db.all(others, groupId, row.key).map(({ key }) => key) : [];
    const attempt = row.failures + row.stalls + 1;
    return [{ groupId, token, entry, attempt, stalledCount: row.stalls, coalescedKeys }];
  }

  /** The entry to handle next. A row that cannot be read is set aside, so that it does not stop its group. */
  #nextOf(
    groupId: string,
    coalesce: boolean,
    now: number,
    problems: string[],
  ): { row: Row; entry: QueuedNotification } | undefined {
    const order = coalesce ? 'sent_at DESC, number DESC' : 'sent_at, number';
    const select = `SELECT key, entry, failures, stalls FROM notification_waiting WHERE group_id = ? ORDER BY ${order} LIMIT 1`;
    for (;;) {
      const [row] = this.#db.all(select, groupId);
      if (!row) return undefined;
      const entry = entryOf(row);
      if (entry) return { row, entry };
      const copy = `INSERT INTO notification_damaged (key, group_id, entry, found_at)
        SELECT key, group_id, entry, ? FROM notification_waiting WHERE key = ?`;
      this.#db.run(copy, now, row.key);
      this.#db.run('DELETE FROM notification_waiting WHERE key = ?', row.key);
      problems.push(`The notification ${row.key} is damaged; it is in the table notification_damaged`);
    }
  }

  renew(leases: readonly LeaseId[], leaseMs: number): Promise<string[]> {
    const extend = `UPDATE notification_group SET ready_at = ?, turn = NULL
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
    const { done, deduplicationMs } = settlement;
    for (let from = 0; from < done.length - keysAtATime; from += keysAtATime) {
      const some = done.slice(from, from + keysAtATime);
      const isLeased = await this.#write(() => {
        if (!this.#leased(settlement)) return false;
        for (const key of some) this.#remember(key, Date.now() + deduplicationMs);
        return true;
      });
      if (!isLeased) return false;
    }
    const rest = done.length > 0 ? done.slice(-(((done.length - 1) % keysAtATime) + 1)) : done;
    return this.#write((transaction) => this.#settle({ ...settlement, done: rest }, transaction));
  }

  #leased({ groupId, token }: LeaseId): Row | undefined {
    const leased = 'SELECT leased_key, user_id FROM notification_group WHERE group_id = ? AND token = ?';
    return this.#db.all(leased, groupId, token)[0];
  }

  #settle(settlement: Settlement, transaction: InboxTransaction): boolean {
    const { groupId, done, doneUntil, retryInMs, released, unstarted, deadLetter, deduplicationMs } = settlement;
    const group = this.#leased(settlement);
    if (!group) return false;
    const until = Date.now() + deduplicationMs;
    for (const key of done) this.#remember(key, until);
    if (doneUntil !== undefined) this.#doneUntil(groupId, doneUntil, until);
    if (deadLetter) this.#problems.push(...this.#dead.add(deadLetter));
    const count = `UPDATE notification_waiting SET stalls = 0, failures = failures + ? WHERE key = ?`;
    if (retryInMs !== undefined && !unstarted) this.#db.run(count, released ? 0 : 1, group.leased_key);
    this.#release(groupId, group.user_id, transaction, retryInMs ?? 0);
    transaction.forgetExpired();
    return true;
  }

  #doneUntil(groupId: string, sentAt: number, until: number): void {
    const earlier = 'SELECT key FROM notification_waiting WHERE group_id = ? AND sent_at <= ?';
    for (const { key } of this.#db.all(earlier, groupId, sentAt)) this.#remember(key, until);
    const insert = 'INSERT OR REPLACE INTO notification_done_until (group_id, sent_at, until) VALUES (?, ?, ?)';
    this.#db.run(insert, groupId, sentAt, until);
  }

  #release(groupId: string, userId: number | null, transaction: InboxTransaction, delayMs: number): void {
    if (this.#db.all('SELECT 1 FROM notification_waiting WHERE group_id = ? LIMIT 1', groupId).length > 0) {
      const release = `UPDATE notification_group SET token = NULL, leased_key = NULL, ready_at = ?, turn = ?
        WHERE group_id = ?`;
      const turn = delayMs > 0 ? null : transaction.nextTurn(userId);
      this.#db.run(release, Math.ceil(transaction.now + delayMs), turn, groupId);
    } else this.#db.run('DELETE FROM notification_group WHERE group_id = ?', groupId);
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

  redrive(key: string): Promise<boolean> {
    return this.#db.write((transaction) => {
      const row = this.#dead.take(key);
      if (!row) return false;
      const entry = JSON.parse(row.entry) as QueuedNotification;
      this.#insertWaiting(entry, row.entry);
      this.#insertGroup(entry, transaction);
      return true;
    });
  }

  removeDeadLetter(key: string): Promise<boolean> {
    return this.#db.write(() => this.#dead.take(key) !== undefined);
  }

  stats(): Promise<StoreStats> {
    return this.#write((transaction) => statsOf(this.#db, transaction.waiting().entries));
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}
