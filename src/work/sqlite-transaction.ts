import type { Row, Statements } from './sqlite-rows.js';

/** How much waits in a store. */
export interface WaitingTotal {
  entries: number;
  bytes: number;
}

/** How exactly the latest time is stored, in milliseconds. */
const clockPrecisionMs = 500;

/** Whether a lease or a delay depends on the time. */
const anyWaits = "SELECT 1 FROM notification_group UNION ALL SELECT 1 FROM outbox_job WHERE state = 'waiting' LIMIT 1";

/** From this difference on, the clock of the machine was set, in milliseconds. */
const setClockMs = 1_000;

/** The time of leases and delays as this process last knew it, and when that was on the monotonic clock. */
export interface KnownTime {
  now: number;
  at: number;
}

/** What the operations of one transaction share: each is read once, and written at most once. */
export class StoreTransaction {
  /** The time of leases and delays in milliseconds. It goes on as before when the clock of the machine is set. */
  readonly now: number;
  readonly #db: Statements;
  readonly #clock: Pick<Row, 'latest' | 'offset' | 'served'>;
  readonly #offset: number;
  #served: number;
  #keepsTime = false;
  #forgetsExpired = false;
  readonly #turns = new Map<number, number>();
  #waiting: WaitingTotal | undefined;

  constructor(db: Statements, known: KnownTime) {
    this.#db = db;
    const clock = db.all('SELECT latest, offset, served FROM notification_clock')[0];
    this.#clock = clock ?? { latest: 0, offset: 0, served: 0 };
    const time = Date.now();
    const [read, at] = [time + this.#clock.offset, performance.now()];
    const expected = known.now + (at - known.at);
    const isSet = read > expected + setClockMs && db.all(anyWaits).length > 0;
    this.now = Math.max(isSet ? Math.ceil(expected) : read, this.#clock.latest);
    Object.assign(known, { now: this.now, at });
    this.#offset = this.now - time;
    this.#served = this.#clock.served;
  }

  /** Stores the time along with what ends at a later time, so that a clock that is set back does not delay it. */
  keepTime(): void {
    this.#keepsTime = true;
  }

  /** The waiting entries and their bytes, with those that this transaction has added. */
  waiting(): WaitingTotal {
    const total = "SELECT entries, bytes FROM notification_total WHERE name = 'waiting'";
    this.#waiting ??= { entries: 0, bytes: 0, ...this.#db.all(total)[0] };
    return this.#waiting;
  }

  /** Users take turns: a user with many groups does not delay the groups of others. */
  nextTurn(userId: number | null): number {
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
  }

  /** Deletes some of the keys that are no longer needed to recognize duplicates. */
  forgetExpired(): void {
    this.keepTime();
    this.#forgetsExpired = true;
  }

  /** Writes what was collected, before the transaction is committed. */
  finish(): void {
    const expired = `DELETE FROM notification_processed
      WHERE key IN (SELECT key FROM notification_processed WHERE until <= ? LIMIT 1000)`;
    const kept = `DELETE FROM notification_ledger
      WHERE key IN (SELECT key FROM notification_ledger WHERE until <= ? LIMIT 1000)`;
    if (this.#forgetsExpired) {
      // Like the keys in memory, they follow the clock of the machine.
      this.#db.run(expired, Date.now());
      this.#db.run(kept, this.now);
    }
    const { latest, offset, served } = this.#clock;
    const isOutdated = this.#keepsTime && this.now > latest + clockPrecisionMs;
    if (this.#offset === offset && this.#served === served && !isOutdated) return;
    const update = 'UPDATE notification_clock SET latest = max(latest, ?), offset = ?, served = ?';
    this.#db.run(update, this.now, this.#offset, this.#served);
  }
}
