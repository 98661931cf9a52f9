import { ConfigurationError } from '../../core/errors/errors.js';
import type { WriteRecord } from '../../core/recover/write-hook.js';
import type { LastFailure } from '../handling/outcome.js';
import type { Ledger } from '../../work/ledger.js';
import type { QueuedNotification } from '../queued-notification.js';

/** Identifies one lease: a group that is leased again gets a new token. */
export interface LeaseId {
  readonly groupId: string;
  readonly token: string;
}

/** A leased group: no other worker gets it before the lease ends. */
export interface Lease extends LeaseId {
  /** The entry to handle. */
  readonly entry: QueuedNotification;
  /** 1 plus the earlier failures and the `stalledCount` of this entry. */
  readonly attempt: number;
  /**
   * How many leases of this entry in a row expired without a result: the process was killed, or stopped for too long. More than
   * two are counted only of leases that were claimed `alone` and not renewed.
   */
  readonly stalledCount: number;
  /** The `lastFailure` of the last settlement that had one. */
  readonly lastFailure?: LastFailure | undefined;
  /** The writes of earlier runs: those of the last `note` or settlement. */
  readonly writes?: readonly WriteRecord[] | undefined;
  /** The keys of older entries that `entry` stands for; empty unless `coalesce` is set. */
  readonly coalescedKeys: readonly string[];
}

/** A worker's request for leases. */
export interface Claim {
  /** The worker, for diagnostics. */
  readonly workerId: string;
  /** How long the leases last, in milliseconds; `renew` extends them. */
  readonly leaseMs: number;
  /**
   * What it has handlers for: topics, and `*` for all topics without a handler of their own. Other groups stay where they are.
   *
   * @default all
   */
  readonly routes?: readonly string[] | undefined;
  /** The most groups to lease. */
  readonly limit: number;
  /** Lease the newest entry of each group, in place of all its entries, instead of the oldest. */
  readonly coalesce: boolean;
  /** Lease only this group, even before its next attempt is due. */
  readonly groupId?: string | undefined;
  /**
   * Nothing else runs in the process of this worker, until it renews: if the process ends before that, the entry may be why.
   *
   * @default false
   */
  readonly alone?: boolean | undefined;
}

/** The response to a claim. */
export interface Claimed {
  readonly leases: readonly Lease[];
  /** When to claim again, in milliseconds; absent when no entry of these routes waits. */
  readonly nextInMs?: number | undefined;
  /** What the store found damaged and set aside, or deleted for want of room, since the last claim: for the log. */
  readonly problems?: readonly string[] | undefined;
}

/** The result of a lease. */
export interface Settlement extends LeaseId {
  /** Keys that are handled: entries with these keys are deleted, the keys are kept for `deduplicationMs`. */
  readonly done: readonly string[];
  /**
   * Everything about the resource that was added before then is handled too, in milliseconds since 1970: what waits is deleted,
   * and its keys are kept.
   */
  readonly doneUntil?: number | undefined;
  /** The delay before the group may be leased again, in milliseconds. Without `released`, it counts as a failure. */
  readonly retryInMs?: number | undefined;
  /** The error of a failure: kept with the entry, and given out with its next lease. */
  readonly lastFailure?: LastFailure | undefined;
  /** The writes of all runs, for an entry that is not handled yet. Without it, those that were noted are kept. */
  readonly writes?: readonly WriteRecord[] | undefined;
  /** The entry was not handled to an end: no failure is counted. Like every result, it ends a row of stalls. */
  readonly released?: boolean | undefined;
  /** The handler has not run: the row of stalls goes on. */
  readonly unstarted?: boolean | undefined;
  /**
   * What the service has shown: `true` when the resource of the entry was read, `false` when the service knows nothing of
   * it. Such entries have a room of their own.
   *
   * @default nothing new
   */
  readonly confirmed?: boolean | undefined;
  /** After the last failure: the entry that becomes a dead letter. */
  readonly deadLetter?: { readonly key: string; readonly failure: string } | undefined;
  /** How long a handled key is kept to recognize duplicates, in milliseconds. */
  readonly deduplicationMs: number;
}

