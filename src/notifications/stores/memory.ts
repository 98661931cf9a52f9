import { ConfigurationError } from '../../core/errors/errors.js';
import type { QueuedNotification } from '../queued-notification.js';
import { Groups } from './groups.js';
import type { Group } from './groups.js';
import { StoreFullError } from './store.js';
import type { Claim, DeadLetter, Lease, NotificationStore, Settlement } from './store.js';

/** The limits of a store in memory. */
export interface MemoryStoreOptions {
  /**
   * The most waiting notifications. The response to more is 503, and the service delivers them later.
   *
   * @default 100000
   */
  readonly maxWaiting?: number | undefined;
  /**
   * The most keys kept to recognize duplicates; the oldest is dropped first.
   *
   * @default 100000
   */
  readonly maxRemembered?: number | undefined;
  /**
   * The most dead letters; the oldest is dropped first.
   *
   * @default 10000
   */
  readonly maxDead?: number | undefined;
}

/** Creates a store in this process's memory: waiting notifications are lost when the process ends. */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return new MemoryStore(options);
}

export class MemoryStore implements NotificationStore {
  readonly durable: boolean = false;
  readonly shared = false;
  readonly #groups = new Groups();
  readonly #waiting = new Set<string>();
  /** The keys of handled entries and when they expire, oldest first. */
  readonly #remembered = new Map<string, number>();
  readonly #dead = new Map<string, DeadLetter>();
  readonly #limits: Readonly<Record<keyof MemoryStoreOptions, number>>;

  constructor({ maxWaiting = 100_000, maxRemembered = 100_000, maxDead = 10_000 }: MemoryStoreOptions) {
    const invalid = Object.entries({ maxWaiting, maxRemembered, maxDead }).find(([, limit]) => !(limit >= 1));
    if (invalid) throw new ConfigurationError(`\`${invalid[0]}\` must be a whole number of at least 1`);
    this.#limits = { maxWaiting, maxRemembered, maxDead };
  }

  /** The state of a key; `undefined` for a new one. */
  stateOf(key: string): 'waiting' | 'processed' | undefined {
    if (this.#waiting.has(key)) return 'waiting';
    return this.#dead.has(key) || (this.#remembered.get(key) ?? 0) > Date.now() ? 'processed' : undefined;
  }

  add(entry: QueuedNotification): Promise<'added' | 'waiting' | 'processed'> {
    const state = this.stateOf(entry.key);
    if (state) return Promise.resolve(state);
    if (this.isFull) {
      return Promise.reject(
        new StoreFullError(`${this.#limits.maxWaiting} notifications are waiting (\`maxWaiting\`)`),
      );
    }
    this.insert(entry);
    return Promise.resolve('added');
  }

  get isFull(): boolean {
    return this.#waiting.size >= this.#limits.maxWaiting;
  }

  insert(entry: QueuedNotification): void {
    this.#waiting.add(entry.key);
    this.#groups.insert({ entry, attempts: 0 }, Date.now());
  }

  claim(claim: Claim): Promise<{ leases: Lease[]; nextInMs?: number }> {
    const now = Date.now();
    if (claim.groupId !== undefined) {
      const group = this.#groups.get(claim.groupId);
      const free = group && (group.workerId === undefined || group.readyAt <= now);
      return Promise.resolve({ leases: free ? [this.#leaseGroup(group, claim, now)] : [] });
    }
    const leases: Lease[] = [];
    let next = this.#groups.first();
    for (; next && next.readyAt <= now && leases.length < claim.limit; next = this.#groups.first()) {
      leases.push(this.#leaseGroup(next, claim, now));
    }
    return Promise.resolve({ leases, ...(next && { nextInMs: Math.max(0, next.readyAt - now) }) });
  }

  #leaseGroup(group: Group, { workerId, leaseMs, coalesce }: Claim, now: number): Lease {
    const leased = group.waiting.at(coalesce ? -1 : 0);
    // A group without entries is deleted.
    if (!leased) throw new RangeError('a group is empty');
    group.workerId = workerId;
    leased.attempts += 1;
    this.#groups.moveTo(group, now + leaseMs);
    const coalescedKeys = coalesce ? group.waiting.slice(0, -1).map(({ entry }) => entry.key) : [];
    return { groupId: group.name, entry: leased.entry, attempt: leased.attempts, coalescedKeys };
  }

  #groupLeasedBy(workerId: string, name: string): Group | undefined {
    const group = this.#groups.get(name);
    return group?.workerId === workerId ? group : undefined;
  }

  renew(workerId: string, groupIds: readonly string[], leaseMs: number): Promise<string[]> {
    const until = Date.now() + leaseMs;
    const lost = groupIds.filter((name) => {
      const group = this.#groupLeasedBy(workerId, name);
      if (!group) return true;
      this.#groups.moveTo(group, until);
      return false;
    });
    return Promise.resolve(lost);
  }

  settle({ workerId, groupId: name, done, retryInMs = 0, deadLetter, deduplicationMs }: Settlement): Promise<boolean> {
    const group = this.#groupLeasedBy(workerId, name);
    if (!group) return Promise.resolve(false);
    const now = Date.now();
    const settled = new Set([...done, ...(deadLetter ? [deadLetter.key] : [])]);
    for (const { entry, attempts } of group.waiting.filter((each) => settled.has(each.entry.key))) {
      this.#waiting.delete(entry.key);
      if (entry.key === deadLetter?.key)
        this.addDeadLetter({ entry, attempts, failure: deadLetter.failure, deadLetteredAt: now });
      else this.remember(entry.key, now + deduplicationMs);
    }
    group.waiting = group.waiting.filter(({ entry }) => !settled.has(entry.key));
    this.#groups.release(group, now + retryInMs);
    return Promise.resolve(true);
  }

  remember(key: string, until: number): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, until);
    const now = Date.now();
    for (const [oldest, expiresAt] of this.#remembered) {
      if (expiresAt > now && this.#remembered.size <= this.#limits.maxRemembered) break;
      this.#remembered.delete(oldest);
    }
  }

  addDeadLetter(letter: DeadLetter): void {
    this.#dead.set(letter.entry.key, letter);
    for (const key of this.#dead.keys()) {
      if (this.#dead.size <= this.#limits.maxDead) break;
      this.#dead.delete(key);
    }
  }

  deadLetters(limit: number): Promise<DeadLetter[]> {
    return Promise.resolve([...this.#dead.values()].slice(0, limit));
  }

  redrive(key: string): Promise<boolean> {
    const letter = this.#dead.get(key);
    this.#dead.delete(key);
    if (letter) this.insert(letter.entry);
    return Promise.resolve(letter !== undefined);
  }

  removeDeadLetter(key: string): Promise<boolean> {
    return Promise.resolve(this.#dead.delete(key));
  }
}
