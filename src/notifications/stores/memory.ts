/* eslint-disable @typescript-eslint/require-await -- the interface is asynchronous, this store is not */
import type { QueuedNotification } from '../queued-notification.js';
import { FifoMap } from './fifo-map.js';
import { Groups } from './groups.js';
import type { Group } from './groups.js';
import { StoreFullError, assertLimit, assertNames, firstLease, newToken, resolveLimits } from './store.js';
import type {
  Claim,
  Claimant,
  Claimed,
  DeadLetter,
  EntryState,
  Lease,
  LeaseId,
  NotificationStore,
  Settlement,
  StoreLimits,
} from './store.js';
import type { WaitingNotification } from './waiting-list.js';

/** The limits of a store in memory. */
export interface MemoryStoreOptions extends StoreLimits {
  /**
   * The most keys kept to recognize duplicates; the oldest is deleted first.
   *
   * @default 100000
   */
  readonly maxRemembered?: number | undefined;
}

/**
 * Creates a store in this process's memory: waiting notifications are lost when the process ends.
 *
 * @example
 * const receiver = createReceiver({
 *   store: memoryStore({ maxWaiting: 1000 }),
 *   fallback: (notification) => console.log(notification.topic),
 * });
 */
export function memoryStore(options: MemoryStoreOptions = {}): NotificationStore {
  assertNames('memoryStore', options, ['maxRemembered']);
  return new MemoryStore(options);
}

const utf8 = new TextEncoder();
const notAscii = /[^\0-\x7F]/;

/** Leases are timed by the monotonic clock: setting the time of the machine neither delays nor expires them. */
export class MemoryStore implements NotificationStore {
  readonly durable: boolean = false;
  readonly shared = false;
  readonly #groups = new Groups();
  readonly #waiting = new Set<string>();
  /** The keys of handled entries and when they expire. */
  readonly #processed = new FifoMap<number>();
  readonly #dead = new FifoMap<{ readonly letter: DeadLetter; readonly bytes: number }>();
  readonly #limits: ReturnType<typeof resolveLimits>;
  readonly #maxRemembered: number;
  #waitingBytes = 0;
  #deadBytes = 0;

  constructor({ maxRemembered = 100_000, ...limits }: MemoryStoreOptions) {
    assertLimit('maxRemembered', maxRemembered);
    this.#maxRemembered = maxRemembered;
    this.#limits = resolveLimits(limits);
  }

  /** The state of a key; `undefined` for a new one. */
  stateOf(key: string): 'waiting' | 'processed' | undefined {
    if (this.#waiting.has(key)) return 'waiting';
    return this.#dead.has(key) || (this.#processed.get(key) ?? 0) > Date.now() ? 'processed' : undefined;
  }

  add(entry: QueuedNotification): Promise<EntryState>;
  add(entry: QueuedNotification, claimant?: Claimant): Promise<EntryState | Lease>;
  async add(entry: QueuedNotification, claimant?: Claimant): Promise<EntryState | Lease> {
    const state = this.stateOf(entry.key);
    if (state) return state;
    const bytes = bytesOf(entry);
    this.assertRoomFor(bytes);
    if (claimant && this.#isNext(entry.groupId)) return this.#insertLeased(entry, bytes, claimant);
    this.insert(entry, bytes);
    return 'added';
  }

  /** Whether a group is new, and no other one is due. */
  #isNext(groupId: string): boolean {
    return !this.#groups.get(groupId) && !this.#groups.next(performance.now());
  }

  /** @throws {StoreFullError} when the store is full, with what is being written before it is inserted. */
  assertRoomFor(bytes: number, writing = { entries: 0, bytes: 0 }): void {
    const { maxWaiting, maxWaitingBytes } = this.#limits;
    if (this.#waiting.size + writing.entries >= maxWaiting) {
      throw new StoreFullError(`${maxWaiting} notifications are waiting (\`maxWaiting\`)`);
    }
    if (this.#waitingBytes + writing.bytes + bytes > maxWaitingBytes) {
      throw new StoreFullError(`The waiting notifications have ${maxWaitingBytes} bytes (\`maxWaitingBytes\`)`);
    }
  }

  insert(entry: QueuedNotification, bytes = bytesOf(entry), counts = { failures: 0, stalls: 0 }): void {
    this.#groups.insert(this.#waitingOf(entry, bytes, counts));
  }

  #insertLeased(entry: QueuedNotification, bytes: number, { workerId, leaseMs }: Claimant): Lease {
    const leased = this.#waitingOf(entry, bytes, { failures: 0, stalls: 0 });
    const lease = firstLease(entry, newToken(workerId));
    this.#groups.insertLeased(leased, lease.token, performance.now() + leaseMs);
    return lease;
  }

