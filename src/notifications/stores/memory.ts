import { ConfigurationError } from '../../core/errors/errors.js';
import type { QueuedNotification } from '../queued-notification.js';
import { Groups } from './groups.js';
import type { Group } from './groups.js';
import { StoreFullError } from './store.js';
import type { Claim, DeadLetter, Lease, NotificationStore, Settlement } from './store.js';

/** How much a store in memory holds. */
export interface MemoryStoreOptions {
  /** Notifications that wait. More are refused, and the service delivers them later. Default 100,000. */
  readonly maxWaiting?: number | undefined;
  /** Keys remembered to recognise duplicates; the oldest is forgotten first. Default 100,000. */
  readonly maxRemembered?: number | undefined;
  /** Dead letters; the oldest is dropped first. Default 10,000. */
  readonly maxDead?: number | undefined;
}

/** A store in this process's memory: what waits is lost with the process. */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return new MemoryStore(options);
}

export class MemoryStore implements NotificationStore {
  readonly durable: boolean = false;
  readonly shared = false;
  readonly #lanes = new Groups();
  readonly #waiting = new Set<string>();
  /** Keys and when they are forgotten, the oldest first. */
  readonly #remembered = new Map<string, number>();
  readonly #dead = new Map<string, DeadLetter>();
  readonly #most: Readonly<Record<keyof MemoryStoreOptions, number>>;

  constructor({ maxWaiting = 100_000, maxRemembered = 100_000, maxDead = 10_000 }: MemoryStoreOptions) {
    const wrong = Object.entries({ maxWaiting, maxRemembered, maxDead }).find(([, most]) => !(most >= 1));
    if (wrong) throw new ConfigurationError(`\`${wrong[0]}\` takes a whole number, at least 1`);
    this.#most = { maxWaiting, maxRemembered, maxDead };
  }

  /** What is known of a key. */
  stateOf(key: string): 'waiting' | 'over' | undefined {
    if (this.#waiting.has(key)) return 'waiting';
    return this.#dead.has(key) || (this.#remembered.get(key) ?? 0) > Date.now() ? 'over' : undefined;
  }

  add(entry: QueuedNotification): Promise<'added' | 'waiting' | 'over'> {
    const state = this.stateOf(entry.key);
    if (state) return Promise.resolve(state);
    if (this.isFull) {
      return Promise.reject(new StoreFullError(`${this.#most.maxWaiting} notifications wait already (\`maxWaiting\`)`));
    }
    this.insert(entry);
    return Promise.resolve('added');
  }

  get isFull(): boolean {
    return this.#waiting.size >= this.#most.maxWaiting;
  }

  insert(entry: QueuedNotification): void {
    this.#waiting.add(entry.key);
    this.#lanes.insert({ entry, attempts: 0 }, Date.now());
  }

  claim(claim: Claim): Promise<{ loans: Lease[]; nextInMs?: number }> {
    const now = Date.now();
    if (claim.groupId !== undefined) {
      const lane = this.#lanes.get(claim.groupId);
      const free = lane && (lane.workerId === undefined || lane.readyAt <= now);
      return Promise.resolve({ loans: free ? [this.#lend(lane, claim, now)] : [] });
    }
    const loans: Lease[] = [];
    let next = this.#lanes.first();
    for (; next && next.readyAt <= now && loans.length < claim.limit; next = this.#lanes.first()) {
      loans.push(this.#lend(next, claim, now));
    }
    return Promise.resolve({ loans, ...(next && { nextInMs: Math.max(0, next.readyAt - now) }) });
  }

  #lend(lane: Group, { workerId, leaseMs, coalesce }: Claim, now: number): Lease {
    const lent = lane.waiting.at(coalesce ? -1 : 0);
    // A lane is dropped as soon as nothing waits in it.
    if (!lent) throw new RangeError('a lane is empty');
    lane.workerId = workerId;
    lent.attempts += 1;
    this.#lanes.moveTo(lane, now + leaseMs);
    const coalescedKeys = coalesce ? lane.waiting.slice(0, -1).map(({ entry }) => entry.key) : [];
    return { groupId: lane.name, entry: lent.entry, attempt: lent.attempts, coalescedKeys };
  }

  #heldBy(holder: string, name: string): Group | undefined {
    const lane = this.#lanes.get(name);
    return lane?.workerId === holder ? lane : undefined;
  }

  renew(holder: string, lanes: readonly string[], leaseMs: number): Promise<string[]> {
    const until = Date.now() + leaseMs;
    const lost = lanes.filter((name) => {
      const lane = this.#heldBy(holder, name);
      if (!lane) return true;
      this.#lanes.moveTo(lane, until);
      return false;
    });
    return Promise.resolve(lost);
  }

  settle({ workerId, groupId: name, done, retryInMs = 0, deadLetter, deduplicationMs }: Settlement): Promise<boolean> {
    const lane = this.#heldBy(workerId, name);
    if (!lane) return Promise.resolve(false);
    const now = Date.now();
    const over = new Set([...done, ...(deadLetter ? [deadLetter.key] : [])]);
    for (const { entry, attempts } of lane.waiting.filter((each) => over.has(each.entry.key))) {
      this.#waiting.delete(entry.key);
      if (entry.key === deadLetter?.key)
        this.bury({ entry, attempts, failure: deadLetter.failure, deadLetteredAt: now });
      else this.remember(entry.key, now + deduplicationMs);
    }
    lane.waiting = lane.waiting.filter(({ entry }) => !over.has(entry.key));
    this.#lanes.release(lane, now + retryInMs);
    return Promise.resolve(true);
  }

  remember(key: string, until: number): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, until);
    const now = Date.now();
    for (const [oldest, forgottenAt] of this.#remembered) {
      if (forgottenAt > now && this.#remembered.size <= this.#most.maxRemembered) break;
      this.#remembered.delete(oldest);
    }
  }

  bury(letter: DeadLetter): void {
    this.#dead.set(letter.entry.key, letter);
    for (const key of this.#dead.keys()) {
      if (this.#dead.size <= this.#most.maxDead) break;
      this.#dead.delete(key);
    }
  }

  deadLetters(limit: number): Promise<DeadLetter[]> {
    return Promise.resolve([...this.#dead.values()].slice(0, limit));
  }

  exhume(key: string, replay: boolean): Promise<boolean> {
    const letter = this.#dead.get(key);
    this.#dead.delete(key);
    if (letter && replay) this.insert(letter.entry);
    return Promise.resolve(letter !== undefined);
  }
}
