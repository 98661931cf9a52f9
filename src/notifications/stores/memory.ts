/* oxlint-disable typescript/require-await -- the interface is asynchronous, this store is not */
import type { WriteRecord } from '../../core/recover/write-hook.js';
import { withoutUnknown } from '../../work/write-records.js';
import { stallsUntilSuspect } from '../handling/failure-policy.js';
import type { QueuedNotification } from '../queued-notification.js';
import { FifoMap } from '../../work/fifo-map.js';
import { Groups } from './groups.js';
import type { Group } from './groups.js';
import { MemoryLedger } from '../../work/memory-ledger.js';
import { MemoryDeadLetters } from './memory-dead-letters.js';
import { MemoryWaiting } from './memory-waiting.js';
import { deletedUnconfirmed, isLimit, resolveStoreOptions } from './store-limits.js';
import type { ResolvedLimits, StoreLimits } from './store-limits.js';
import type {
  Claim,
  Claimed,
  DeadLetter,
  EntryState,
  Lease,
  LeaseId,
  NotificationStore,
  Settlement,
  StoreStats,
  WaitingEntry,
} from './store.js';
import { bytesOf } from './waiting-list.js';
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
  const { maxRemembered = 100_000, ...limits } = resolveStoreOptions('memoryStore', options, {
    maxRemembered: isLimit,
  });
  return new MemoryStore(limits, maxRemembered);
}

/** Leases are timed by the monotonic clock: setting the time of the machine neither delays nor expires them. */
class MemoryStore implements NotificationStore {
  readonly durable = false;
  readonly shared = false;
  readonly #groups = new Groups();
  readonly #waiting: MemoryWaiting;
  /** Until when the keys of handled entries are kept. */
  readonly #processed: FifoMap<number>;
  readonly #dead: MemoryDeadLetters;
  readonly #limits: ResolvedLimits;
  #expired = 0;
  readonly #problems: string[] = [];
  readonly ledger = new MemoryLedger();

  constructor(limits: ResolvedLimits, maxRemembered: number) {
    this.#limits = limits;
    this.#processed = new FifoMap(maxRemembered);
    this.#waiting = new MemoryWaiting(limits);
    this.#dead = new MemoryDeadLetters(limits);
  }

  /** The state of an entry; `undefined` for a new one. */
  #stateOf({ key }: QueuedNotification): 'waiting' | 'processed' | undefined {
    if (this.#waiting.get(key)) return 'waiting';
    const isKnown = this.#dead.has(key) || (this.#processed.get(key) ?? 0) > Date.now();
    return isKnown ? 'processed' : undefined;
  }

  async add(entry: QueuedNotification): Promise<EntryState> {
    const state = this.#stateOf(entry);
    if (state) return state;
    this.#age();
    const bytes = bytesOf(entry);
    this.#waiting.assertRoom(entry, bytes);
    this.#groups.insert(this.#waiting.add(entry, bytes));
    return 'added';
  }

  /** Deletes what nothing has confirmed in time, or what is too much of it. */
  #age(): void {
    let count = 0;
    for (let next = this.#nextToDelete(); next && this.#remove(next); next = this.#nextToDelete()) count += 1;
    this.#expired += count;
    if (count > 0) this.#problems.push(deletedUnconfirmed(count, this.#limits));
  }

