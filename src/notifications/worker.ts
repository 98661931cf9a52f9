import { longestTimerMs } from '../core/retry/cancel-scope.js';
import { jitteredDelay } from './backoff.js';
import { describeFailure } from './dispatcher.js';
import type { Dispatcher } from './dispatcher.js';
import type { ResolvedReceiverOptions } from './options.js';
import type { Lease, NotificationStore, Settlement } from './stores/store.js';

/** The result of one lease. */
interface HandlingResult {
  readonly keys: readonly string[];
  readonly handled: boolean;
}

interface Run {
  readonly controller: AbortController;
  readonly outcome: Promise<HandlingResult>;
}

/** Leases due entries from the store, runs their handlers, and settles the leases. */
export class Worker {
  readonly #store: NotificationStore;
  readonly #dispatcher: Dispatcher;
  readonly #options: ResolvedReceiverOptions;
  readonly #workerId = crypto.randomUUID();
  readonly #running = new Map<string, Run>();
  readonly #idle: (() => void)[] = [];
  #polling = false;
  #pollAgain = false;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(store: NotificationStore, dispatcher: Dispatcher, options: ResolvedReceiverOptions) {
    this.#store = store;
    this.#dispatcher = dispatcher;
    this.#options = options;
  }

  /** Polls the store now. */
  wake(): void {
    this.#pollAgain = true;
    if (!this.#polling && !this.#closed) void this.#poll();
  }

  /** Resolves once the store has no waiting entry and no handler is running here. */
  async idle(): Promise<void> {
    if (this.#closed) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      this.wake();
    });
  }

  /** Claims nothing more, and waits for the running handlers. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.allSettled([...this.#running.values()].map(({ outcome }) => outcome));
    clearInterval(this.#heartbeat);
    this.#resolveIdle();
  }

  #resolveIdle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Handles one entry now, after the entries before it in its group. Resolves to whether it was handled. */
  async processNow(groupId: string, key: string): Promise<boolean> {
    for (;;) {
      const outcome = await (this.#running.get(groupId)?.outcome ?? this.#lease(groupId));
      if (outcome === undefined && this.#running.has(groupId)) continue;
      if (outcome === undefined) return false;
      if (outcome.keys.includes(key) || !outcome.handled) return outcome.handled;
    }
  }

  async #lease(groupId: string): Promise<HandlingResult | undefined> {
    while (this.#running.size >= this.#options.concurrency) {
      await Promise.race([...this.#running.values()].map(({ outcome }) => outcome));
    }
    const { leaseMs, coalesce } = this.#options;
    const { leases } = await this.#store.claim({ workerId: this.#workerId, limit: 1, leaseMs, coalesce, groupId });
    return leases[0] && this.#start(leases[0]);
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    clearTimeout(this.#timer);
    const { pollMs, logger } = this.#options;
    try {
      while (this.#pollAgain && !this.#closed) {
        this.#pollAgain = false;
        await this.#claimDue();
      }
    } catch (error) {
      logger?.error(`The store of notifications failed to give out entries: ${describeFailure(error)}`);
      this.#pollIn(pollMs);
    }
    this.#polling = false;
  }

  async #claimDue(): Promise<void> {
    const { concurrency, leaseMs, coalesce, pollMs } = this.#options;
    const free = concurrency - this.#running.size;
    if (free <= 0) return;
    const { leases, nextInMs } = await this.#store.claim({ workerId: this.#workerId, limit: free, leaseMs, coalesce });
    for (const lease of leases) void this.#start(lease);
    if (leases.length === free) return;
    const isEmpty = leases.length === 0 && nextInMs === undefined;
    if (isEmpty && this.#running.size === 0) this.#resolveIdle();
    const maxDelayMs = this.#store.shared ? pollMs : Infinity;
    if (nextInMs !== undefined || this.#store.shared) this.#pollIn(Math.min(nextInMs ?? Infinity, maxDelayMs));
  }

  #pollIn(ms: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, 1), longestTimerMs));
    // Entries in memory keep the process alive; entries in a durable store are found by the next process.
    if (this.#store.durable) (this.#timer as { unref?: () => void }).unref?.();
  }

  #start(lease: Lease): Promise<HandlingResult> {
    const controller = new AbortController();
    const outcome = this.#run(lease, controller.signal).finally(() => {
      this.#running.delete(lease.groupId);
      if (this.#running.size === 0) this.#stopHeartbeat();
      this.wake();
    });
    this.#running.set(lease.groupId, { controller, outcome });
    this.#heartbeat ??= setInterval(() => void this.#renew(), this.#options.leaseMs / 3);
    return outcome;
  }

  #stopHeartbeat(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /** Renews the leases of the running handlers; aborts the signal of a handler whose lease is lost. */
  async #renew(): Promise<void> {
    try {
      const lost = await this.#store.renew(this.#workerId, [...this.#running.keys()], this.#options.leaseMs);
      for (const groupId of lost)
        this.#running.get(groupId)?.controller.abort(new Error('Another process has taken over'));
    } catch (error) {
      this.#options.logger?.error(`The leases of notifications were not renewed: ${describeFailure(error)}`);
    }
  }

  async #run(lease: Lease, signal: AbortSignal): Promise<HandlingResult> {
    const { entry, attempt, coalescedKeys } = lease;
    const keys = [...coalescedKeys, entry.key];
    try {
      // It was leased this often without an outcome: it ends the process each time.
      if (attempt > this.#options.retry.attempts) throw new Error('The process ended each time this was handled');
      await this.#dispatcher.handle(entry, { attempt, coalescedCount: coalescedKeys.length, signal });
      await this.#settle(lease, { done: keys });
      return { keys, handled: true };
    } catch (error) {
      await this.#settle(lease, this.#settlementFor(lease, error));
      return { keys, handled: false };
    }
  }

  #settlementFor(
    { entry, attempt, coalescedKeys }: Lease,
    error: unknown,
  ): Pick<Settlement, 'done' | 'retryInMs' | 'deadLetter'> {
    const { retry, logger, onFailure } = this.#options;
    const dead = attempt >= retry.attempts;
    const message = `Notification ${entry.key} (${entry.notification.topic}), attempt ${attempt}, failed`;
    logger?.[dead ? 'error' : 'warn'](dead ? `${message} for the last time` : message, {
      error: describeFailure(error),
    });
    try {
      onFailure?.({ entry, error, attempt, dead });
    } catch (thrown) {
      logger?.error(`onFailure threw: ${describeFailure(thrown)}`);
    }
    if (dead) return { done: coalescedKeys, deadLetter: { key: entry.key, failure: describeFailure(error) } };
    return { done: [], retryInMs: Math.max(jitteredDelay(attempt, retry), retryAfterOf(error)) };
  }

  /** Stores the result of a lease, with retries. If all fail, the lease expires and the entry is handled again. */
  async #settle({ groupId }: Lease, settlement: Pick<Settlement, 'done' | 'retryInMs' | 'deadLetter'>): Promise<void> {
    const { deduplicationMs, logger } = this.#options;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      try {
        await this.#store.settle({ workerId: this.#workerId, groupId, deduplicationMs, ...settlement });
        return;
      } catch (error) {
        logger?.error(`The result of a notification was not stored: ${describeFailure(error)}`);
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
      }
    }
  }
}

/** The delay that the service asked for, if the failure is one of its error responses. */
function retryAfterOf(error: unknown): number {
  const retryAfterMs = (error as { retryAfterMs?: unknown } | undefined | null)?.retryAfterMs;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : 0;
}
