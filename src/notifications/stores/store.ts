import { SellerError } from '../../core/errors/seller-error.js';
import type { QueuedNotification } from '../queued-notification.js';

/** A lane lent out: no other holder gets it before the loan ends. */
export interface Lease {
  readonly groupId: string;
  /** What to handle. */
  readonly entry: QueuedNotification;
  /** How often this entry has been lent out, this time included. */
  readonly attempt: number;
  /** The keys of older entries that `entry` stands for; empty unless coalescing was asked for. */
  readonly coalescedKeys: readonly string[];
}

/** What a holder asks for. */
export interface Claim {
  readonly workerId: string;
  /** How many lanes at most. */
  readonly limit: number;
  /** How long nobody else gets the lanes; `extend` makes it longer. */
  readonly leaseMs: number;
  /** Lend the newest entry of each lane, standing for all, instead of the oldest. */
  readonly coalesce: boolean;
  /** Only this lane, and even before its next attempt is due. */
  readonly groupId?: string | undefined;
}

/** What came of a loan. */
export interface Settlement {
  readonly workerId: string;
  readonly groupId: string;
  /** Handled: forgotten, but for the key. */
  readonly done: readonly string[];
  /** Failed: the lane rests so long. */
  readonly retryInMs?: number | undefined;
  /** Given up: goes to the dead letters. */
  readonly deadLetter?: { readonly key: string; readonly failure: string } | undefined;
  /** How long a key is remembered, so that a late duplicate is recognised. */
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
 * Where a receiver keeps what it has accepted: in memory (the default), in SQLite or Redis, in any key-value store
 * through `keyValueStore`, or in whatever implements this.
 *
 * Promised in return: an accepted notification reaches its handler at least once, lanes in order and one entry at a
 * time; a duplicate within `deduplicationMs` of its handling does not reach it again.
 */
export interface NotificationStore {
  /** Survives the end of the process. */
  readonly durable: boolean;
  /** Several processes may use it at once. */
  readonly shared: boolean;
  /**
   * Takes an entry in, and resolves once it is kept.
   *
   * @returns what was known of its key: nothing, that it waits (or is being handled), or that it is over.
   * @throws when it cannot be kept; the service will then deliver it again.
   */
  add(entry: QueuedNotification): Promise<'added' | 'waiting' | 'over'>;
  /** Lends lanes that are due. `nextInMs` says when to ask again; absent where nothing at all waits. */
  claim(claim: Claim): Promise<{ readonly loans: readonly Lease[]; readonly nextInMs?: number | undefined }>;
  /** Makes loans longer; gives those lanes that are no longer the holder's. */
  renew(holder: string, lanes: readonly string[], leaseMs: number): Promise<readonly string[]>;
  /** Ends a loan. `false`, and nothing happens, when it is no longer the holder's. */
  settle(settlement: Settlement): Promise<boolean>;
  /** The dead letters, oldest first, at most `limit`. */
  deadLetters(limit: number): Promise<readonly DeadLetter[]>;
  /** Takes a dead letter out, and with `replay` puts its entry back with no attempts behind it. `false`: no such key. */
  exhume(key: string, replay: boolean): Promise<boolean>;
  close?(): Promise<void>;
}

/**
 * A store holds as much as it was allowed to. The receiver answers 503, and the service delivers again later.
 *
 * Remedy: handle faster (`concurrency`), allow more entries, or keep them in a store that lasts.
 */
export class StoreFullError extends SellerError {
  static override readonly kind: string = 'StoreFullError';
}
