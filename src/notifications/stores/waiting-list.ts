import type { WriteRecord } from '../../core/recover/write-hook.js';
import type { LastFailure } from '../handling/outcome.js';
import type { QueuedNotification } from '../queued-notification.js';

/** A waiting entry. */
export interface WaitingNotification {
  readonly entry: QueuedNotification;
  /** The length of its JSON in UTF-8. */
  readonly bytes: number;
  /** Its place among all that were added. */
  readonly number: number;
  /** When it was added, in milliseconds since 1970. */
  readonly addedAt: number;
  /** Until when it is kept if nothing confirms it, on the monotonic clock. */
  readonly until: number;
  /** What the service has shown of it: that it is true, or that it knows nothing of it. */
  confirmed?: boolean | undefined;
  failures: number;
  /** How many leases in a row expired without a result. */
  stalls: number;
  lastFailure?: LastFailure | undefined;
  /** The writes of its runs. */
  writes?: readonly WriteRecord[] | undefined;
}

/** The waiting entries of one resource: by `sentAt`, then by arrival. */
export class WaitingList {
  #items: WaitingNotification[] = [];
  /** Those with writes: what they wrote is to be known before another one is handled. */
  readonly #begun = new Set<WaitingNotification>();

  get length(): number {
    return this.#items.length;
  }

  /** The entry to handle next: one whose handler has begun to write, else the first or the last one. */
  next(isLast: boolean): WaitingNotification | undefined {
    const [begun] = this.#begun;
    return begun ?? this.#items.at(isLast ? -1 : 0);
  }

  /** The keys of the entries before one. */
  keysBefore(waiting: WaitingNotification): string[] {
    return this.#items.slice(0, this.#items.indexOf(waiting)).map(({ entry }) => entry.key);
  }

  keepWrites(waiting: WaitingNotification, writes: readonly WriteRecord[]): void {
    waiting.writes = writes;
    if (writes.length > 0) this.#begun.add(waiting);
    else this.#begun.delete(waiting);
  }

  keys(): string[] {
    return this.#items.map(({ entry }) => entry.key);
  }

  insert(waiting: WaitingNotification): void {
    if (waiting.writes?.length) this.#begun.add(waiting);
    this.#items.splice(this.#indexAfter(waiting.entry.sentAt), 0, waiting);
  }

  /** The index after the entries that were sent before a time, or at it. */
  #indexAfter(sentAt: number): number {
    let [from, to] = [0, this.#items.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#items[middle]?.entry.sentAt ?? Infinity) <= sentAt) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Removes entries, and returns them. Usually it is the first one. */
  take(keys: ReadonlySet<string>): readonly WaitingNotification[] {
    const [first] = this.#items;
    if (first && keys.size === 1 && keys.has(first.entry.key)) {
      this.#items.shift();
      this.#begun.delete(first);
      return [first];
    }
    const taken: WaitingNotification[] = [];
    const rest: WaitingNotification[] = [];
    for (const waiting of this.#items) (keys.has(waiting.entry.key) ? taken : rest).push(waiting);
    this.#items = rest;
    for (const waiting of taken) this.#begun.delete(waiting);
    return taken;
  }
}

const utf8 = new TextEncoder();

/** The length of the JSON in UTF-8. */
export function bytesOf(value: object): number {
  return utf8.encode(JSON.stringify(value)).length;
}
