import { ConfigurationError } from '../../core/errors/errors.js';
import type { QueuedNotification } from '../queued-notification.js';
import { memoryStore } from './memory.js';
import type { MemoryStore, MemoryStoreOptions } from './memory.js';
import { StoreFullError } from './store.js';
import type { Claim, DeadLetter, Lease, NotificationStore, Settlement } from './store.js';

/** The methods of a key-value store, such as a Keyv or a `Map`. Values can be serialized as JSON. */
export interface KeyValues {
  get(key: string): unknown;
  /** `ttlMs`: how long the value is needed. Returning `false`, or rejecting, means that the value was not stored. */
  set(key: string, value: unknown, ttlMs?: number): unknown;
  delete(key: string): unknown;
}

/** The options of `keyValueStore`. */
export interface KeyValueStoreOptions extends MemoryStoreOptions {
  /**
   * The prefix of every key.
   *
   * @default 'notifications'
   */
  readonly prefix?: string | undefined;
}

/**
 * Creates a store on any key-value store, for one process at a time: the next process finds the accepted notifications.
 *
 * It works in memory and writes each change through. Two processes on the same keys do not see each other's changes.
 *
 * @example
 * const store = keyValueStore(new Map(), { prefix: 'inbox' }); // or a Keyv with any backend
 */
export function keyValueStore(values: KeyValues, options: KeyValueStoreOptions = {}): NotificationStore {
  const needed = ['get', 'set', 'delete'] as const;
  const missing = needed.find((name) => typeof (values as Partial<KeyValues>)[name] !== 'function');
  if (missing)
    throw new ConfigurationError(`keyValueStore needs an object with a method \`${missing}\`, such as a Keyv`);
  return new KeyValueStore(values, options);
}

/** The range of the numbers of the waiting entries. Not every number in it is in use. */
interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/** How many numbers are reserved at a time. After a crash, that many unused numbers are read. */
const block = 256;

class KeyValueStore implements NotificationStore {
  readonly durable = true;
  readonly shared = false;
  readonly #values: KeyValues;
  readonly #prefix: string;
  readonly #memory: MemoryStore;
  /** The number of each waiting entry, the smallest first. */
  readonly #numbers = new Map<string, number>();
  readonly #adding = new Map<string, Promise<'added' | 'processed'>>();
  #next = 0;
  #reserved = 0;
  #reserving: Promise<void> | undefined;
  #loading: Promise<void> | undefined;
  #writingDead: Promise<void> = Promise.resolve();

  constructor(values: KeyValues, { prefix = 'notifications', ...options }: KeyValueStoreOptions) {
    this.#values = values;
    this.#prefix = prefix;
    this.#memory = memoryStore(options);
  }

  async #get<T>(name: string): Promise<T | undefined> {
    return ((await this.#values.get(`${this.#prefix}:${name}`)) ?? undefined) as T | undefined;
  }

  async #set(name: string, value: unknown, ttlMs?: number): Promise<void> {
    const kept = await this.#values.set(`${this.#prefix}:${name}`, value, ttlMs);
    if (kept === false) throw new Error('The key-value store did not store a value');
  }

