import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { ConfigurationError } from '../../core/errors/errors.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { Claim, DeadLetter, Lease, NotificationStore, Settlement } from './store.js';

/** The options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** The database file. It is created if it does not exist. The names of its tables begin with `notification_`. */
  readonly path: string;
}

/**
 * Creates a store in a SQLite file, for the processes of one machine: accepted notifications survive crashes and power cuts.
 *
 * Needs Node 22.13 or later; `node:sqlite` is loaded on first use. Do not use it on a network file system.
 */
export function sqliteStore({ path }: SqliteStoreOptions): NotificationStore {
  if (typeof path !== 'string' || path === '') throw new ConfigurationError('`path` must be the name of a file');
  return new SqliteStore(path);
}

const schema = `
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS notification_waiting (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, group_id TEXT NOT NULL, sent_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, entry TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS notification_order ON notification_waiting (group_id, sent_at, number);
  CREATE TABLE IF NOT EXISTS notification_group (group_id TEXT PRIMARY KEY, ready_at INTEGER NOT NULL, worker_id TEXT);
  CREATE INDEX IF NOT EXISTS notification_due ON notification_group (ready_at);
  CREATE TABLE IF NOT EXISTS notification_remembered (key TEXT PRIMARY KEY, until INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS notification_forgotten ON notification_remembered (until);
  CREATE TABLE IF NOT EXISTS notification_dead (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, entry TEXT NOT NULL, attempts INTEGER NOT NULL,
    failure TEXT NOT NULL, dead_lettered_at INTEGER NOT NULL);`;

interface Row {
  readonly key: string;
  readonly group_id: string;
  readonly entry: string;
  readonly attempts: number;
  readonly failure: string;
  readonly dead_lettered_at: number;
  readonly ready_at: number | null;
}

interface Job {
  readonly run: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

class SqliteStore implements NotificationStore {
  readonly durable = true;
  readonly shared = true;
  readonly #path: string;
  #opening: Promise<DatabaseSync> | undefined;
  #db!: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  #jobs: Job[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  async #open(): Promise<DatabaseSync> {
    try {
      const { DatabaseSync } = await import('node:sqlite');
      this.#db = new DatabaseSync(this.#path);
      this.#db.exec(schema);
      return this.#db;
    } catch (cause) {
      this.#opening = undefined;
      const reason = cause instanceof Error ? cause.message : String(cause);
      const remedy = reason.includes('sqlite')
        ? 'it needs Node 22.13 or later'
        : 'its folder must exist and be writable';
      throw new ConfigurationError(`sqliteStore cannot open its database (${reason}); ${remedy}`, { cause });
    }
  }

  /** Runs all writes of one turn of the event loop in one transaction, which waits for the disk once. */
  async #write<T>(run: () => T): Promise<T> {
    this.#opening ??= this.#open();
    await this.#opening;
    return new Promise<T>((resolve, reject) => {
      if (this.#jobs.push({ run, resolve, reject }) === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      const results = jobs.map(({ run }) => run());
      this.#db.exec('COMMIT');
      for (const [index, { resolve }] of jobs.entries()) resolve(results[index] as never);
    } catch (error) {
      if (this.#db.isOpen && this.#db.isTransaction) this.#db.exec('ROLLBACK');
      for (const { reject } of jobs) reject(error);
    }
  }

  #all(sql: string, ...values: SQLInputValue[]): Row[] {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all(...values) as unknown as Row[];
  }

  add(entry: QueuedNotification): Promise<'added' | 'waiting' | 'processed'> {
    return this.#write(() => {
      if (this.#all('SELECT key FROM notification_waiting WHERE key = ?', entry.key).length > 0) return 'waiting';
      const processed = `SELECT key FROM notification_remembered WHERE key = ? AND until > ?
        UNION ALL SELECT key FROM notification_dead WHERE key = ?`;
      if (this.#all(processed, entry.key, Date.now(), entry.key).length > 0) return 'processed';
      this.#insert(entry);
      return 'added';
    });
  }

  #insert(entry: QueuedNotification): void {
    const { key, groupId, sentAt } = entry;
    const waiting = 'INSERT INTO notification_waiting (key, group_id, sent_at, entry) VALUES (?, ?, ?, ?)';
    this.#all(waiting, key, groupId, sentAt, JSON.stringify(entry));
    this.#all('INSERT OR IGNORE INTO notification_group (group_id, ready_at) VALUES (?, ?)', groupId, Date.now());
  }

