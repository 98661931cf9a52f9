import type { QueuedNotification } from '../queued-notification.js';

/** A waiting entry. */
export interface WaitingNotification {
  readonly entry: QueuedNotification;
  /** The length of its JSON in UTF-8. */
  readonly bytes: number;
  failures: number;
  /** How many leases in a row expired without a result. */
  stalls: number;
}

/**
 * The waiting entries of one resource: by `sentAt`, then by arrival.
 *
 * Adding and removing at either end costs the same however many wait, because strangers can have many wait.
 */
export class WaitingList {
  #items: (WaitingNotification | undefined)[] = [];
  /** The index of the first entry. Before it is room for older ones. */
  #from = 0;

  get length(): number {
    return this.#items.length - this.#from;
  }

  /** The entry with this place; the last one with -1. */
  at(index: 0 | -1): WaitingNotification | undefined {
    return index === 0 ? this.#items[this.#from] : this.#items.at(-1);
  }

  /** The keys of all entries but the last. */
  keysBeforeLast(): string[] {
    return this.#entries()
      .slice(0, -1)
      .map(({ entry }) => entry.key);
  }

  /** The keys of the entries that were sent until a time. */
  keysUntil(sentAt: number): string[] {
    const entries = this.#items.slice(this.#from, this.#indexAfter(sentAt)) as WaitingNotification[];
    return entries.map(({ entry }) => entry.key);
  }

  insert(waiting: WaitingNotification): void {
    const index = this.#indexAfter(waiting.entry.sentAt);
    if (index === this.#items.length) this.#items.push(waiting);
    else if (index > this.#from) this.#items.splice(index, 0, waiting);
    else this.#insertFirst(waiting);
  }

  #insertFirst(waiting: WaitingNotification): void {
    if (this.#from === 0) {
      this.#from = this.#items.length;
      this.#items = [...Array.from<undefined>({ length: this.#from }), ...this.#items];
    }
    this.#items[--this.#from] = waiting;
  }

  /** The index after the entries that were sent before a time, or at it. */
  #indexAfter(sentAt: number): number {
    let [from, to] = [this.#from, this.#items.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#items[middle]?.entry.sentAt ?? Infinity) <= sentAt) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Removes entries, and returns them. Usually it is the first one. */
  take(keys: ReadonlySet<string>): readonly WaitingNotification[] {
    const first = this.at(0);
    if (keys.size === 1 && first && keys.has(first.entry.key)) {
      this.#removeFirst();
      return [first];
    }
    const entries = this.#entries();
    this.#items = entries.filter(({ entry }) => !keys.has(entry.key));
    this.#from = 0;
    return entries.filter(({ entry }) => keys.has(entry.key));
  }

  #removeFirst(): void {
    this.#items[this.#from++] = undefined;
    if (this.#from * 4 <= this.#items.length * 3) return;
    this.#items = this.#entries();
    this.#from = 0;
  }

  #entries(): WaitingNotification[] {
    return this.#items.slice(this.#from) as WaitingNotification[];
  }
}
