import { stallsUntilSuspect } from '../handling/failure-policy.js';
import { routeOf, routes } from '../queued-notification.js';
import type { QueuedNotification } from '../queued-notification.js';
import { writesOf } from '../../work/sqlite-rows.js';
import { entryOf, lastFailureOf } from './sqlite-entries.js';
import type { Row, Statements } from '../../work/sqlite-rows.js';
import type { StoreTransaction } from '../../work/sqlite-transaction.js';
import type { Claim, Lease } from './store.js';

/** The groups of an inbox in SQLite: which is next, and who has leased it. */
export class SqliteGroups {
  readonly #db: Statements;

  constructor(db: Statements) {
    this.#db = db;
  }

  /** Inserts the group of an entry that was added, if it is new. */
  insert({ groupId, notification }: QueuedNotification, transaction: StoreTransaction): void {
    const insert = `INSERT OR IGNORE INTO notification_group (group_id, route, user_id, turn, ready_at)
      VALUES (?, ?, ?, ?, 0)`;
    const { user_id } = notification;
    this.#db.run(insert, groupId, routeOf(notification), user_id, transaction.nextTurn(user_id));
  }

  /** Gives a turn to the groups whose lease or delay has ended. */
  makeDue(transaction: StoreTransaction, of: readonly string[] = routes): void {
    const ended = `SELECT group_id, user_id FROM notification_group
      WHERE route = ? AND turn IS NULL AND ready_at <= ? LIMIT 1000`;
    for (const { group_id, user_id } of of.flatMap((route) => this.#db.all(ended, route, transaction.now))) {
      const turn = transaction.nextTurn(user_id);
      this.#db.run('UPDATE notification_group SET turn = ? WHERE group_id = ?', turn, group_id);
    }
  }

  /** The groups that a claim leases. */
  due({ groupId, limit, routes: of = routes }: Claim, now: number): Row[] {
    const select = 'SELECT group_id, turn, token, leased_key, alone FROM notification_group WHERE';
    if (groupId !== undefined) {
      const isFree = '(token IS NULL OR turn IS NOT NULL OR ready_at <= ?)';
      return this.#db.all(`${select} group_id = ? AND ${isFree}`, groupId, now);
    }
    const due = `${select} route = ? AND turn IS NOT NULL ORDER BY turn LIMIT ?`;
    const groups = of.flatMap((route) => this.#db.all(due, route, limit));
    return groups.sort((a, b) => Number(a.turn) - Number(b.turn)).slice(0, limit);
  }

  /** When the next group of these routes is due, in milliseconds; `undefined` when none waits. */
  nextInMs(now: number, of: readonly string[] = routes): number | undefined {
    const due = 'SELECT turn FROM notification_group WHERE route = ? AND turn IS NOT NULL LIMIT 1';
    if (of.some((route) => this.#db.all(due, route).length > 0)) return 0;
    const later = 'SELECT min(ready_at) AS ready_at FROM notification_group WHERE route = ? AND turn IS NULL';
    const times = of.flatMap((route) => this.#db.all(later, route)[0]?.ready_at ?? []);
    return times.length > 0 ? Math.max(0, Math.min(...times) - now) : undefined;
  }

  /** Leases a group. A lease that it still has has expired, which counts as a stall. */
  lease(
    group: Row,
    { leaseMs, coalesce, alone = false }: Claim,
    token: string,
    now: number,
    problems: string[],
  ): Lease[] {
    const groupId = group.group_id;
    if (group.token !== null) {
      const count = 'UPDATE notification_waiting SET stalls = stalls + 1 WHERE key = ? AND (stalls < ? OR ?)';
      this.#db.run(count, group.leased_key, stallsUntilSuspect, group.alone);
    }
    const found = this.#nextOf(groupId, coalesce, now, problems);
    if (!found) {
      this.#db.run('DELETE FROM notification_group WHERE group_id = ?', groupId);
      return [];
    }
    const { row, entry } = found;
    const update = `UPDATE notification_group SET token = ?, leased_key = ?, ready_at = ?, alone = ?, turn = NULL
      WHERE group_id = ?`;
    this.#db.run(update, token, row.key, Math.ceil(now + leaseMs), Number(alone), groupId);
    const before = `SELECT key FROM notification_waiting
      WHERE group_id = ? AND (sent_at, number) < (?, ?) ORDER BY sent_at, number`;
    const coalescedKeys = coalesce ? this.#db.all(before, groupId, row.sent_at, row.number).map(({ key }) => key) : [];
    const attempt = row.failures + row.stalls + 1;
    const [lastFailure, writes] = [lastFailureOf(row), writesOf(row)];
    const kept = { ...(lastFailure && { lastFailure }), ...(writes && { writes }) };
    return [{ groupId, token, entry, attempt, stalledCount: row.stalls, coalescedKeys, ...kept }];
  }

  /**
   * The entry to handle next: one whose handler has begun to write goes first. A row that cannot be read is set aside, so that it
   * does not stop its group.
   */
  #nextOf(
    groupId: string,
    coalesce: boolean,
    now: number,
    problems: string[],
  ): { row: Row; entry: QueuedNotification } | undefined {
    const order = coalesce ? 'sent_at DESC, number DESC' : 'sent_at, number';
    const select = `SELECT * FROM notification_waiting WHERE group_id = ? ORDER BY writes IS NULL, ${order} LIMIT 1`;
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

  /** Deletes a group without entries. */
  removeEmpty(groupId: string): void {
    const isEmpty = 'NOT EXISTS (SELECT 1 FROM notification_waiting WHERE group_id = ?1)';
    this.#db.run(`DELETE FROM notification_group WHERE group_id = ?1 AND ${isEmpty}`, groupId);
  }

  /** Ends the lease of a group, and deletes the group if it is empty. */
  release(groupId: string, userId: number | null, transaction: StoreTransaction, delayMs: number): void {
    if (this.#db.all('SELECT 1 FROM notification_waiting WHERE group_id = ? LIMIT 1', groupId).length > 0) {
      const release = `UPDATE notification_group SET token = NULL, leased_key = NULL, ready_at = ?, turn = ?
        WHERE group_id = ?`;
      const turn = delayMs > 0 ? null : transaction.nextTurn(userId);
      this.#db.run(release, Math.ceil(transaction.now + delayMs), turn, groupId);
    } else this.#db.run('DELETE FROM notification_group WHERE group_id = ?', groupId);
  }
}
