import { failureOf } from './dispatcher.js';
import type { Dispatcher } from './dispatcher.js';
import type { ResolvedReceiverOptions } from './options.js';
import type { Lease, NotificationStore, Settlement } from './stores/store.js';

/** How a loan ended. */
interface HandlingResult {
  readonly keys: readonly string[];
  readonly handled: boolean;
}

interface Run {
  readonly controller: AbortController;
  readonly outcome: Promise<HandlingResult>;
}

/** The longest wait that a timer takes. */
const longestTimerMs = 2 ** 31 - 1;

/** Borrows what is due from the store, has it handled, and tells the store what came of it. */
export class Worker {
  readonly #store: NotificationStore;
  readonly #handling: Dispatcher;
  readonly #settings: ResolvedReceiverOptions;
  readonly #holder = crypto.randomUUID();
  readonly #running = new Map<string, Run>();
  readonly #idle: (() => void)[] = [];
  #looking = false;
  #lookAgain = false;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(store: NotificationStore, handling: Dispatcher, settings: ResolvedReceiverOptions) {
    this.#store = store;
    this.#handling = handling;
    this.#settings = settings;
  }

  /** Looks for work. */
  wake(): void {
    this.#lookAgain = true;
    if (!this.#looking && !this.#closed) void this.#poll();
  }

  /** Resolves once nothing waits in the store and nothing is being handled here. */
  async idle(): Promise<void> {
    if (this.#closed) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      this.wake();
    });
  }

  /** Takes nothing more on, and waits for what is being handled. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.allSettled([...this.#running.values()].map(({ outcome }) => outcome));
    clearInterval(this.#heartbeat);
    this.#release();
  }

  #release(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Handles one entry at once, and what stands before it in its lane. Whether it was handled. */
  async processNow(lane: string, key: string): Promise<boolean> {
    for (;;) {
      const outcome = await (this.#running.get(lane)?.outcome ?? this.#lease(lane));
      if (outcome === undefined && this.#running.has(lane)) continue;
      if (outcome === undefined) return false;
      if (outcome.keys.includes(key) || !outcome.handled) return outcome.handled;
    }
  }

  async #lease(groupId: string): Promise<HandlingResult | undefined> {
    while (this.#running.size >= this.#settings.concurrency) {
      await Promise.race([...this.#running.values()].map(({ outcome }) => outcome));
    }
    const { leaseMs, coalesce } = this.#settings;
    const { loans } = await this.#store.claim({ workerId: this.#holder, limit: 1, leaseMs, coalesce, groupId });
    return loans[0] && this.#start(loans[0]);
  }

  async #poll(): Promise<void> {
    this.#looking = true;
    clearTimeout(this.#timer);
    const { pollMs, logger } = this.#settings;
    try {
      while (this.#lookAgain && !this.#closed) {
        this.#lookAgain = false;
        await this.#takeWhatIsDue();
      }
    } catch (error) {
      logger?.error(`The store of notifications gave nothing: ${failureOf(error)}`);
      this.#pollStore(pollMs);
    }
    this.#looking = false;
  }

  async #takeWhatIsDue(): Promise<void> {
    const { concurrency, leaseMs, coalesce, pollMs } = this.#settings;
    const free = concurrency - this.#running.size;
    if (free <= 0) return;
    const { loans, nextInMs } = await this.#store.claim({ workerId: this.#holder, limit: free, leaseMs, coalesce });
    for (const loan of loans) void this.#start(loan);
    if (loans.length === free) return;
    const nothingWaits = loans.length === 0 && nextInMs === undefined;
    if (nothingWaits && this.#running.size === 0) this.#release();
    const most = this.#store.shared ? pollMs : Infinity;
    if (nextInMs !== undefined || this.#store.shared) this.#pollStore(Math.min(nextInMs ?? Infinity, most));
  }

  #pollStore(ms: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, 1), longestTimerMs));
    // What waits in memory keeps the process alive; what a durable store holds is found again by the next one.
    if (this.#store.durable) (this.#timer as { unref?: () => void }).unref?.();
  }

  #start(loan: Lease): Promise<HandlingResult> {
    const controller = new AbortController();
    const outcome = this.#run(loan, controller.signal).finally(() => {
      this.#running.delete(loan.groupId);
      if (this.#running.size === 0) this.#stopHeartbeat();
      this.wake();
    });
    this.#running.set(loan.groupId, { controller, outcome });
    this.#heartbeat ??= setInterval(() => void this.#extend(), this.#settings.leaseMs / 3);
    return outcome;
  }

  #stopHeartbeat(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /** Keeps what is being handled from being lent to others; a handler whose loan is lost is told to stop. */
  async #extend(): Promise<void> {
    try {
      const lost = await this.#store.renew(this.#holder, [...this.#running.keys()], this.#settings.leaseMs);
      for (const lane of lost) this.#running.get(lane)?.controller.abort(new Error('Another process has taken over'));
    } catch (error) {
      this.#settings.logger?.error(`Loans of notifications could not be extended: ${failureOf(error)}`);
    }
  }

  async #run(loan: Lease, signal: AbortSignal): Promise<HandlingResult> {
    const { entry, attempt, coalescedKeys } = loan;
    const keys = [...coalescedKeys, entry.key];
    try {
      // It was lent out so often without any outcome: whatever it does, it ends the process.
      if (attempt > this.#settings.retry.attempts) throw new Error('The process ended whenever this was handled');
      await this.#handling.handle(entry, { attempt, coalescedCount: coalescedKeys.length, signal });
      await this.#settle(loan, { done: keys });
      return { keys, handled: true };
    } catch (error) {
      await this.#settle(loan, this.#settlementFor(loan, error));
      return { keys, handled: false };
    }
  }

  #settlementFor(
    { entry, attempt, coalescedKeys }: Lease,
    error: unknown,
  ): Pick<Settlement, 'done' | 'retryInMs' | 'deadLetter'> {
    const { retry, logger, onFailure } = this.#settings;
    const dead = attempt >= retry.attempts;
    const what = `Notification ${entry.key} (${entry.notification.topic}), attempt ${attempt}, failed`;
    logger?.[dead ? 'error' : 'warn'](dead ? `${what} for good` : what, { error: failureOf(error) });
    try {
      onFailure?.({ entry, error, attempt, dead });
    } catch (thrown) {
      logger?.error(`onFailure threw: ${failureOf(thrown)}`);
    }
    if (dead) return { done: coalescedKeys, deadLetter: { key: entry.key, failure: failureOf(error) } };
    return { done: [], retryInMs: Math.max(waitAfter(attempt, retry), askedWait(error)) };
  }

  /** Tells the store, and again when it fails; should it never hear it, the loan ends and the entry is handled again. */
  async #settle({ groupId }: Lease, what: Pick<Settlement, 'done' | 'retryInMs' | 'deadLetter'>): Promise<void> {
    const { deduplicationMs, logger } = this.#settings;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      try {
        await this.#store.settle({ workerId: this.#holder, groupId, deduplicationMs, ...what });
        return;
      } catch (error) {
        logger?.error(`What came of a notification could not be stored: ${failureOf(error)}`);
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
      }
    }
  }
}

/** Twice as long each time, less up to half at random, so that what failed together does not come back together. */
function waitAfter(attempt: number, { baseMs, capMs }: HandlingRetry): number {
  return Math.min(capMs, baseMs * 2 ** (attempt - 1)) * (1 - Math.random() / 2);
}

type HandlingRetry = ResolvedReceiverOptions['retry'];

/** How long the service asked to wait, where the failure is one of its refusals. */
function askedWait(error: unknown): number {
  const asked = (error as { retryAfterMs?: unknown } | undefined | null)?.retryAfterMs;
  return typeof asked === 'number' && asked > 0 ? asked : 0;
}
