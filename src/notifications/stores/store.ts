import { SellerError } from '../../core/errors/seller-error.js';
import type { QueuedNotification } from '../queued-notification.js';

/** A leased group: no other worker gets it before the lease ends. */
export interface Lease {
  readonly groupId: string;
  /** The entry to handle. */
  readonly entry: QueuedNotification;
  /** How many times this entry has been leased, this time included. */
  readonly attempt: number;
  /** The keys of older entries that `entry` stands for; empty unless `coalesce` is set. */
  readonly coalescedKeys: readonly string[];
}

/** A worker's request for leases. */
export interface Claim {
  readonly workerId: string;
  /** The most groups to lease. */
  readonly limit: number;
  /** How long the leases last, in milliseconds; `renew` extends them. */
  readonly leaseMs: number;
  /** Lease the newest entry of each group, in place of all its entries, instead of the oldest. */
  readonly coalesce: boolean;
  /** Lease only this group, even before its next attempt is due. */
  readonly groupId?: string | undefined;
}

/** The result of a lease. */
export interface Settlement {
  readonly workerId: string;
  readonly groupId: string;
  /** The keys of the handled entries: the entries are deleted, the keys are kept for `deduplicationMs`. */
  readonly done: readonly string[];
  /** After a failure: the delay before the group may be leased again, in milliseconds. */
  readonly retryInMs?: number | undefined;
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
}

/**
 * Where a receiver stores accepted notifications: memory (the default), SQLite, Redis, any key-value store, or your own.
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
  add(entry: QueuedNotification): Promise<'added' | 'waiting' | 'processed'>;
  /** Leases groups that are due. `nextInMs` says when to claim again; it is absent when no entry waits. */
  claim(claim: Claim): Promise<{ readonly leases: readonly Lease[]; readonly nextInMs?: number | undefined }>;
  /** Extends a worker's leases. Returns the groups that the worker no longer leases. */
  renew(workerId: string, groupIds: readonly string[], leaseMs: number): Promise<readonly string[]>;
  /** Ends a lease. Returns `false` and changes nothing when the worker no longer has it. */
  settle(settlement: Settlement): Promise<boolean>;
  /** The dead letters, oldest first, at most `limit`. */
  deadLetters(limit: number): Promise<readonly DeadLetter[]>;
  /** Moves a dead letter back to the waiting entries, with its attempts reset. `false` if there is none with this key. */
  redrive(key: string): Promise<boolean>;
  /** Deletes a dead letter. `false` if there is none with this key. */
  removeDeadLetter(key: string): Promise<boolean>;
  close?(): Promise<void>;
}

/**
 * A store is full. The receiver responds 503, and the service delivers the notification again later.
 *
 * Remedy: raise `concurrency` or the store's `maxWaiting`, or use a durable store.
 */
export class StoreFullError extends SellerError {
  static override readonly kind: string = 'StoreFullError';
}
