import { longestTimerMs } from '../core/retry/cancel-scope.js';
import { exponentialDelay } from './backoff.js';
import type { Dispatcher } from './dispatcher.js';
import { describeFailure } from './errors.js';
import { consequenceOf, hasStalledTooOften } from './failure-policy.js';
import { Isolation } from './isolation.js';
import { LeaseRenewal } from './lease-renewal.js';
import type { QueuedNotification } from './queued-notification.js';
import type { Reporter } from './reporter.js';
import type { ResolvedReceiverOptions } from './resolve-options.js';
import { endsWithin } from './time-limit.js';
import type { Claim, Claimed, Lease, NotificationStore, Settlement } from './stores/store.js';

/** The result of one lease. */
interface RunResult {
  readonly keys: readonly string[];
  readonly handled: boolean;
}

interface Run {
  lease: Lease;
  /**
   * A later lease of the same group: the worker stood still for longer than the first one, or has stored its result already
   * and does not know it yet.
   */
  next: Lease | undefined;
  readonly controller: AbortController;
  readonly result: Promise<RunResult>;
}

/** Waits for the next result of a group; `undefined` when the group cannot be leased now. */
interface Request {
  readonly resolve: (result: Promise<RunResult> | undefined) => void;
  readonly reject: (error: unknown) => void;
}

type Result = Pick<Settlement, 'done' | 'retryInMs' | 'released' | 'deadLetter'>;

class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

const settleBackoff = { baseMs: 200, capMs: 5_000 };

/** How long handlers may take to end after `close` has aborted their signals, in milliseconds. */
export const abortGraceMs = 1_000;

