import type { QueuedNotification } from '../queued-notification.js';
import type { DeadLetter } from './store.js';

/** The methods of a key-value store, such as a Keyv or a `Map`. Values can be serialized as JSON. */
export interface KeyValues {
  get(key: string): unknown;
  /** `ttlMs`: how long the value is needed. Returning `false`, or rejecting, means that the value was not stored. */
  set(key: string, value: unknown, ttlMs?: number): unknown;
  delete(key: string): unknown;
}

/** The range of the numbers of the waiting entries. Not every number in it is in use. */
interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/** What is stored of a waiting entry. */
export interface StoredEntry {
  readonly entry: QueuedNotification;
  readonly failures: number;
  readonly stalls: number;
  /** Whether a handler was running: if the process ends then, the entry has stalled. */
  readonly leased: boolean;
}

type NumberedEntry = readonly [number: number, stored: StoredEntry];

/** What an earlier process left. */
interface StoredState {
  /** The numbers that are in use or were reserved. */
  readonly range: KeyRange;
  readonly entries: readonly NumberedEntry[];
  /** The numbers of entries that were handled: a crash came before they were deleted. */
  readonly handled: readonly number[];
  readonly deadLetters: readonly DeadLetter[];
  /** What is damaged and was left out. */
  readonly problems: readonly string[];
}

/** How many values are read at a time. */
const readsAtATime = 256;

/** The values of an inbox in a key-value store: their names, and how they are read and checked. */
export class StoredValues {
  readonly #values: KeyValues;
  readonly #prefix: string;

  constructor(values: KeyValues, prefix: string) {
    this.#values = values;
    this.#prefix = prefix;
  }

  /** @throws {Error} when the store is unreachable, or the range of the entries is damaged. */
  async load(): Promise<StoredState> {
    await this.#assertReachable();
    const range = (await this.#get('bounds')) ?? { from: 0, to: 0 };
    // Without them, the notifications cannot be found: an empty inbox would hide that.
    if (!isKeyRange(range)) throw new Error(`The value ${this.#prefix}:bounds is damaged`);
    const { letters, problems } = await this.#readDead();
    const entries: NumberedEntry[] = [];
    const handled: number[] = [];
    for (let start = range.from; start < range.to; start += readsAtATime) {
      const found = await this.#readEntries(start, Math.min(start + readsAtATime, range.to), problems);
      const areProcessed = await Promise.all(found.map(([, { entry }]) => this.isProcessed(entry.key)));
      for (const [index, numbered] of found.entries()) {
        if (areProcessed[index]) handled.push(numbered[0]);
        else entries.push(numbered);
      }
    }
    await this.#assertReachable();
    return { range, entries, handled, deadLetters: letters, problems };
  }

  async #readEntries(from: number, to: number, problems: string[]): Promise<NumberedEntry[]> {
    const numbers = Array.from({ length: to - from }, (_, index) => from + index);
    const values = await Promise.all(numbers.map((number) => this.#get(`entry:${number}`)));
    return values.flatMap((value, index) => {
      const number = from + index;
      if (isStoredEntry(value)) return [[number, value] as const];
      if (value !== undefined) problems.push(`${this.#prefix}:entry:${number} is damaged; it stays there`);
      return [];
    });
  }

  async #readDead(): Promise<{ letters: DeadLetter[]; problems: string[] }> {
    const stored = (await this.#get('dead')) ?? [];
    const letters = Array.isArray(stored) ? stored.filter(isDeadLetter) : [];
    if (Array.isArray(stored) && letters.length === stored.length) return { letters, problems: [] };
    await this.#set('dead:damaged', stored);
    return { letters, problems: [`${this.#prefix}:dead is damaged; it is in ${this.#prefix}:dead:damaged`] };
  }

  /** Many clients return nothing when their backend is unreachable: nothing is only believed of a store that works. */
  async #assertReachable(): Promise<void> {
    const probe = crypto.randomUUID();
    await this.#set('probe', probe);
    if ((await this.#get('probe')) !== probe) throw new Error('The key-value store did not return what it stored');
  }

  setRange(range: KeyRange): Promise<void> {
    return this.#set('bounds', range);
  }

  setEntry(number: number, entry: StoredEntry): Promise<void> {
    return this.#set(`entry:${number}`, entry);
  }

  async deleteEntry(number: number): Promise<void> {
    await this.#values.delete(`${this.#prefix}:entry:${number}`);
  }

  setDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    return this.#set('dead', letters);
  }

  /** The value is the expiry time, for stores without a time to live. */
  async isProcessed(key: string): Promise<boolean> {
    return Number((await this.#get(`seen:${key}`)) ?? 0) > Date.now();
  }

  setProcessed(key: string, forMs: number): Promise<void> {
    return this.#set(`seen:${key}`, Date.now() + forMs, forMs);
  }

  async #get(name: string): Promise<unknown> {
    return (await this.#values.get(`${this.#prefix}:${name}`)) ?? undefined;
  }

  async #set(name: string, value: unknown, ttlMs?: number): Promise<void> {
    const isStored = await this.#values.set(`${this.#prefix}:${name}`, value, ttlMs);
    if (isStored === false) throw new Error('The key-value store did not store a value');
  }
}

function isKeyRange(value: unknown): value is KeyRange {
  const { from, to } = value as Partial<KeyRange>;
  return (
    Number.isSafeInteger(from) && Number.isSafeInteger(to) && Number(from) >= 0 && isRange(Number(to) - Number(from))
  );
}

/** More would not be read in any useful time. */
function isRange(length: number): boolean {
  return length >= 0 && length < 2 ** 31;
}

function isStoredEntry(value: unknown): value is StoredEntry {
  const { entry, failures, stalls } = (value ?? {}) as Partial<StoredEntry>;
  return isEntry(entry) && Number.isSafeInteger(failures) && Number.isSafeInteger(stalls);
}

function isDeadLetter(value: unknown): value is DeadLetter {
  return isEntry((value as Partial<DeadLetter> | null)?.entry);
}

function isEntry(value: unknown): value is QueuedNotification {
  const { key, groupId, sentAt, notification } = (value ?? {}) as Partial<QueuedNotification>;
  const isText = typeof key === 'string' && typeof groupId === 'string';
  return isText && Number.isFinite(sentAt) && typeof notification?.user_id === 'number';
}
