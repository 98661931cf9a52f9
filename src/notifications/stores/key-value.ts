import { ConfigurationError } from '../../core/errors/errors.js';
import type { QueuedNotification } from '../queued-notification.js';
import { bytesOf, memoryStore } from './memory.js';
import type { MemoryStore, MemoryStoreOptions } from './memory.js';
import { assertPrefix } from './store.js';
import type { Claim, Claimed, DeadLetter, EntryState, Lease, LeaseId, NotificationStore, Settlement } from './store.js';

/** The methods of a key-value store, such as a Keyv or a `Map`. Values can be serialized as JSON. */
export interface KeyValues {
  get(key: string): unknown;
  /** `ttlMs`: how long the value is needed. Returning `false`, or rejecting, means that the value was not stored. */
  set(key: string, value: unknown, ttlMs?: number): unknown;
  delete(key: string): unknown;
}

/** The options of `keyValueStore`. The default of `maxDead` is 1000: all dead letters are one value. */
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
  const missing = needed.find(
    (name) => typeof (values as Partial<KeyValues> | undefined | null)?.[name] !== 'function',
  );
  if (missing)
    throw new ConfigurationError(`keyValueStore needs an object with a method \`${missing}\`, such as a Keyv`);
  return new KeyValueStore(values, options);
}

/** The range of the numbers of the waiting entries. Not every number in it is in use. */
interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/** What is stored of a waiting entry. */
interface StoredEntry {
  readonly entry: QueuedNotification;
  readonly failures: number;
  readonly stalls: number;
  /** Whether a handler was running: if the process ends then, the entry has stalled. */
  readonly leased: boolean;
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
  readonly #adding = new Map<string, Promise<EntryState>>();
  /** Entries that have room, and are not in the memory yet. */
  readonly #writing = { entries: 0, bytes: 0 };
  readonly #leases = new Map<string, Lease>();
  #next = 0;
  #reserved = 0;
  #reserving: Promise<void> | undefined;
  #loading: Promise<void> | undefined;
  /** What was found damaged, until it has been told. */
  #problems: readonly string[] = [];
  #changingDead: Promise<unknown> = Promise.resolve();

  constructor(values: KeyValues, { prefix = 'notifications', ...options }: KeyValueStoreOptions) {
    assertPrefix(prefix);
    this.#values = values;
    this.#prefix = prefix;
    this.#memory = memoryStore({ maxDead: 1_000, ...options });
  }

