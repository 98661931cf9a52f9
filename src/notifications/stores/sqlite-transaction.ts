import type { Row, SqliteDatabase, Transaction } from './sqlite-database.js';

/** How exactly the latest time is stored, in milliseconds. */
const clockPrecisionMs = 500;

/** What the operations of one transaction of the inbox share: each is read once, and written at most once. */
export class InboxTransaction implements Transaction {
  /** The time in milliseconds. It continues where it was when the clock of the machine is set back. */
  readonly now: number;
  readonly #db: SqliteDatabase<InboxTransaction>;
  readonly #clock: Pick<Row, 'latest' | 'offset' | 'served'>;
  readonly #offset: number;
  #served: number;
  #keepsTime = false;
  #forgetsExpired = false;
  readonly #turns = new Map<number, number>();
  #hasDueGroup: boolean | undefined;
  #waiting: { entries: number; bytes: number } | undefined;

  constructor(db: SqliteDatabase<InboxTransaction>) {
    this.#db = db;
    const clock = db.all('SELECT latest, offset, served FROM notification_clock')[0];
    this.#clock = clock ?? { latest: 0, offset: 0, served: 0 };
    const time = Date.now();
    this.now = Math.max(time + this.#clock.offset, this.#clock.latest);
    this.#offset = this.now - time;
    this.#served = this.#clock.served;
  }

  /** Stores the time along with what ends at a later time, so that a clock that is set back does not delay it. */
  keepTime(): void {
    this.#keepsTime = true;
  }

  /** The waiting entries and their bytes, with those that this transaction has added. */
  waiting(): { entries: number; bytes: number } {
    const total = "SELECT entries, bytes FROM notification_total WHERE name = 'waiting'";
    this.#waiting ??= { entries: 0, bytes: 0, ...this.#db.all(total)[0] };
    return this.#waiting;
  }

  /** Users take turns: a user with many groups does not delay the groups of others. */
  nextTurn(userId: number | null): number {
    this.#hasDueGroup = true;
    const user = userId ?? 0;
    const latest = this.#turns.get(user) ?? this.#latestTurn(userId);
    const turn = Math.max(latest, this.#served) + 1;
    this.#turns.set(user, turn);
    return turn;
  }

  #latestTurn(userId: number | null): number {
    return this.#db.all('SELECT max(turn) AS turn FROM notification_group WHERE user_id = ?', userId)[0]?.turn ?? 0;
  }

  /** These groups were leased. */
  serve(groups: readonly Pick<Row, 'turn'>[]): void {
    if (groups.length > 0) this.keepTime();
    for (const { turn } of groups) this.#served = Math.max(this.#served, turn ?? 0);
    this.#hasDueGroup = undefined;
  }

  /** Whether a group may be leased: it has a turn, or its lease or delay has ended. */
  hasDueGroup(): boolean {
    const due = `SELECT 1 FROM notification_group WHERE turn IS NOT NULL
      UNION ALL SELECT 1 FROM notification_group WHERE turn IS NULL AND ready_at <= ? LIMIT 1`;
    this.#hasDueGroup ??= this.#db.all(due, this.now).length > 0;
    return this.#hasDueGroup;
  }

  /** Deletes some of the keys that are no longer needed to recognize duplicates. */
  forgetExpired(): void {
    this.keepTime();
    this.#forgetsExpired = true;
  }

  finish(): void {
    const expired = `DELETE FROM notification_processed
      WHERE key IN (SELECT key FROM notification_processed WHERE until <= ? LIMIT 1000)`;
    if (this.#forgetsExpired) this.#db.run(expired, this.now);
    const { latest, offset, served } = this.#clock;
    const isOutdated = this.#keepsTime && this.now > latest + clockPrecisionMs;
    if (this.#offset === offset && this.#served === served && !isOutdated) return;
    const update = 'UPDATE notification_clock SET latest = max(latest, ?), offset = ?, served = ?';
    this.#db.run(update, this.now, this.#offset, this.#served);
  }
}
