import { ConfigurationError } from '../../core/errors/errors.js';
import type { QueuedNotification } from '../queued-notification.js';
import { MemoryStore, bytesOf } from './memory.js';
import type { MemoryStoreOptions } from './memory.js';
import { StoredValues } from './stored-values.js';
import type { KeyValues, StoredEntry } from './stored-values.js';
import { assertNames, assertPrefix } from './store.js';
import type { Claim, Claimed, DeadLetter, EntryState, Lease, LeaseId, NotificationStore, Settlement } from './store.js';

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
  assertNames('keyValueStore', options, ['prefix', 'maxRemembered']);
  return new KeyValueStore(values, options);
}

/** How many numbers are reserved at a time. After a crash, that many unused numbers are read. */
const block = 256;

class KeyValueStore implements NotificationStore {
  readonly durable = true;
  readonly shared = false;
  readonly #stored: StoredValues;
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

  constructor(values: KeyValues, { prefix = 'notifications', maxDead = 1_000, ...options }: KeyValueStoreOptions) {
    assertPrefix(prefix);
    this.#stored = new StoredValues(values, prefix);
    this.#memory = new MemoryStore({ maxDead, ...options });
  }

  /** Loads what an earlier process left. */
  #loaded(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Everything is read before the memory changes: if a read fails, all of it is tried again. */
  async #load(): Promise<void> {
    const { range, entries, handled, deadLetters, problems } = await this.#stored.load();
    this.#problems = problems;
    this.#next = this.#reserved = range.to;
    for (const letter of deadLetters) this.#memory.addDeadLetter(letter);
    const redundant = entries.filter(([number, stored]) => !this.#restore(number, stored)).map(([number]) => number);
    // One that is not deleted now is found to be redundant again.
    await Promise.allSettled([...handled, ...redundant].map((number) => this.#stored.deleteEntry(number)));
  }

  /** Returns `false` for an entry that is there already: a crash came while it was moved to or from the dead letters. */
  #restore(number: number, { entry, failures, stalls, leased }: StoredEntry): boolean {
    if (this.#memory.stateOf(entry.key) !== undefined) return false;
    this.#numbers.set(entry.key, number);
    this.#memory.insert(entry, bytesOf(entry), { failures, stalls: leased ? stalls + 1 : stalls });
    return true;
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
    if (await this.#stored.isProcessed(entry.key)) return 'processed';
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
    if (number !== undefined) await this.#stored.setEntry(number, stored);
  }

  async #reserve(): Promise<void> {
    try {
      const [from = this.#next] = this.#numbers.values();
      const to = this.#reserved + block;
      await this.#stored.setRange({ from, to });
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
    await Promise.all(done.map((key) => this.#stored.setProcessed(key, deduplicationMs)));
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
    if (number !== undefined) await this.#stored.deleteEntry(number);
    this.#numbers.delete(key);
  }

  /** Stores the changed list, then changes the memory. One change after the other, so that none overwrites another. */
  async #changeDead<T>(
    change: (letters: readonly DeadLetter[]) => readonly DeadLetter[],
    apply: () => Promise<T>,
  ): Promise<T> {
    const run = async (): Promise<T> => {
      await this.#stored.setDeadLetters(change(await this.#memory.deadLetters(Infinity)));
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
