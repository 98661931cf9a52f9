import { ConfigurationError } from '../../core/errors/errors.js';
import type { QueuedNotification } from '../queued-notification.js';
import { memoryStore } from './memory.js';
import type { MemoryStore, MemoryStoreOptions } from './memory.js';
import { StoreFullError } from './store.js';
import type { Claim, DeadLetter, Lease, NotificationStore, Settlement } from './store.js';

/** What a key-value store must do. Keyv does it, and a `Map` does. Values survive JSON. */
export interface KeyValues {
  get(key: string): unknown;
  /** `ttlMs`: the value may be forgotten after so long. `false`, or a rejection, says that it was not kept. */
  set(key: string, value: unknown, ttlMs?: number): unknown;
  delete(key: string): unknown;
}

/** How a store on a key-value store is set up. */
export interface KeyValueStoreOptions extends MemoryStoreOptions {
  /** What every key begins with. Default `notifications`. */
  readonly prefix?: string | undefined;
}

/**
 * A store on any key-value store, for one process at a time: what was accepted is there again when the next begins.
 *
 * It works in memory and writes each change through. Two processes on the same keys would not see each other's.
 *
 * @example
 * const store = keyValueStore(new Map(), { prefix: 'inbox' }); // or a Keyv on whatever it is given
 */
export function keyValueStore(values: KeyValues, options: KeyValueStoreOptions = {}): NotificationStore {
  const needed = ['get', 'set', 'delete'] as const;
  const missing = needed.find((name) => typeof (values as Partial<KeyValues>)[name] !== 'function');
  if (missing) throw new ConfigurationError(`keyValueStore takes something with \`${missing}\`, such as a Keyv`);
  return new KeyValueStore(values, options);
}

/** The numbers of the waiting entries are within these bounds; which of them are in use is seen by looking. */
interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/** So many numbers are set aside at a time: a crash costs looking at so many that are not in use. */
const block = 256;

class KeyValueStore implements NotificationStore {
  readonly durable = true;
  readonly shared = false;
  readonly #values: KeyValues;
  readonly #prefix: string;
  readonly #memory: MemoryStore;
  /** The number of each waiting entry, the smallest first. */
  readonly #numbers = new Map<string, number>();
  readonly #adding = new Map<string, Promise<'added' | 'over'>>();
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
    if (kept === false) throw new Error('the key-value store did not keep a value');
  }

  async #delete(name: string): Promise<void> {
    await this.#values.delete(`${this.#prefix}:${name}`);
  }

  /** Brings back what an earlier process has left. */
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
    for (const letter of letters) this.#memory.bury(letter);
    for (const [number, entry] of entries) await this.#restore(number, entry);
  }

  /** A crash may have come between noting that an entry is over and removing it. */
  async #restore(number: number, entry: QueuedNotification): Promise<void> {
    const over = this.#memory.stateOf(entry.key) !== undefined || (await this.#isRemembered(entry.key));
    if (over) return this.#delete(`entry:${number}`);
    this.#numbers.set(entry.key, number);
    this.#memory.insert(entry);
  }

  /** The time is kept too, for stores that know no time to live. */
  async #isRemembered(key: string): Promise<boolean> {
    return Number((await this.#get(`seen:${key}`)) ?? 0) > Date.now();
  }

  async add(entry: QueuedNotification): Promise<'added' | 'waiting' | 'over'> {
    await this.#loaded();
    const state = this.#memory.stateOf(entry.key);
    if (state) return state;
    const under = this.#adding.get(entry.key);
    if (under) return (await under) === 'added' ? 'waiting' : 'over';
    const adding = this.#keep(entry).finally(() => this.#adding.delete(entry.key));
    this.#adding.set(entry.key, adding);
    return adding;
  }

  async #keep(entry: QueuedNotification): Promise<'added' | 'over'> {
    if (await this.#isRemembered(entry.key)) return 'over';
    if (this.#memory.isFull) throw new StoreFullError('As many notifications wait as may (`maxWaiting`)');
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

  async claim(claim: Claim): Promise<{ loans: Lease[]; nextInMs?: number }> {
    await this.#loaded();
    return this.#memory.claim(claim);
  }

  renew(holder: string, lanes: readonly string[], leaseMs: number): Promise<string[]> {
    return this.#memory.renew(holder, lanes, leaseMs);
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

  /** One after the other, each with the letters of its moment: an older list must not come last. */
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

  async exhume(key: string, replay: boolean): Promise<boolean> {
    await this.#loaded();
    const letter = (await this.#memory.deadLetters(Infinity)).find(({ entry }) => entry.key === key);
    if (!letter) return false;
    // Written before the letter goes: a crash between the two leaves the letter, and the entry is known to be over.
    if (replay) await this.#write(letter.entry);
    await this.#memory.exhume(key, replay);
    await this.#writeDead();
    return true;
  }
}
