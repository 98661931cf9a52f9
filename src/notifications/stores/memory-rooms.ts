import { FifoMap } from '../../work/fifo-map.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { WaitingTotal } from '../../work/sqlite-transaction.js';

/** What is kept in memory, counted by seller and topic. */
export class MemoryRooms {
  /** The bytes of each key, oldest first. */
  readonly #rooms = new Map<string, FifoMap<number>>();
  readonly #bytes = new Map<string, number>();
  readonly #total: WaitingTotal = { entries: 0, bytes: 0 };

  get total(): Readonly<WaitingTotal> {
    return this.#total;
  }

  /** What the room of an entry holds. */
  of(entry: QueuedNotification): WaitingTotal {
    const name = roomOf(entry);
    return { entries: this.#rooms.get(name)?.size ?? 0, bytes: this.#bytes.get(name) ?? 0 };
  }

  add(entry: QueuedNotification, bytes: number): void {
    const name = roomOf(entry);
    const room = this.#rooms.get(name) ?? new FifoMap<number>();
    this.#rooms.set(name, room.set(entry.key, bytes));
    this.#count(name, 1, bytes);
  }

  delete(entry: QueuedNotification): void {
    const name = roomOf(entry);
    const room = this.#rooms.get(name);
    const bytes = room?.get(entry.key);
    if (bytes === undefined) return;
    room?.delete(entry.key);
    this.#count(name, -1, -bytes);
    if (room?.size !== 0) return;
    this.#rooms.delete(name);
    this.#bytes.delete(name);
  }

  #count(name: string, entries: number, bytes: number): void {
    this.#total.entries += entries;
    this.#total.bytes += bytes;
    this.#bytes.set(name, (this.#bytes.get(name) ?? 0) + bytes);
  }

  /** The oldest key of the room with the most entries; `undefined` when there is none. */
  oldestOfLargest(): string | undefined {
    let largest: FifoMap<number> | undefined;
    for (const room of this.#rooms.values()) if (room.size > (largest?.size ?? 0)) largest = room;
    return largest?.oldest();
  }
}

/** The room of an entry: its seller and topic. */
export function roomOf({ notification: { user_id, topic } }: QueuedNotification): string {
  return `${user_id} ${topic}`;
}