  /** Counts an entry that is inserted into its group. */
  #waitingOf(
    entry: QueuedNotification,
    bytes: number,
    { failures, stalls }: { failures: number; stalls: number },
  ): WaitingNotification {
    this.#waiting.add(entry.key);
    this.#waitingBytes += bytes;
    return { entry, bytes, failures, stalls };
  }

  async claim(claim: Claim): Promise<Claimed> {
    const now = performance.now();
    const token = newToken(claim.workerId);
    if (claim.groupId !== undefined) {
      const group = this.#groups.get(claim.groupId);
      const isFree = group && (group.lease === undefined || group.turn !== undefined || group.readyAt <= now);
      return { leases: isFree ? [this.#lease(group, claim, token, now)] : [] };
    }
    const leases: Lease[] = [];
    let next = this.#groups.next(now);
    for (; next && leases.length < claim.limit; next = this.#groups.next(now)) {
      leases.push(this.#lease(next, claim, token, now));
    }
    const nextAt = next ? now : this.#groups.nextReadyAt();
    return { leases, ...(nextAt !== undefined && { nextInMs: nextAt - now }) };
  }

  #lease(group: Group, { leaseMs, coalesce }: Claim, token: string, now: number): Lease {
    if (group.lease) group.lease.leased.stalls += 1;
    const leased = group.waiting.at(coalesce ? -1 : 0);
    // A group without entries is deleted.
    if (!leased) throw new RangeError('a group is empty');
    this.#groups.lease(group, { token, leased }, now + leaseMs);
    return {
      groupId: group.name,
      token,
      entry: leased.entry,
      attempt: leased.failures + leased.stalls + 1,
      stalledCount: leased.stalls,
      coalescedKeys: coalesce ? group.waiting.keysBeforeLast() : [],
    };
  }

  #leasedGroup({ groupId, token }: LeaseId): Group | undefined {
    const group = this.#groups.get(groupId);
    return group?.lease?.token === token ? group : undefined;
  }

  async renew(leases: readonly LeaseId[], leaseMs: number): Promise<string[]> {
    const until = performance.now() + leaseMs;
    const lost = leases.filter((lease) => {
      const group = this.#leasedGroup(lease);
      if (group) this.#groups.postpone(group, until);
      return group === undefined;
    });
    return lost.map(({ groupId }) => groupId);
  }

  async settle(settlement: Settlement): Promise<boolean> {
    const group = this.#leasedGroup(settlement);
    if (!group?.lease) return false;
    const { done, retryInMs, released, deadLetter, deduplicationMs } = settlement;
    if (retryInMs !== undefined && !released) group.lease.leased.failures += 1;
    const settled = new Set([...done, ...(deadLetter ? [deadLetter.key] : [])]);
    for (const waiting of group.waiting.take(settled)) {
      this.#waiting.delete(waiting.entry.key);
      this.#waitingBytes -= waiting.bytes;
      if (waiting.entry.key === deadLetter?.key) this.addDeadLetter(deadLetterOf(waiting, deadLetter.failure));
      else this.#remember(waiting.entry.key, Date.now() + deduplicationMs);
    }
    this.#groups.release(group, retryInMs ?? 0, performance.now());
    return true;
  }

  #remember(key: string, until: number): void {
    this.#processed.delete(key);
    this.#processed.set(key, until);
    const now = Date.now();
    for (let oldest = this.#processed.oldest(); oldest !== undefined; oldest = this.#processed.oldest()) {
      if ((this.#processed.get(oldest) ?? 0) > now && this.#processed.size <= this.#maxRemembered) break;
      this.#processed.delete(oldest);
    }
  }

  addDeadLetter(letter: DeadLetter): void {
    const bytes = bytesOf(letter);
    this.#dead.set(letter.entry.key, { letter, bytes });
    this.#deadBytes += bytes;
    const { maxDead, maxDeadBytes } = this.#limits;
    for (let oldest = this.#dead.oldest(); oldest !== undefined; oldest = this.#dead.oldest()) {
      if (this.#dead.size <= maxDead && this.#deadBytes <= maxDeadBytes) break;
      this.#takeDeadLetter(oldest);
    }
  }

  #takeDeadLetter(key: string): DeadLetter | undefined {
    const dead = this.#dead.get(key);
    if (!dead) return undefined;
    this.#dead.delete(key);
    this.#deadBytes -= dead.bytes;
    return dead.letter;
  }

  hasDeadLetter(key: string): boolean {
    return this.#dead.has(key);
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    return [...this.#dead.values()].slice(0, limit).map(({ letter }) => letter);
  }

  async redrive(key: string): Promise<boolean> {
    const letter = this.#takeDeadLetter(key);
    if (letter) this.insert(letter.entry);
    return letter !== undefined;
  }

  async removeDeadLetter(key: string): Promise<boolean> {
    return this.#takeDeadLetter(key) !== undefined;
  }
}

function deadLetterOf({ entry, failures, stalls }: WaitingNotification, failure: string): DeadLetter {
  return { entry, attempts: failures + stalls + 1, failure, deadLetteredAt: Date.now() };
}

/** The length of the JSON in UTF-8. Most of it has no other characters than ASCII, and needs no count. */
export function bytesOf(value: QueuedNotification | DeadLetter): number {
  const text = JSON.stringify(value);
  return notAscii.test(text) ? utf8.encode(text).length : text.length;
}