/** Leases due entries from the store, runs their handlers, and settles the leases. */
export class Worker {
  readonly #store: NotificationStore;
  readonly #dispatcher: Dispatcher;
  readonly #options: ResolvedReceiverOptions;
  readonly #reporter: Reporter;
  readonly #workerId = crypto.randomUUID();
  readonly #runs = new Map<string, Run>();
  /** Groups to lease before others, for `processNow`. */
  readonly #requests = new Map<string, Request[]>();
  readonly #idle: (() => void)[] = [];
  readonly #isolation = new Isolation();
  readonly #renewal: LeaseRenewal;
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  #closed = false;
  #aborted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  constructor(store: NotificationStore, dispatcher: Dispatcher, options: ResolvedReceiverOptions, reporter: Reporter) {
    this.#store = store;
    this.#dispatcher = dispatcher;
    this.#options = options;
    this.#reporter = reporter;
    const leases = (): Lease[] => [...this.#runs.values()].map(({ lease, next }) => next ?? lease);
    this.#renewal = new LeaseRenewal(store, options.leaseMs, reporter, leases, (groupId, renewed) => {
      const run = this.#runs.get(groupId);
      if (run && renewed.includes(run.next ?? run.lease)) loseLease(run);
    });
  }

  /** Polls the store now. */
  wake(): void {
    this.#pollAgain = true;
    if (this.#closed) return;
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
      if (this.#pollAgain) this.wake();
    });
  }

  /** Resolves once the store has no waiting entry and no handler is running here. Keeps the process alive meanwhile. */
  async idle(): Promise<void> {
    if (this.#closed) return;
    this.#keepAlive ??= setInterval(() => undefined, longestTimerMs);
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      this.wake();
    });
  }

  #resolveIdle(): void {
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Claims nothing more, waits for the running handlers, then aborts their signals. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#answerRequests(() => undefined);
    if (!(await endsWithin(graceMs, this.#end()))) {
      this.#aborted = true;
      for (const { controller } of this.#runs.values()) controller.abort(new Error('The receiver is closing'));
      await endsWithin(abortGraceMs, this.#end());
    }
    this.#renewal.stop();
    this.#resolveIdle();
  }

  /** Resolves once the store gives out nothing more and no handler is running. */
  async #end(): Promise<void> {
    await this.#polling;
    await Promise.all([...this.#runs.values()].map(({ result }) => result));
  }

  /** Handles one entry now, after the entries before it in its group. Resolves to whether it was handled. */
  async processNow({ groupId, key }: QueuedNotification, isProcessed: () => Promise<boolean>): Promise<boolean> {
    while (!this.#closed) {
      const result = await this.#nextResult(groupId);
      if (result && (result.keys.includes(key) || !result.handled)) return result.handled;
      if (result) continue;
      // Another worker has the group, or has just handled the entry.
      if (await isProcessed()) return true;
      await new Promise((resolve) => setTimeout(resolve, this.#options.pollMs));
    }
    return false;
  }

  #nextResult(groupId: string): Promise<RunResult | undefined> {
    const running = this.#runs.get(groupId);
    if (running) return running.result;
    return new Promise<RunResult | undefined>((resolve, reject) => {
      const requests = this.#requests.get(groupId) ?? [];
      requests.push({ resolve, reject });
      this.#requests.set(groupId, requests);
      this.wake();
    });
  }

  /** Resolves requests; `undefined` for all of them, or those of one group. */
  #answerRequests(result: () => Promise<RunResult> | undefined, groupId?: string): void {
    for (const [id, requests] of this.#requests) {
      if (groupId !== undefined && id !== groupId) continue;
      this.#requests.delete(id);
      for (const { resolve } of requests) resolve(result());
    }
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      while (this.#pollAgain && !this.#closed) {
        this.#pollAgain = false;
        if (this.#renewal.isLate()) await this.#renewal.renew();
        if (this.#requests.size > 0) await this.#claimRequested();
        await this.#claimDue();
      }
    } catch (error) {
      this.#reporter.failed('The store of notifications failed to give out entries', error);
      for (const requests of this.#requests.values()) for (const { reject } of requests) reject(error);
      this.#requests.clear();
      this.#pollAgain = false;
      this.#pollIn(this.#options.pollMs);
    }
  }

  async #claimRequested(): Promise<void> {
    const next = this.#isolation.next(this.#runs.size, this.#options.concurrency);
    if (!next || next.groupId !== undefined) return;
    const groupIds = [...this.#requests.keys()].filter((groupId) => !this.#runs.has(groupId)).slice(0, next.limit);
    const claimed = await Promise.all(groupIds.map((groupId) => this.#claim({ limit: 1, groupId })));
    await this.#admit(claimed.flatMap(({ leases }) => leases));
    for (const [index, { leases }] of claimed.entries()) {
      if (leases.length === 0) this.#answerRequests(() => undefined, groupIds[index]);
    }
    if (this.#requests.size > 0) this.#pollAgain = true;
  }

  async #claimDue(): Promise<void> {
    const next = this.#isolation.next(this.#runs.size, this.#options.concurrency);
    if (!next) return;
    const { leases, nextInMs } = await this.#claim(next);
    await this.#admit(leases);
    // There may be more than was asked for.
    if (leases.length === next.limit || next.groupId !== undefined) this.#pollAgain = true;
    else this.#pollLater(leases.length, nextInMs);
  }

  #pollLater(claimed: number, nextInMs: number | undefined): void {
    const isEmpty = claimed === 0 && nextInMs === undefined;
    if (isEmpty && this.#runs.size === 0 && this.#requests.size === 0) this.#resolveIdle();
    const maxDelayMs = this.#store.shared ? this.#options.pollMs : Infinity;
    if (nextInMs !== undefined || this.#store.shared) this.#pollIn(Math.min(nextInMs ?? Infinity, maxDelayMs));
  }

  async #claim(claim: Pick<Claim, 'limit' | 'groupId'>): Promise<Claimed> {
    const { leaseMs, coalesce } = this.#options;
    const claimed = await this.#store.claim({ workerId: this.#workerId, leaseMs, coalesce, ...claim });
    for (const problem of claimed.problems ?? []) this.#reporter.failed(problem);
    return claimed;
  }

  async #admit(leases: readonly Lease[]): Promise<void> {
    const { start, release } = this.#closed
      ? { start: [], release: leases }
      : this.#isolation.admit(leases, this.#runs.size);
    if (release.length > 0) {
      await Promise.all(release.map((lease) => this.#settle(lease, { done: [], retryInMs: 0, released: true })));
      this.#pollAgain = true;
    }
    for (const lease of start) this.#start(lease);
  }

  #pollIn(ms: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, 1), longestTimerMs));
    // Entries in memory keep the process alive; entries in a durable store are found by the next process.
    if (this.#store.durable) (this.#timer as { unref?: () => void }).unref?.();
  }

  #start(lease: Lease): void {
    const running = this.#runs.get(lease.groupId);
    // Its handler goes on: a worker never runs one group twice.
    if (running) running.next = lease;
    else this.#run(lease);
    this.#answerRequests(() => this.#runs.get(lease.groupId)?.result, lease.groupId);
  }

  #run(lease: Lease): void {
    const { promise: result, resolve } = Promise.withResolvers<RunResult>();
    const run: Run = { lease, next: undefined, controller: new AbortController(), result };
    this.#runs.set(lease.groupId, run);
    this.#renewal.start();
    void this.#handle(run)
      .catch((error: unknown): RunResult => {
        this.#reporter.failed('The store gave out an entry that cannot be handled', error);
        return { keys: [], handled: false };
      })
      .then((handled) => {
        resolve(handled);
        this.#runs.delete(lease.groupId);
        if (run.next) this.#run(run.next);
        if (this.#runs.size === 0) this.#renewal.pause();
        this.wake();
      });
  }

  async #handle(run: Run): Promise<RunResult> {
    const { lease, controller } = run;
    const { entry, attempt, coalescedKeys } = lease;
    const keys = [...coalescedKeys, entry.key];
    try {
      this.#assertNotStalledTooOften(lease);
      await this.#dispatcher.handle(entry, { attempt, coalescedCount: coalescedKeys.length, controller });
    } catch (error) {
      if (controller.signal.reason instanceof LeaseLostError) return { keys, handled: false };
      const result = this.#resultOf(lease, error);
      return { keys, handled: (await this.#settleRun(run, result)) && result.done.includes(entry.key) };
    }
    return { keys, handled: await this.#settleRun(run, { done: keys }) };
  }

  #assertNotStalledTooOften({ stalledCount }: Lease): void {
    if (hasStalledTooOften(stalledCount, this.#options.retry)) {
      throw new Error(`The process ended each of the ${stalledCount} times that this was handled`);
    }
  }

  /** Decides on a failed run, and reports the failure. */
  #resultOf(lease: Lease, error: unknown): Result {
    const { entry, attempt, coalescedKeys } = lease;
    if (this.#aborted) return { done: [], retryInMs: 0, released: true };
    const hasStalled = hasStalledTooOften(lease.stalledCount, this.#options.retry);
    const consequence = hasStalled ? { kind: 'dead' as const } : consequenceOf(error, lease, this.#options.retry);
    if (consequence.kind === 'drop') return { done: [...coalescedKeys, entry.key] };
    this.#reporter.handlerFailed({ entry, error, attempt, dead: consequence.kind === 'dead' });
    if (consequence.kind === 'retry') return { done: [], retryInMs: consequence.delayMs };
    return { done: coalescedKeys, deadLetter: { key: entry.key, failure: describeFailure(error) } };
  }

  /** Stores the result of a run. A lease that the worker itself has replaced meanwhile does not count as lost. */
  async #settleRun(run: Run, result: Result): Promise<boolean> {
    const isKept = (): boolean => run.next === undefined && !run.controller.signal.aborted;
    for (;;) {
      const isSettled = await this.#settle(run.lease, result, isKept);
      if (isSettled !== false) return isSettled === true;
      await this.#polling;
      if (!run.next) break;
      run.lease = run.next;
      run.next = undefined;
    }
    this.#reporter.failed('A notification took longer than its lease, so its result was ignored');
    return false;
  }

  /**
   * Stores the result of a lease, and retries while the lease is kept: an unreachable store does not cause a second run.
   *
   * @returns whether the lease was still valid; `undefined` when the store stayed unreachable.
   */
  async #settle({ groupId, token }: Lease, result: Result, isKept = () => false): Promise<boolean | undefined> {
    const { deduplicationMs } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#store.settle({ groupId, token, deduplicationMs, ...result });
      } catch (error) {
        this.#reporter.failed('The result of a notification was not stored', error);
        if (attempt >= 5 && (this.#closed || !isKept())) return undefined;
        await new Promise((resolve) => setTimeout(resolve, exponentialDelay(attempt, settleBackoff)));
      }
    }
  }
}

function loseLease({ controller }: Run): void {
  controller.abort(new LeaseLostError('Another process has taken over'));
}
