import { ConfigurationError } from '../../core/errors/errors.js';
import type { QueuedNotification } from '../queued-notification.js';
import { SqliteDatabase } from './sqlite-database.js';
import type { Row } from './sqlite-database.js';
import { StoreFullError, newToken, resolveLimits } from './store.js';
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
} from './store.js';

/** The options of `sqliteStore`. */
export interface SqliteStoreOptions extends StoreLimits {
  /** The database file, for the inbox alone. It is created if it does not exist. */
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
export function sqliteStore({ path, ...limits }: SqliteStoreOptions): NotificationStore {
  if (typeof path !== 'string' || path === '') throw new ConfigurationError('`path` must be the name of a file');
  return new SqliteStore(path, limits);
}

/** How exactly the latest time is stored, in milliseconds. */
const clockPrecisionMs = 500;

class SqliteStore implements NotificationStore {
  readonly durable = true;
  readonly shared = true;
  readonly #db: SqliteDatabase;
  readonly #limits: ReturnType<typeof resolveLimits>;

  constructor(path: string, limits: StoreLimits) {
    this.#db = new SqliteDatabase(path);
    this.#limits = resolveLimits(limits);
  }

  #all(...statement: Parameters<SqliteDatabase['all']>): Row[] {
    return this.#db.all(...statement);
  }