  claim(claim: Claim): Promise<{ leases: Lease[]; nextInMs?: number }> {
    return this.#write(() => {
      const now = Date.now();
      const leases = this.#leaseGroup(claim, now).map(({ group_id }) => this.#lease(group_id, claim.coalesce));
      const next = this.#all('SELECT min(ready_at) AS ready_at FROM notification_group')[0]?.ready_at ?? undefined;
      return { leases, ...(next !== undefined && { nextInMs: Math.max(0, next - now) }) };
    });
  }

  #leaseGroup({ workerId, limit, leaseMs, groupId }: Claim, now: number): Row[] {
    const update = 'UPDATE notification_group SET worker_id = ?, ready_at = ? WHERE';
    if (groupId !== undefined) {
      const one = `${update} group_id = ? AND (worker_id IS NULL OR ready_at <= ?) RETURNING group_id`;
      return this.#all(one, workerId, now + leaseMs, groupId, now);
    }
    const due = `${update} group_id IN
      (SELECT group_id FROM notification_group WHERE ready_at <= ? ORDER BY ready_at LIMIT ?) RETURNING group_id`;
    return this.#all(due, workerId, now + leaseMs, now, limit);
  }

  #lease(groupId: string, coalesce: boolean): Lease {
    const order = coalesce ? 'sent_at DESC, number DESC' : 'sent_at, number';
    const leased = `UPDATE notification_waiting SET attempts = attempts + 1 WHERE number =
      (SELECT number FROM notification_waiting WHERE group_id = ? ORDER BY ${order} LIMIT 1) RETURNING key, entry, attempts`;
    const [row] = this.#all(leased, groupId) as [Row];
    const others = 'SELECT key FROM notification_waiting WHERE group_id = ? AND key <> ?';
    const coalescedKeys = coalesce ? this.#all(others, groupId, row.key).map(({ key }) => key) : [];
    return { groupId, entry: JSON.parse(row.entry) as QueuedNotification, attempt: row.attempts, coalescedKeys };
  }

  renew(workerId: string, groupIds: readonly string[], leaseMs: number): Promise<string[]> {
    const longer = 'UPDATE notification_group SET ready_at = ? WHERE group_id = ? AND worker_id = ? RETURNING group_id';
    return this.#write(() =>
      groupIds.filter((groupId) => this.#all(longer, Date.now() + leaseMs, groupId, workerId).length === 0),
    );
  }

  settle({ workerId, groupId, done, retryInMs = 0, deadLetter, deduplicationMs }: Settlement): Promise<boolean> {
    return this.#write(() => {
      const now = Date.now();
      const free =
        'UPDATE notification_group SET worker_id = NULL, ready_at = ? WHERE group_id = ? AND worker_id = ? RETURNING group_id';
      if (this.#all(free, now + retryInMs, groupId, workerId).length === 0) return false;
      for (const key of done) this.#remember(key, now + deduplicationMs);
      if (deadLetter) this.#deadLetter(deadLetter, now);
      const empty = `DELETE FROM notification_group WHERE group_id = ?
        AND NOT EXISTS (SELECT 1 FROM notification_waiting WHERE group_id = notification_group.group_id)`;
      this.#all(empty, groupId);
      this.#all('DELETE FROM notification_remembered WHERE until <= ?', now);
      return true;
    });
  }

  #remember(key: string, until: number): void {
    this.#all('DELETE FROM notification_waiting WHERE key = ?', key);
    this.#all('INSERT OR REPLACE INTO notification_remembered (key, until) VALUES (?, ?)', key, until);
  }

  #deadLetter({ key, failure }: { readonly key: string; readonly failure: string }, now: number): void {
    const copy = `INSERT INTO notification_dead (key, entry, attempts, failure, dead_lettered_at)
      SELECT key, entry, attempts, ?, ? FROM notification_waiting WHERE key = ?`;
    this.#all(copy, failure, now, key);
    this.#all('DELETE FROM notification_waiting WHERE key = ?', key);
  }

  deadLetters(limit: number): Promise<DeadLetter[]> {
    return this.#write(() =>
      this.#all('SELECT * FROM notification_dead ORDER BY number LIMIT ?', limit).map((row) => ({
        entry: JSON.parse(row.entry) as QueuedNotification,
        attempts: row.attempts,
        failure: row.failure,
        deadLetteredAt: row.dead_lettered_at,
      })),
    );
  }

  redrive(key: string): Promise<boolean> {
    return this.#write(() => {
      const row = this.#deleteDeadLetter(key);
      if (row) this.#insert(JSON.parse(row.entry) as QueuedNotification);
      return row !== undefined;
    });
  }

  removeDeadLetter(key: string): Promise<boolean> {
    return this.#write(() => this.#deleteDeadLetter(key) !== undefined);
  }

  #deleteDeadLetter(key: string): Row | undefined {
    return this.#all('DELETE FROM notification_dead WHERE key = ? RETURNING entry', key)[0];
  }

  async close(): Promise<void> {
    if (!this.#opening) return;
    // Pending writes are committed before the file is closed.
    await this.#write(() => undefined);
    this.#opening = undefined;
    this.#statements.clear();
    this.#db.close();
  }
}
