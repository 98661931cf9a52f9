import type { EntryState } from './store.js';
import type { QueuedNotification } from '../queued-notification.js';
import { routeOf } from '../queued-notification.js';
import type { PostgresDatabase, RunStatement } from './postgres-database.js';
import { roomOf } from './postgres-room-functions.js';
import { StoreFullError, deletedUnconfirmed, roomError, roomLimits } from './store-limits.js';
import type { ResolvedLimits } from './store-limits.js';

/** How long a process believes its count of all that waits, in milliseconds. */
const countedMs = 10_000;
/** How often a process looks for what is too old, in milliseconds. */
const ageEveryMs = 1_000;

/**
 * The rooms of an inbox in PostgreSQL, by user and topic. The database counts each of them; what they hold together is counted by
 * each process now and then, because a row for it would have all processes wait for each other.
 */
export class PostgresRooms {
  readonly #db: PostgresDatabase;
  readonly #limits: ResolvedLimits;
  /** What all rooms held at a time, with what this process has added since. */
  #total = { entries: 0, bytes: 0, added: Infinity, at: 0 };
  /** What is being added by this process. */
  readonly #adding = { entries: 0, bytes: 0 };
  #counting: Promise<void> | undefined;
  #agedAt = -Infinity;

  constructor(db: PostgresDatabase, limits: ResolvedLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  /** @throws {StoreFullError} when its user and topic have no room left. */
  async add(entry: QueuedNotification, text: string): Promise<EntryState> {
    const isOld = performance.now() - this.#total.at > countedMs;
    if (isOld || this.#total.added >= this.#limits.maxWaiting / 100) await this.#count();
    const state = await this.#tryToAdd(entry, text);
    if (state !== 'full') return state;
    await this.#count();
    const again = (await this.#fullFor(entry, text)) ?? (await this.#tryToAdd(entry, text));
    if (again instanceof StoreFullError) throw again;
    if (again === 'full')
      throw new StoreFullError('Too many notifications arrive at once (`maxWaiting`, `maxWaitingBytes`)');
    return again;
  }

  async #tryToAdd(entry: QueuedNotification, text: string): Promise<EntryState | 'full'> {
    const bytes = Buffer.byteLength(text);
    const limits = [false, true].flatMap((isKnown) => roomLimits(this.#limits, this.#occupied(), isKnown));
    this.#adding.entries += 1;
    this.#adding.bytes += bytes;
    try {
      const state = await addTo(this.#db.run, entry, text, this.#limits.maxAgeMs, limits);
      if (state === 'added') this.#added(bytes);
      return state;
    } finally {
      this.#adding.entries -= 1;
      this.#adding.bytes -= bytes;
    }
  }

  #occupied(): { readonly entries: number; readonly bytes: number } {
    return {
      entries: this.#total.entries + this.#adding.entries,
      bytes: this.#total.bytes + this.#adding.bytes,
    };
  }

  #added(bytes: number): void {
    this.#total.entries += 1;
    this.#total.bytes += bytes;
    this.#total.added += 1;
  }

  /** Counts all rooms; those who ask meanwhile get the same count. */
  #count(): Promise<void> {
    const count = `SELECT coalesce(sum(entries + unconfirmed), 0)::float8 AS entries,
      coalesce(sum(bytes + unconfirmed_bytes), 0)::float8 AS bytes FROM seller_inbox_room`;
    this.#counting ??= this.#db
      .run(count)
      .then(([{ entries, bytes } = { entries: 0, bytes: 0 }]) => {
        this.#total = { entries, bytes, added: 0, at: performance.now() };
      })
      .finally(() => (this.#counting = undefined));
    return this.#counting;
  }

  /** The error of a store in which this entry has no room. */
  async #fullFor({ notification }: QueuedNotification, text: string): Promise<StoreFullError | undefined> {
    const find = `SELECT coalesce(max(entries), 0) AS entries, coalesce(max(bytes), 0) AS bytes,
      seller_inbox_knows(${roomOf('$1::float8', '$2::text')}, 0) AS done
      FROM seller_inbox_room WHERE room = ${roomOf('$1::float8', '$2::text')}`;
    const [room] = await this.#db.run(find, notification.user_id, storable(notification.topic));
    const found = room ?? { entries: 0, bytes: 0, done: false };
    const occupied = { room: found, total: this.#occupied(), isKnown: () => found.done };
    return roomError(this.#limits, occupied, Buffer.byteLength(text));
  }

  /** Deletes what nothing has confirmed in time. Returns what the log says of it. */
  async age(isForced = false): Promise<string[]> {
    const time = performance.now();
    if (!isForced && time < this.#agedAt + ageEveryMs) return [];
    this.#agedAt = time;
    return this.#report(await this.#db.run('SELECT seller_inbox_age() AS entries'));
  }

  /** Deletes the oldest unconfirmed ones of the largest room, while these are too many. Returns what the log says of it. */
  async evict(): Promise<string[]> {
    const { maxWaiting, maxWaitingBytes } = this.#limits;
    return this.#report(
      await this.#db.run('SELECT seller_inbox_evict($1, $2) AS entries', maxWaiting, maxWaitingBytes),
    );
  }

  #report([row]: readonly { readonly entries: number }[]): string[] {
    return row && row.entries > 0 ? [deletedUnconfirmed(row.entries, this.#limits)] : [];
  }
}

/** Adds an entry to its room. */
export async function addTo(
  run: RunStatement,
  { key, groupId, sentAt, notification, caughtUp = false }: QueuedNotification,
  text: string,
  maxAgeMs: number,
  limits: readonly number[],
): Promise<EntryState | 'full'> {
  const add = 'SELECT seller_inbox_add($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS state';
  const place = [key, groupId, routeOf(notification), notification.user_id, sentAt, Date.now()];
  // The service itself has named what `catchUp` found.
  const [row] = await run(add, ...place, storable(notification.topic), text, caughtUp, maxAgeMs, limits);
  return row?.state as EntryState | 'full';
}

/** PostgreSQL has no zero characters in a text. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