  async #delete(name: string): Promise<void> {
    await this.#values.delete(`${this.#prefix}:${name}`);
  }

  /** Loads what an earlier process left. */
  #loaded(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const { from, to } = (await this.#get<KeyRange>('bounds')) ?? { from: 0, to: 0 };
    const letters = (await this.#get<DeadLetter[]>('dead')) ?? [];
    const entries: [number, QueuedNotification][] = [];
    for (let start = from; start < to; start += block) {
      const numbers = Array.from({ length: Math.min(block, to - start) }, (_, index) => start + index);
      const found = await Promise.all(numbers.map((number) => this.#get<QueuedNotification>(`entry:${number}`)));
      for (const [index, entry] of found.entries()) if (entry) entries.push([start + index, entry]);
    }
    this.#next = this.#reserved = to;
    for (const letter of letters) this.#memory.addDeadLetter(letter);
    for (const [number, entry] of entries) await this.#restore(number, entry);
  }

  /** A crash may have come between storing the key of a handled entry and deleting the entry. */
  async #restore(number: number, entry: QueuedNotification): Promise<void> {
    const processed = this.#memory.stateOf(entry.key) !== undefined || (await this.#isProcessed(entry.key));
    if (processed) return this.#delete(`entry:${number}`);
    this.#numbers.set(entry.key, number);
    this.#memory.insert(entry);
  }

  /** The value is the expiry time, for stores without a time to live. */
  async #isProcessed(key: string): Promise<boolean> {
    return Number((await this.#get(`seen:${key}`)) ?? 0) > Date.now();
  }

  async add(entry: QueuedNotification): Promise<'added' | 'waiting' | 'processed'> {
    await this.#loaded();
    const state = this.#memory.stateOf(entry.key);
    if (state) return state;
    const pending = this.#adding.get(entry.key);
    if (pending) return (await pending) === 'added' ? 'waiting' : 'processed';
    const adding = this.#keep(entry).finally(() => this.#adding.delete(entry.key));
    this.#adding.set(entry.key, adding);
    return adding;
  }

  async #keep(entry: QueuedNotification): Promise<'added' | 'processed'> {
    if (await this.#isProcessed(entry.key)) return 'processed';
    if (this.#memory.isFull) throw new StoreFullError('The store is full (`maxWaiting`)');
    await this.#write(entry);
    this.#memory.insert(entry);
    return 'added';
  }

  async #write(entry: QueuedNotification): Promise<void> {
    while (this.#next >= this.#reserved) await (this.#reserving ??= this.#reserve());
    const number = this.#next++;
    this.#numbers.set(entry.key, number);
    try {
      await this.#set(`entry:${number}`, entry);
    } catch (error) {
      this.#numbers.delete(entry.key);
      throw error;
    }
  }

  async #reserve(): Promise<void> {
    try {
      const [from = this.#next] = this.#numbers.values();
      const to = this.#reserved + block;
      await this.#set('bounds', { from, to } satisfies KeyRange);
      this.#reserved = to;
    } finally {
      this.#reserving = undefined;
    }
  }

  async claim(claim: Claim): Promise<{ leases: Lease[]; nextInMs?: number }> {
    await this.#loaded();
    return this.#memory.claim(claim);
  }

  renew(workerId: string, groupIds: readonly string[], leaseMs: number): Promise<string[]> {
    return this.#memory.renew(workerId, groupIds, leaseMs);
  }

  async settle(settlement: Settlement): Promise<boolean> {
    const settled = await this.#memory.settle(settlement);
    if (!settled) return false;
    const { done, deadLetter, deduplicationMs } = settlement;
    await Promise.all(done.map((key) => this.#set(`seen:${key}`, Date.now() + deduplicationMs, deduplicationMs)));
    if (deadLetter) await this.#writeDead();
    await Promise.all([...done, ...(deadLetter ? [deadLetter.key] : [])].map((key) => this.#forget(key)));
    return true;
  }

  async #forget(key: string): Promise<void> {
    const number = this.#numbers.get(key);
    this.#numbers.delete(key);
    if (number !== undefined) await this.#delete(`entry:${number}`);
  }

  /** Writes run one after the other, so that an older list never overwrites a newer one. */
  async #writeDead(): Promise<void> {
    const write = async (): Promise<void> => this.#set('dead', await this.#memory.deadLetters(Infinity));
    const written = this.#writingDead.then(write, write);
    this.#writingDead = written.catch(() => undefined);
    await written;
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    await this.#loaded();
    return this.#memory.deadLetters(limit);
  }

  async redrive(key: string): Promise<boolean> {
    await this.#loaded();
    const letter = (await this.#memory.deadLetters(Infinity)).find(({ entry }) => entry.key === key);
    if (!letter) return false;
    // The entry is written before the letter is deleted: a crash between the two leaves the letter.
    await this.#write(letter.entry);
    await this.#memory.redrive(key);
    await this.#writeDead();
    return true;
  }

  async removeDeadLetter(key: string): Promise<boolean> {
    await this.#loaded();
    const found = await this.#memory.removeDeadLetter(key);
    if (found) await this.#writeDead();
    return found;
  }
}