  #nextToDelete(): WaitingNotification | undefined {
    return this.#waiting.aged() ?? this.#waiting.excess();
  }

  async claim(claim: Claim): Promise<Claimed> {
    this.#age();
    const now = performance.now();
    const token = `${claim.workerId}:${crypto.randomUUID()}`;
    const leases: Lease[] = [];
    for (let next = this.#next(claim, now); next && leases.length < claim.limit; next = this.#next(claim, now))
      leases.push(this.#lease(next, claim, token, now));
    const nextAt = this.#groups.next(now, claim.routes) ? now : this.#groups.nextReadyAt(claim.routes);
    const problems = this.#problems.splice(0);
    return {
      leases,
      ...(nextAt !== undefined && { nextInMs: nextAt - now }),
      ...(problems.length > 0 && { problems }),
    };
  }

  #next({ groupId, routes }: Claim, now: number): Group | undefined {
    if (groupId === undefined) return this.#groups.next(now, routes);
    const group = this.#groups.get(groupId);
    const isFree = !group?.lease || group.turn !== undefined || group.readyAt <= now;
    return isFree ? group : undefined;
  }

  #lease(group: Group, { leaseMs, coalesce, alone = false }: Claim, token: string, now: number): Lease {
    if (group.lease) countStall(group.lease);
    const leased = group.waiting.next(coalesce);
    // A group without entries is deleted.
    if (!leased) throw new RangeError('a group is empty');
    this.#groups.lease(group, { token, leased, alone }, now + leaseMs);
    return {
      groupId: group.name,
      token,
      entry: leased.entry,
      ...(leased.lastFailure && { lastFailure: leased.lastFailure }),
      ...(leased.writes?.length && { writes: leased.writes }),
      attempt: leased.failures + leased.stalls + 1,
      stalledCount: leased.stalls,
      coalescedKeys: coalesce ? group.waiting.keysBefore(leased) : [],
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
      if (group?.lease) group.lease.alone = false;
      if (group) this.#groups.postpone(group, until);
      return group === undefined;
    });
    return lost.map(({ groupId }) => groupId);
  }

  async note(lease: LeaseId, writes: readonly WriteRecord[]): Promise<boolean> {
    const group = this.#leasedGroup(lease);
    if (group?.lease) group.waiting.keepWrites(group.lease.leased, writes);
    return group?.lease !== undefined;
  }

  async settle(settlement: Settlement): Promise<boolean> {
    const group = this.#leasedGroup(settlement);
    if (!group?.lease) return false;
    const { leased } = group.lease;
    if (settlement.writes) group.waiting.keepWrites(leased, settlement.writes);
    if (settlement.confirmed !== undefined) this.#waiting.confirm(leased, settlement.confirmed);
    this.#takeSettled(group, settlement);
    if (!settlement.unstarted) leased.stalls = 0;
    if (settlement.lastFailure) leased.lastFailure = settlement.lastFailure;
    if (settlement.retryInMs !== undefined && !settlement.released) leased.failures += 1;
    this.#groups.release(group, settlement.retryInMs ?? 0, performance.now());
    this.#age();
    return true;
  }

  #takeSettled(group: Group, { done, doneUntil, deadLetter, deduplicationMs }: Settlement): void {
    const until = Date.now() + deduplicationMs;
    const keys = doneUntil === undefined ? [] : group.waiting.keys();
    const earlier = keys.filter((key) => (this.#waiting.get(key)?.addedAt ?? 0) < (doneUntil ?? 0));
    const settled = new Set([...done, ...earlier, ...(deadLetter ? [deadLetter.key] : [])]);
    for (const waiting of group.waiting.take(settled)) {
      this.#waiting.delete(waiting);
      if (waiting.entry.key === deadLetter?.key) this.#problems.push(...this.#dead.add(waiting, deadLetter.failure));
    }
    for (const key of settled) if (key !== deadLetter?.key) remember(this.#processed, key, until);
  }

  hasDeadLetter(key: string): boolean {
    return this.#dead.has(key);
  }

  async deadLetters(limit: number, after = 0): Promise<DeadLetter[]> {
    return this.#dead.list(limit, after);
  }

  async redrive(key: string, forgetsUnknown = false): Promise<boolean> {
    const dead = this.#dead.take(key);
    if (!dead) return false;
    const { entry, writes = [] } = dead;
    const waiting = this.#waiting.add(entry, bytesOf(entry));
    waiting.writes = forgetsUnknown ? withoutUnknown(writes) : writes;
    this.#groups.insert(waiting);
    return true;
  }

  async removeDeadLetter(key: string): Promise<boolean> {
    return this.#dead.take(key) !== undefined;
  }

  async waiting(limit: number, after = 0): Promise<WaitingEntry[]> {
    const now = performance.now();
    const later = [...this.#waiting.values()].filter(({ number }) => number > after).slice(0, limit);
    return later.map((waiting) => waitingEntryOf(waiting, this.#groups.get(waiting.entry.groupId), now));
  }

  async retryNow(key: string): Promise<boolean> {
    const waiting = this.#waiting.get(key);
    const group = waiting && this.#groups.get(waiting.entry.groupId);
    if (!group || group.lease) return false;
    if (group.turn === undefined) this.#groups.release(group, 0, performance.now());
    return true;
  }

  async removeWaiting(key: string): Promise<boolean> {
    const waiting = this.#waiting.get(key);
    return waiting !== undefined && this.#remove(waiting);
  }

  /** Deletes an entry, unless its handler runs. */
  #remove(waiting: WaitingNotification): boolean {
    const { groupId, key } = waiting.entry;
    const group = this.#groups.get(groupId);
    if (!group || group.lease?.leased === waiting) return false;
    for (const taken of group.waiting.take(new Set([key]))) this.#waiting.delete(taken);
    if (group.waiting.length === 0) this.#groups.release(group, 0, performance.now());
    return true;
  }

  async stats(): Promise<StoreStats> {
    this.#age();
    const { all, ...counts } = this.#waiting.counts();
    const running = this.#groups.leased;
    return {
      waiting: all - running,
      running,
      dead: this.#dead.size,
      ...(this.#expired > 0 && { expired: this.#expired }),
      ...counts,
    };
  }
}

/** Counts a lease that has expired. From the second stall on, only one that ran alone shows that it ends the process. */
function countStall({ leased, alone }: NonNullable<Group['lease']>): void {
  if (alone || leased.stalls < stallsUntilSuspect) leased.stalls += 1;
}

function waitingEntryOf(waiting: WaitingNotification, group: Group | undefined, now: number): WaitingEntry {
  const { entry, failures, stalls, lastFailure, addedAt, number } = waiting;
  const isRunning = group?.lease?.leased === waiting;
  const nextInMs = group?.turn === undefined ? Math.max(0, (group?.readyAt ?? now) - now) : 0;
  return {
    entry,
    attempts: failures + stalls,
    ...(lastFailure && { failure: lastFailure.failure }),
    ...(!isRunning && { nextInMs }),
    addedAt,
    number,
  };
}

/** Remembers what was handled, and forgets what has expired. */
function remember(processed: FifoMap<number>, key: string, until: number): void {
  processed.delete(key);
  processed.set(key, until);
  const now = Date.now();
  for (let oldest = processed.oldest(); oldest !== undefined; oldest = processed.oldest()) {
    if ((processed.get(oldest) ?? 0) > now) break;
    processed.delete(oldest);
  }
}
