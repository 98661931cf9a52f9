import type { QueuedNotification } from '../queued-notification.js';
import { FifoMap } from '../../work/fifo-map.js';
import { MemoryRooms } from './memory-rooms.js';
import { deletedForRoom } from './store-limits.js';
import type { ResolvedLimits } from './store-limits.js';
import type { DeadLetter } from './store.js';
import { bytesOf } from './waiting-list.js';
import type { WaitingNotification } from './waiting-list.js';

type Writes = WaitingNotification['writes'];

interface Dead {
  readonly letter: DeadLetter;
  readonly writes: Writes;
  /** Where it is counted. */
  readonly rooms: MemoryRooms;
}

/** The dead letters of an inbox in memory. */
export class MemoryDeadLetters {
  readonly #limits: ResolvedLimits;
  readonly #dead = new FifoMap<Dead>();
  readonly #rooms = new MemoryRooms();
  /** Those of which the service knows nothing: they are deleted first. */
  readonly #unconfirmed = new MemoryRooms();
  #added = 0;

  constructor(limits: ResolvedLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#dead.size;
  }

  has(key: string): boolean {
    return this.#dead.has(key);
  }

  /** Adds an entry after its last attempt. Returns what the log says of those that are deleted for want of room. */
  add({ entry, failures, stalls, writes, confirmed }: WaitingNotification, failure: string): string[] {
    const number = ++this.#added;
    const letter = { entry, attempts: failures + stalls + 1, failure, deadLetteredAt: Date.now(), number };
    const rooms = confirmed === false ? this.#unconfirmed : this.#rooms;
    this.#dead.set(entry.key, { letter, writes, rooms });
    rooms.add(entry, bytesOf(letter));
    const problems: string[] = [];
    while (this.#isFull()) {
      const key = this.#unconfirmed.oldestOfLargest() ?? this.#rooms.oldestOfLargest() ?? '';
      if (!this.take(key)) break;
      problems.push(deletedForRoom(key));
    }
    return problems;
  }

  #isFull(): boolean {
    const { maxDead, maxDeadBytes } = this.#limits;
    return this.#dead.size > maxDead || this.#rooms.total.bytes + this.#unconfirmed.total.bytes > maxDeadBytes;
  }

  /** Deletes one, and returns its entry. */
  take(key: string): { readonly entry: QueuedNotification; readonly writes: Writes } | undefined {
    const dead = this.#dead.get(key);
    if (!dead) return undefined;
    this.#dead.delete(key);
    const { letter, writes, rooms } = dead;
    rooms.delete(letter.entry);
    return { entry: letter.entry, writes };
  }

  /** Those after one, oldest first. */
  list(limit: number, after: number): DeadLetter[] {
    const letters = [...this.#dead.values()].map(({ letter }) => letter);
    return letters.filter(({ number }) => number > after).slice(0, limit);
  }
}
