import type { Row, Statements } from '../../work/sqlite-rows.js';
import type { StoreTransaction, WaitingTotal } from '../../work/sqlite-transaction.js';
import type { QueuedNotification } from '../queued-notification.js';
import { deletedUnconfirmed, isOver, roomError } from './store-limits.js';
import type { ResolvedLimits, StoreFullError } from './store-limits.js';

/** How long it is remembered that something of a user and topic was true, in milliseconds; renewed when it is half over. */
const knownMs = 30 * 86_400_000;
/** How often a process looks for what is too old, in milliseconds. */
const ageEveryMs = 1_000;
/** How many are deleted in one transaction. */
const deletedAtATime = 1_000;

/** The rooms of an inbox in SQLite, by user and topic: triggers count what they hold. */
export class SqliteRooms {
  readonly #db: Statements;
  readonly #limits: ResolvedLimits;
  #agedAt = -Infinity;

  constructor(db: Statements, limits: ResolvedLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Takes room for an entry that is inserted; returns the error of a store that has none. */
  take(entry: QueuedNotification, bytes: number, transaction: StoreTransaction): StoreFullError | undefined {
    const { user_id, topic } = entry.notification;
    const count = "SELECT entries, bytes FROM notification_room WHERE kind = 'waiting' AND user_id = ? AND topic = ?";
    const room = this.#db.all(count, user_id, topic)[0] ?? { entries: 0, bytes: 0 };
    const total = transaction.waiting();
    const isKnown = (): boolean => this.#knownUntil(entry) > transaction.now;
    const full = roomError(this.#limits, { room, total, isKnown }, bytes);
    if (full) return full;
    total.entries += 1;
    total.bytes += bytes;
    return undefined;
  }

  #knownUntil(entry: Pick<QueuedNotification, 'notification'>): number {
    return this.#db.all('SELECT until FROM notification_ledger WHERE key = ?', knownKey(entry))[0]?.until ?? 0;
  }

  /** Keeps what the service has shown of a waiting entry. */
  confirm(key: string | null, confirmed: boolean, { now }: StoreTransaction): void {
    const update = 'UPDATE notification_waiting SET confirmed = ? WHERE key = ? RETURNING user_id, topic';
    const [row] = this.#db.all(update, Number(confirmed), key);
    if (!row || !confirmed) return;
    const entry = { notification: { user_id: row.user_id, topic: row.topic } } as QueuedNotification;
    if (this.#knownUntil(entry) > now + knownMs / 2) return;
    const insert = "INSERT OR REPLACE INTO notification_ledger (key, value, until) VALUES (?, '', ?)";
    this.#db.run(insert, knownKey(entry), Math.ceil(now + knownMs));
  }

  /** Deletes what nothing has confirmed in time, or what is too much of it. Returns what the log says of it. */
  age({ now }: StoreTransaction, isForced = false): string[] {
    const time = performance.now();
    if (!isForced && time < this.#agedAt + ageEveryMs) return [];
    this.#agedAt = time;
    const old = `SELECT key, group_id FROM notification_waiting AS waiting
      WHERE confirmed IS NOT 1 AND until <= ? AND ${isFree} ORDER BY until LIMIT ${deletedAtATime}`;
    return this.#report(this.#delete(this.#db.all(old, now)));
  }

  /** Deletes the oldest of the user and topic that has the most unconfirmed ones, while these are too many. */
  evict(): string[] {
    let count = 0;
    while (isOver(this.#limits, this.#unconfirmed())) {
      const largest = `SELECT user_id, topic FROM notification_room WHERE kind = 'unconfirmed'
        ORDER BY entries DESC LIMIT 1`;
      const oldest = `SELECT key, group_id FROM notification_waiting AS waiting
        WHERE confirmed = 0 AND (user_id, topic) = (${largest}) AND ${isFree} ORDER BY number LIMIT 1`;
      const deleted = this.#delete(this.#db.all(oldest));
      count += deleted;
      if (deleted === 0) break;
    }
    return this.#report(count);
  }

  #unconfirmed(): WaitingTotal {
    return (
      this.#db.all("SELECT entries, bytes FROM notification_total WHERE name = 'unconfirmed'")[0] ?? {
        entries: 0,
        bytes: 0,
      }
    );
  }

  #delete(rows: readonly Pick<Row, 'key' | 'group_id'>[]): number {
    const empty = `DELETE FROM notification_group WHERE group_id = ?1
      AND NOT EXISTS (SELECT 1 FROM notification_waiting WHERE group_id = ?1)`;
    for (const { key, group_id } of rows) {
      this.#db.run('DELETE FROM notification_waiting WHERE key = ?', key);
      this.#db.run(empty, group_id);
    }
    return rows.length;
  }

  #report(count: number): string[] {
    if (count === 0) return [];
    this.#db.run("UPDATE notification_total SET entries = entries + ? WHERE name = 'expired'", count);
    return [deletedUnconfirmed(count, this.#limits)];
  }
}

/** No handler runs for the group of the row. */
const isFree = `NOT EXISTS (SELECT 1 FROM notification_group WHERE group_id = waiting.group_id AND token IS NOT NULL)`;

function knownKey({ notification: { user_id, topic } }: Pick<QueuedNotification, 'notification'>): string {
  return `known ${user_id} ${topic}`;
}