  async #get<T>(name: string): Promise<T | undefined> {
    return ((await this.#values.get(`${this.#prefix}:${name}`)) ?? undefined) as T | undefined;
  }

  async #set(name: string, value: unknown, ttlMs?: number): Promise<void> {
    const isStored = await this.#values.set(`${this.#prefix}:${name}`, value, ttlMs);
    if (isStored === false) throw new Error('The key-value store did not store a value');
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
    await this.#assertReachable();
    const range = (await this.#get<unknown>('bounds')) ?? { from: 0, to: 0 };
    // Without them, the notifications cannot be found: an empty inbox would hide that.
    if (!isKeyRange(range)) throw new Error(`The value ${this.#prefix}:bounds is damaged`);
    const { from, to } = range;
    const stored = (await this.#get<unknown>('dead')) ?? [];
    const entries: [number, StoredEntry][] = [];
    const problems: string[] = [];
    for (let start = from; start < to; start += block) {
      const numbers = Array.from({ length: Math.min(block, to - start) }, (_, index) => start + index);
      const found = await Promise.all(numbers.map((number) => this.#get<unknown>(`entry:${number}`)));
      for (const [index, value] of found.entries()) {
        if (isStoredEntry(value)) entries.push([start + index, value]);
        else if (value !== undefined)
          problems.push(`${this.#prefix}:entry:${start + index} is damaged; it stays there`);
      }
    }
    const letters = Array.isArray(stored) ? stored.filter(isDeadLetter) : [];
    if (!Array.isArray(stored) || letters.length < stored.length) {
      await this.#set('dead:damaged', stored);
      problems.push(`${this.#prefix}:dead is damaged; it is in ${this.#prefix}:dead:damaged`);
    }
    await this.#assertReachable();
    this.#problems = problems;
    this.#next = this.#reserved = to;
    for (const letter of letters) this.#memory.addDeadLetter(letter);
    for (const [number, stored] of entries) await this.#restore(number, stored);
  }

  /** Many clients return nothing when their backend is unreachable: nothing is only believed of a store that works. */
  async #assertReachable(): Promise<void> {
    const probe = crypto.randomUUID();
    await this.#set('probe', probe);
    if ((await this.#get('probe')) !== probe) throw new Error('The key-value store did not return what it stored');
  }

  /** A crash may have come between storing the key of a handled entry and deleting the entry. */
  async #restore(number: number, { entry, failures, stalls, leased }: StoredEntry): Promise<void> {
    const processed = this.#memory.stateOf(entry.key) !== undefined || (await this.#isProcessed(entry.key));
    if (processed) return this.#delete(`entry:${number}`);
    this.#numbers.set(entry.key, number);
    this.#memory.insert(entry, bytesOf(entry), { failures, stalls: leased ? stalls + 1 : stalls });
  }

  /** The value is the expiry time, for stores without a time to live. */
  async #isProcessed(key: string): Promise<boolean> {
    return Number((await this.#get(`seen:${key}`)) ?? 0) > Date.now();
  }

  async add(entry: QueuedNotification): Promise<EntryState> {
    await this.#loaded();
    const state = this.#memory.stateOf(entry.key);
    if (state) return state;
    const pending = this.#adding.get(entry.key);
    if (pending) return (await pending) === 'added' ? 'waiting' : 'processed';
    const adding = this.#add(entry).finally(() => this.#adding.delete(entry.key));
    this.#adding.set(entry.key, adding);
    return adding;
  }

  async #add(entry: QueuedNotification): Promise<EntryState> {
    if (await this.#isProcessed(entry.key)) return 'processed';
    const bytes = bytesOf(entry);
    this.#memory.assertRoomFor(bytes, this.#writing);
    this.#writing.entries += 1;
    this.#writing.bytes += bytes;
    try {
      await this.#write(entry);
    } finally {
      this.#writing.entries -= 1;
      this.#writing.bytes -= bytes;
    }
    this.#memory.insert(entry, bytes);
    return 'added';
  }

  async #write(entry: QueuedNotification): Promise<void> {
    while (this.#next >= this.#reserved) await (this.#reserving ??= this.#reserve());
    const number = this.#next++;
    this.#numbers.set(entry.key, number);
    try {
      await this.#writeEntry({ entry, failures: 0, stalls: 0, leased: false });
    } catch (error) {
      this.#numbers.delete(entry.key);
      throw error;
    }
  }

  async #writeEntry(stored: StoredEntry): Promise<void> {
    const number = this.#numbers.get(stored.entry.key);
    if (number !== undefined) await this.#set(`entry:${number}`, stored);
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

  /** A lease is stored before it is given out, so that the next process knows which entries were being handled. */
  async claim(claim: Claim): Promise<Claimed> {
    await this.#loaded();
    const claimed = await this.#memory.claim(claim);
    try {
      await Promise.all(claimed.leases.map((lease) => this.#writeEntry(storedLease(lease, { leased: true }))));
    } catch (error) {
      const released = { done: [], retryInMs: 1_000, released: true, deduplicationMs: 0 };
      await Promise.all(claimed.leases.map((lease) => this.#memory.settle({ ...lease, ...released })));
      throw error;
    }
    for (const lease of claimed.leases) this.#leases.set(lease.groupId, lease);
    const problems = this.#problems;
    this.#problems = [];
    return problems.length > 0 ? { ...claimed, problems } : claimed;
  }

  renew(leases: readonly LeaseId[], leaseMs: number): Promise<string[]> {
    return this.#memory.renew(leases, leaseMs);
  }

  /** Everything is stored before the memory changes: a settlement that fails can be tried again. */
  async settle(settlement: Settlement): Promise<boolean> {
    const { groupId, token, done, retryInMs, released, deadLetter, deduplicationMs } = settlement;
    const lease = this.#leases.get(groupId);
    if (lease?.token !== token || (await this.#memory.renew([settlement], 60_000)).length > 0) return false;
    await Promise.all(done.map((key) => this.#set(`seen:${key}`, Date.now() + deduplicationMs, deduplicationMs)));
    if (deadLetter) {
      const letter = { entry: lease.entry, attempts: lease.attempt, failure: deadLetter.failure };
      const add = (letters: readonly DeadLetter[]): DeadLetter[] => [
        ...letters,
        { ...letter, deadLetteredAt: Date.now() },
      ];
      await this.#changeDead(add, () => this.#memory.settle(settlement));
    } else if (retryInMs !== undefined) {
      await this.#writeEntry(storedLease(lease, { failed: !released }));
    }
    this.#leases.delete(groupId);
    // An entry that stays after this is known to be processed, and the next process deletes it.
    await Promise.allSettled([...done, ...(deadLetter ? [deadLetter.key] : [])].map((key) => this.#forget(key)));
    return deadLetter ? true : this.#memory.settle(settlement);
  }

  async #forget(key: string): Promise<void> {
    const number = this.#numbers.get(key);
    if (number !== undefined) await this.#delete(`entry:${number}`);
    this.#numbers.delete(key);
  }

  /** Stores the changed list, then changes the memory. One change after the other, so that none overwrites another. */
  async #changeDead<T>(
    change: (letters: readonly DeadLetter[]) => readonly DeadLetter[],
    apply: () => Promise<T>,
  ): Promise<T> {
    const run = async (): Promise<T> => {
      await this.#set('dead', change(await this.#memory.deadLetters(Infinity)));
      return apply();
    };
    const changing = this.#changingDead.then(run, run);
    this.#changingDead = changing;
    return changing;
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
    return this.#changeDead(without(key), () => this.#memory.redrive(key));
  }

  async removeDeadLetter(key: string): Promise<boolean> {
    await this.#loaded();
    if (!this.#memory.hasDeadLetter(key)) return false;
    return this.#changeDead(without(key), () => this.#memory.removeDeadLetter(key));
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

function without(key: string) {
  return (letters: readonly DeadLetter[]): DeadLetter[] => letters.filter(({ entry }) => entry.key !== key);
}

function storedLease(
  { entry, attempt, stalledCount }: Lease,
  { leased = false, failed = false }: { leased?: boolean; failed?: boolean },
): StoredEntry {
  const failures = attempt - stalledCount - 1;
  return { entry, failures: failed ? failures + 1 : failures, stalls: stalledCount, leased };
}