/** A notification that was given up. */
export interface DeadLetter {
  readonly entry: QueuedNotification;
  readonly attempts: number;
  /** The name and the message of the last error. */
  readonly failure: string;
  /** When it was given up, in milliseconds since 1970. */
  readonly deadLetteredAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/** A notification that is not handled yet. */
export interface WaitingEntry {
  readonly entry: QueuedNotification;
  /** How many attempts have failed, or ended with the process. */
  readonly attempts: number;
  /** The name and the message of the last error; absent before the first one. */
  readonly failure?: string | undefined;
  /** When its group may be leased next, in milliseconds; 0 when it is due, absent while its handler runs. */
  readonly nextInMs?: number | undefined;
  /** When it was added, in milliseconds since 1970. */
  readonly addedAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/** What a store holds. */
export interface StoreStats {
  /** Entries that wait for a handler, or for their next attempt. */
  readonly waiting: number;
  /** Entries whose handlers run, in any process. */
  readonly running: number;
  readonly dead: number;
  /** Of those that wait: how many are about something that the service knows nothing of; absent if none. */
  readonly unconfirmed?: number | undefined;
  /** How many were deleted because nothing has confirmed them, in time or before others needed their room; absent if none. */
  readonly expired?: number | undefined;
  /** How long ago the oldest entry that is not handled yet was added, in milliseconds; absent when there is none. */
  readonly oldestAgeMs?: number | undefined;
  /** By topic. A topic that nothing waits for may be forgotten after a time. */
  readonly topics: Readonly<Record<string, TopicStats>>;
}

/** What a store knows of a topic. */
export interface TopicStats {
  /** Entries that are not handled yet. */
  readonly waiting: number;
  /** When the last one was added, in milliseconds since 1970. */
  readonly lastArrivalAt: number;
  /** How long ago the oldest of them was added, in milliseconds; absent when there is none. */
  readonly oldestAgeMs?: number | undefined;
}

/**
 * Where a receiver stores accepted notifications: memory (the default), SQLite, or your own.
 *
 * With it, the receiver guarantees: an accepted notification reaches its handler at least once; each group is handled in
 * order and one entry at a time; a duplicate within `deduplicationMs` does not reach the handler again.
 */
export interface NotificationStore {
  /** Whether entries survive the end of the process. */
  readonly durable: boolean;
  /** Whether several processes may use it at once. */
  readonly shared: boolean;
  /**
   * Stores an entry, and resolves once it is stored.
   *
   * @returns the state of its key: `'added'` if it is new, `'waiting'` until it is handled, `'processed'` after that.
   * @throws when it cannot be stored; the service then delivers it again.
   */
  add(entry: QueuedNotification): Promise<EntryState>;
  /**
   * Leases groups that are due. A group whose last lease expired without a result counts a stall for its entry; beyond two only
   * if that lease was claimed `alone` and never renewed.
   */
  claim(claim: Claim): Promise<Claimed>;
  /** Extends leases, also expired ones that no other claim has taken. Returns the groups whose lease is lost. */
  renew(leases: readonly LeaseId[], leaseMs: number): Promise<readonly string[]>;
  /**
   * Keeps the writes of the leased entry, in place of those that it has, until it is handled. Resolves once they survive a power
   * cut. Returns `false` and changes nothing when the group has been leased again since, or the lease has been settled.
   *
   * Without it, a write of a handler whose response is lost makes a dead letter.
   */
  note?(lease: LeaseId, writes: readonly WriteRecord[]): Promise<boolean>;
  /** Ends a lease. Returns `false` and changes nothing when the group has been leased again since. */
  settle(settlement: Settlement): Promise<boolean>;
  /** The dead letters after one with this number, oldest first, at most `limit`. */
  deadLetters(limit: number, after?: number): Promise<readonly DeadLetter[]>;
  /** Whether there is a dead letter with this key. Only asked of a store that is not durable. */
  hasDeadLetter?(key: string): boolean | Promise<boolean>;
  /**
   * Moves a dead letter back to the waiting entries, with its attempts reset. `false` if there is none with this key.
   *
   * @param forgetsUnknown Whether to remove the writes whose `state` is `'sent'`: a person has looked, and they are sent again.
   */
  redrive(key: string, forgetsUnknown?: boolean): Promise<boolean>;
  /** Deletes a dead letter. `false` if there is none with this key. */
  removeDeadLetter(key: string): Promise<boolean>;
  /** What waits, after the one with this number, in the order of arrival, at most `limit`. */
  waiting?(limit: number, after?: number): Promise<readonly WaitingEntry[]>;
  /** Makes the group of a waiting entry due now. `false` if there is none with this key, or its group is leased. */
  retryNow?(key: string): Promise<boolean>;
  /** Deletes a waiting entry. `false` if there is none with this key, or its handler runs. */
  removeWaiting?(key: string): Promise<boolean>;
  /** Counts what it holds. Without it, `receiver.stats()` and `openInbox` reject. */
  stats?(): Promise<StoreStats>;
  close?(): Promise<void>;
  /** Called by `openInbox`, before anything else: the store is neither created nor migrated. */
  onlyOpen?(): void;
  /**
   * What receivers keep beside the entries.
   *
   * Without it, each process looks for missed questions and messages, also for those of dead letters, and a lost response to a
   * write is a dead letter.
   */
  readonly ledger?: Ledger | undefined;
}

/** What an operator sees and changes of what a store or a queue holds. */
export type StoredNotifications = Pick<
  NotificationStore,
  | 'deadLetters'
  | 'redrive'
  | 'removeDeadLetter'
  | 'waiting'
  | 'retryNow'
  | 'removeWaiting'
  | 'stats'
  | 'close'
  | 'onlyOpen'
>;

/** The state of an entry's key. */
export type EntryState = 'added' | 'waiting' | 'processed';

/**
 * Stores an entry, and returns its state.
 *
 * @throws {TypeError} when the store does not say that it has the entry.
 */
export async function stored(store: NotificationStore, entry: QueuedNotification): Promise<EntryState> {
  const state = await store.add(entry);
  if (['added', 'waiting', 'processed'].includes(state)) return state;
  throw new TypeError('The store did not confirm that it has the notification');
}

/** @throws {ConfigurationError} when a store does not count. */
export async function statsOf(store: Pick<NotificationStore, 'stats'>): Promise<StoreStats> {
  if (!store.stats) throw new ConfigurationError('This store has no method `stats`');
  return store.stats();
}