  /** The time in milliseconds. It continues where it was when the clock of the machine is set back. */
  #now(): number {
    const [{ latest, offset }] = this.#all('SELECT latest, offset FROM notification_clock') as [Row];
    const now = Date.now() + offset;
    if (now < latest) this.#all('UPDATE notification_clock SET offset = ?', offset + latest - now);
    return Math.max(now, latest);
  }

  /** Stores the time along with another write, so that a clock that is set back is noticed. */
  #keepTime(now: number): void {
    this.#all('UPDATE notification_clock SET latest = ? WHERE latest < ?', now, now - clockPrecisionMs);
  }

  add(entry: QueuedNotification): Promise<EntryState> {
    const text = JSON.stringify(entry);
    return this.#db.write(() => {
      if (this.#all('SELECT key FROM notification_waiting WHERE key = ?', entry.key).length > 0) return 'waiting';
      const processed = `SELECT key FROM notification_processed WHERE key = ? AND until > ?
        UNION ALL SELECT key FROM notification_dead WHERE key = ?`;
      if (this.#all(processed, entry.key, this.#now(), entry.key).length > 0) return 'processed';
      this.#assertRoomFor(Buffer.byteLength(text));
      this.#insert(entry, text);
      return 'added';
    });
  }

  #assertRoomFor(newBytes: number): void {
    const [total] = this.#all("SELECT entries, bytes FROM notification_total WHERE name = 'waiting'");
    const { maxWaiting, maxWaitingBytes } = this.#limits;
    if (total && total.entries >= maxWaiting) {
      throw new StoreFullError(`${maxWaiting} notifications are waiting (\`maxWaiting\`)`);
    }
    if (total && total.bytes + newBytes > maxWaitingBytes) {
      throw new StoreFullError(`The waiting notifications have ${maxWaitingBytes} bytes (\`maxWaitingBytes\`)`);
    }
  }

  #insert({ key, groupId, sentAt, notification }: QueuedNotification, text: string): void {
    const now = this.#now();
    const waiting = 'INSERT INTO notification_waiting (key, group_id, sent_at, entry) VALUES (?, ?, ?, ?)';
    this.#all(waiting, key, groupId, sentAt, text);
    const group = 'INSERT OR IGNORE INTO notification_group (group_id, user_id, turn, ready_at) VALUES (?, ?, ?, 0)';
    this.#all(group, groupId, notification.user_id, this.#nextTurn(notification.user_id));
    this.#keepTime(now);
  }

  /** Users take turns: a user with many groups does not delay the groups of others. */
  #nextTurn(userId: number | null): number {
    const next = `SELECT max((SELECT served FROM notification_clock),
      coalesce((SELECT max(turn) FROM notification_group WHERE user_id = ?), 0)) + 1 AS turn`;
    return this.#all(next, userId)[0]?.turn ?? 1;
  }

  claim(claim: Claim): Promise<Claimed> {
    return this.#db.write(() => {
      const now = this.#now();
      const token = newToken(claim.workerId);
      const problems: string[] = [];
      this.#makeDue(now);
      const groups = this.#dueGroups(claim, now);
      const leases = groups.flatMap((group) => this.#lease(group, claim, token, now, problems));
      const served = Math.max(0, ...groups.map(({ turn }) => turn ?? 0));
      if (served > 0) this.#all('UPDATE notification_clock SET served = ? WHERE served < ?', served, served);
      const nextInMs = this.#nextInMs(now);
      return { leases, ...(nextInMs !== undefined && { nextInMs }), ...(problems.length > 0 && { problems }) };
    });
  }

  /** Gives a turn to the groups whose lease or delay has ended. */
  #makeDue(now: number): void {
    const ended = 'SELECT group_id, user_id FROM notification_group WHERE turn IS NULL AND ready_at <= ? LIMIT 1000';
    for (const { group_id, user_id } of this.#all(ended, now)) {
      this.#all('UPDATE notification_group SET turn = ? WHERE group_id = ?', this.#nextTurn(user_id), group_id);
    }
  }

  #dueGroups({ groupId, limit }: Claim, now: number): Row[] {
    const select = 'SELECT group_id, turn, token, leased_key FROM notification_group WHERE';
    if (groupId !== undefined) {
      const isFree = '(token IS NULL OR turn IS NOT NULL OR ready_at <= ?)';
      return this.#all(`${select} group_id = ? AND ${isFree}`, groupId, now);
    }
    return this.#all(`${select} turn IS NOT NULL ORDER BY turn LIMIT ?`, limit);
  }

  #nextInMs(now: number): number | undefined {
    if (this.#all('SELECT turn FROM notification_group WHERE turn IS NOT NULL LIMIT 1').length > 0) return 0;
    const [next] = this.#all('SELECT min(ready_at) AS ready_at FROM notification_group WHERE turn IS NULL');
    return typeof next?.ready_at === 'number' ? Math.max(0, next.ready_at - now) : undefined;
  }

  #lease(group: Row, { leaseMs, coalesce }: Claim, token: string, now: number, problems: string[]): Lease[] {
    const groupId = group.group_id;
    if (group.token !== null) {
      this.#all('UPDATE notification_waiting SET stalls = stalls + 1 WHERE key = ?', group.leased_key);
    }
    const found = this.#nextOf(groupId, coalesce, now, problems);
    if (!found) {
      this.#all('DELETE FROM notification_group WHERE group_id = ?', groupId);
      return [];
    }
    const { row, entry } = found;
    const update = `UPDATE notification_group SET token = ?, leased_key = ?, ready_at = ?, turn = NULL
      WHERE group_id = ?`;
    this.#all(update, token, row.key, Math.ceil(now + leaseMs), groupId);
    const others = 'SELECT key FROM notification_waiting WHERE group_id = ? AND key <> ? ORDER BY sent_at, number';
    const coalescedKeys = coalesce ? this.#all(others, groupId, row.key).map(({ key }) => key) : [];
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
      const [row] = this.#all(select, groupId);
      if (!row) return undefined;
      const entry = entryOf(row);
      if (entry) return { row, entry };
      const copy = `INSERT INTO notification_damaged (key, group_id, entry, found_at)
        SELECT key, group_id, entry, ? FROM notification_waiting WHERE key = ?`;
      this.#all(copy, now, row.key);
      this.#all('DELETE FROM notification_waiting WHERE key = ?', row.key);
      problems.push(`The notification ${row.key} is damaged; it is in the table notification_damaged`);
    }
  }

  renew(leases: readonly LeaseId[], leaseMs: number): Promise<string[]> {
    const extend = `UPDATE notification_group SET ready_at = ?, turn = NULL
      WHERE group_id = ? AND token = ? RETURNING group_id`;
    return this.#db.write(() => {
      const until = Math.ceil(this.#now() + leaseMs);
      const lost = leases.filter(({ groupId, token }) => this.#all(extend, until, groupId, token).length === 0);
      return lost.map(({ groupId }) => groupId);
    });
  }

  settle({ groupId, token, done, retryInMs, released, deadLetter, deduplicationMs }: Settlement): Promise<boolean> {
    return this.#db.write(() => {
      const leased = 'SELECT leased_key, user_id FROM notification_group WHERE group_id = ? AND token = ?';
      const [group] = this.#all(leased, groupId, token);
      if (!group) return false;
      const now = this.#now();
      this.#keepTime(now);
      if (retryInMs !== undefined && !released) {
        this.#all('UPDATE notification_waiting SET failures = failures + 1 WHERE key = ?', group.leased_key);
      }
      for (const key of done) this.#remember(key, now + deduplicationMs);
      if (deadLetter) this.#deadLetter(deadLetter);
      this.#release(groupId, group.user_id, now, retryInMs ?? 0);
      const expired = 'SELECT key FROM notification_processed WHERE until <= ? LIMIT 100';
      this.#all(`DELETE FROM notification_processed WHERE key IN (${expired})`, now);
      return true;
    });
  }

  #release(groupId: string, userId: number | null, now: number, delayMs: number): void {
    const isWaiting = this.#all('SELECT key FROM notification_waiting WHERE group_id = ? LIMIT 1', groupId).length > 0;
    if (isWaiting) {
      const release = `UPDATE notification_group SET token = NULL, leased_key = NULL, ready_at = ?, turn = ?
        WHERE group_id = ?`;
      this.#all(release, Math.ceil(now + delayMs), delayMs > 0 ? null : this.#nextTurn(userId), groupId);
    } else this.#all('DELETE FROM notification_group WHERE group_id = ?', groupId);
  }

  #remember(key: string, until: number): void {
    this.#all('DELETE FROM notification_waiting WHERE key = ?', key);
    this.#all('INSERT OR REPLACE INTO notification_processed (key, until) VALUES (?, ?)', key, until);
  }

  #deadLetter({ key, failure }: { readonly key: string; readonly failure: string }): void {
    const copy = `INSERT INTO notification_dead (key, entry, attempts, failure, dead_lettered_at)
      SELECT key, entry, failures + stalls + 1, ?, ? FROM notification_waiting WHERE key = ?`;
    this.#all(copy, failure, Date.now(), key);
    this.#all('DELETE FROM notification_waiting WHERE key = ?', key);
    const { maxDead, maxDeadBytes } = this.#limits;
    const excess = "SELECT 1 FROM notification_total WHERE name = 'dead' AND (entries > ? OR bytes > ?)";
    while (this.#all(excess, maxDead, maxDeadBytes).length > 0) {
      this.#all('DELETE FROM notification_dead WHERE number = (SELECT min(number) FROM notification_dead)');
    }
  }

  deadLetters(limit: number): Promise<DeadLetter[]> {
    const oldest = 'SELECT * FROM notification_dead ORDER BY number LIMIT ?';
    return this.#db.write(() =>
      this.#all(oldest, Math.min(limit, Number.MAX_SAFE_INTEGER)).flatMap((row) => {
        const { attempts, failure, dead_lettered_at: deadLetteredAt } = row;
        const entry = entryOf(row);
        return entry ? [{ entry, attempts, failure, deadLetteredAt }] : [];
      }),
    );
  }

  redrive(key: string): Promise<boolean> {
    return this.#db.write(() => {
      const row = this.#takeDeadLetter(key);
      if (row) this.#insert(JSON.parse(row.entry) as QueuedNotification, row.entry);
      return row !== undefined;
    });
  }

  removeDeadLetter(key: string): Promise<boolean> {
    return this.#db.write(() => this.#takeDeadLetter(key) !== undefined);
  }

  #takeDeadLetter(key: string): Row | undefined {
    return this.#all('DELETE FROM notification_dead WHERE key = ? RETURNING entry', key)[0];
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}

/** The entry of a row; `undefined` when the row is damaged. */
function entryOf({ key, entry }: Row): QueuedNotification | undefined {
  try {
    const parsed = JSON.parse(entry) as Partial<QueuedNotification> | null;
    return parsed?.key === key && typeof parsed.notification === 'object' ? (parsed as QueuedNotification) : undefined;
  } catch {
    return undefined;
  }
}
