import { longestTimerMs } from '../core/scope/cancel-scope.js';
import { describeFailure, type Log } from './log.js';
import { EndsProcessError, exponentialDelay, isOfClosing, isUnnoted } from './policy.js';
import { aloneMsOf, LayoutError, mostStalls, released, suspectStalls } from './store.js';
import type {
  Claimed,
  InnerEngine,
  Lease,
  Run,
  RunNotes,
  InnerStore,
  Task,
  Verdict,
  WorkerOptions,
  Works,
} from './store.js';
import { endsWithin } from './timers.js';

/** Runs tasks from a store, or from an engine that gives out its leases by itself. */
export function worksOn(store: InnerStore | InnerEngine, options: WorkerOptions): Works {
  return 'works' in store ? store.works(options) : new Worker(store, options);
}

/**
 * Claims from a store what is due, again and again until nothing is, and runs it.
 *
 * A suspect, which may be what ends the process, runs alone: the worker stops claiming until the others have ended, for a third of a
 * lease at most, and starts nothing beside it for as long again, or ten seconds.
 */
export class Worker implements Works {
  readonly #store: InnerStore;
  readonly #options: WorkerOptions;
  readonly #loop: PollLoop;
  readonly #runs: Runs;
  #isAwake = false;
  #isOpen = true;
  /** Since when a suspect waits for the others to end, on the monotonic clock. */
  #suspectSince: number | undefined;
  #idle: (() => void)[] = [];
  #keepsAlive = false;
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  constructor(store: InnerStore, options: WorkerOptions) {
    this.#store = store;
    this.#options = options;
    const { name, log, kinds } = options;
    this.#runs = new Runs(store, options, () => this.#loop.wake());
    this.#loop = new PollLoop({
      store,
      isOpen: () => this.#isAwake && this.#isOpen && kinds.length > 0,
      poll: () => this.#poll(),
      onError: (error) => void log.writeRarely(`The store of the ${name} failed to give out entries`, error),
    });
  }

  start(): void {
    if (!this.#isOpen) return;
    this.#keepsAlive = true;
    this.#keepProcessAlive();
    this.wake();
  }

  wake(): void {
    this.#isAwake = true;
    this.#loop.wake();
  }

  async idle(): Promise<void> {
    if (!this.#isOpen || this.#options.kinds.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      this.#keepProcessAlive();
      this.wake();
    });
  }

  #keepProcessAlive(): void {
    this.#keepAlive ??= setInterval(() => undefined, longestTimerMs);
  }

  async #poll(): Promise<void> {
    await this.#runs.renewIfLate();
    const { concurrency, kinds, leaseMs, name, log } = this.#options;
    const limit = concurrency - this.#runs.size;
    // What ends or is renewed wakes the loop.
    if (limit <= 0 || this.#runs.isAlone) return;
    const alone = this.#suspectSince !== undefined;
    const waitMs = this.#waitForOthersMs();
    if (waitMs > 0) {
      this.#loop.later(waitMs);
      return;
    }
    const claimed = await this.#store.claim({ kinds, limit: alone ? 1 : limit, leaseMs, alone });
    for (const problem of claimed.problems ?? []) void log.write('error', `The store of the ${name}: ${problem}`);
    if (!this.#isOpen) return this.#runs.giveBack(claimed.leases);
    this.#begin(claimed, alone);
  }

  #begin(claimed: Claimed, alone: boolean): void {
    const { leases, nextInMs = Infinity, hasSuspect = false } = claimed;
    for (const lease of leases) this.#runs.start(lease, alone);
    // After one suspect, others have their turn before the next one.
    this.#suspectSince = hasSuspect && !alone ? performance.now() : undefined;
    if (this.#suspectSince !== undefined || alone || (leases.length > 0 && nextInMs <= 0)) {
      this.#loop.again();
      return;
    }
    if (this.#runs.size === 0 && nextInMs > 0) this.#endIdle();
    this.#loop.later(nextInMs);
  }

  /** How long the claim of a suspect waits for the others to end, in milliseconds. */
  #waitForOthersMs(): number {
    if (this.#suspectSince === undefined || this.#runs.size === 0) return 0;
    return this.#suspectSince + this.#options.leaseMs / 3 - performance.now();
  }

  #endIdle(): void {
    if (!this.#keepsAlive) this.#letProcessEnd();
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #letProcessEnd(): void {
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
  }

  async close(graceMs: number): Promise<void> {
    this.#isOpen = false;
    this.#keepsAlive = false;
    this.#loop.stop();
    if (!(await endsWithin(graceMs, this.#ended()))) {
      this.#runs.abort(new Error(`The ${this.#options.name} is closing`));
      if (!(await endsWithin(abortGraceMs, this.#ended()))) await endsWithin(abortGraceMs, this.#runs.release());
    }
    this.#runs.close();
    this.#endIdle();
  }

  /** Resolves once the store gives out nothing more and nothing runs. */
  async #ended(): Promise<void> {
    await this.#loop.ended;
    await this.#runs.ended();
  }
}

/** What a loop needs of a worker and of its store. */
export interface Polled {
  readonly store: { readonly durable: boolean; readonly shared: boolean };
  /** Whether the worker was started, and is not closed. */
  isOpen(): boolean;
  /** Leases what is due, and says when to poll again: `again()`, or `later()`. */
  poll(): Promise<void>;
  onError(error: unknown): void;
}

/** How often a store that other processes use is polled, and after an error, in milliseconds. */
const pollMs = 1_000;
/** How often a durable store is polled that only this process uses: another object may have the same file, in milliseconds. */
const rarePollMs = 600_000;

/** Polls a store, never twice at once: what is asked for during a poll is polled after it. */
export class PollLoop {
  readonly #polled: Polled;
  #isAsked = false;
  #running: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(polled: Polled) {
    this.#polled = polled;
  }

  /** Resolves once the poll that is under way has leased what it can. */
  get ended(): Promise<void> | undefined {
    return this.#running;
  }

  /** Polls now, if the worker is open. */
  wake(): void {
    if (!this.#polled.isOpen()) return;
    this.#isAsked = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isAsked) this.wake();
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAsked && this.#polled.isOpen()) {
        this.#isAsked = false;
        await this.#polled.poll();
      }
    } catch (error) {
      this.#polled.onError(error);
      this.#isAsked = false;
      this.#wakeIn(pollMs);
    }
  }

  /** Polls once more after the poll that is under way. */
  again(): void {
    this.#isAsked = true;
  }

  /** Polls when the next entry is due, and earlier if others may add one. */
  later(nextInMs = Infinity): void {
    const { store } = this.#polled;
    const atLeastMs = store.shared ? pollMs : store.durable ? rarePollMs : Infinity;
    this.#wakeIn(Math.min(nextInMs, atLeastMs));
  }

  /** What is in memory keeps the process alive; what is in a durable store is found by the next process. */
  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    if (ms === Infinity || !this.#polled.isOpen()) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, 1), longestTimerMs));
    if (this.#polled.store.durable) (this.#timer as Partial<NodeJS.Timeout>).unref?.();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** What runs in a worker, by key. Its leases are renewed, three times per `leaseMs`, until its results are stored. */
class Runs {
  readonly #store: InnerStore;
  readonly #options: WorkerOptions;
  readonly #onFree: () => void;
  readonly #runs = new Map<string, LeasedRun>();
  /** The suspect that runs alone, for some time: from then on the store counts no stall for it. */
  #alone: { readonly run: LeasedRun; readonly until: number } | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewing: Promise<void> | undefined;
  #renewedAt = { monotonic: 0, wall: 0 };
  #isAborting = false;

  /** @param onFree Called when more may be claimed. */
  constructor(store: InnerStore, options: WorkerOptions, onFree: () => void) {
    this.#store = store;
    this.#options = options;
    this.#onFree = onFree;
  }

  get size(): number {
    return this.#runs.size;
  }

  get isAlone(): boolean {
    return this.#alone !== undefined;
  }

  start(lease: Lease, alone: boolean): void {
    // This process stood still for longer than its lease: the earlier run cannot write any more.
    this.#runs.get(lease.key)?.lose();
    const run = new LeasedRun(lease, this.#store, this.#options);
    this.#runs.set(lease.key, run);
    if (alone) this.#alone = { run, until: performance.now() + aloneMsOf(this.#options.leaseMs) };
    this.#startRenewal();
    run.ended = run.finish(() => this.#isAborting).then(() => this.#onEnd(run));
  }

  #onEnd(run: LeasedRun): void {
    const { key } = run.lease;
    if (this.#runs.get(key) === run) this.#runs.delete(key);
    if (this.#alone?.run === run) this.#alone = undefined;
    if (this.#runs.size === 0) this.#stopRenewal();
    this.#onFree();
  }

  #startRenewal(): void {
    if (this.#timer !== undefined) return;
    this.#renewedAt = now();
    const renew = async (): Promise<void> => {
      // The timer may be early by a millisecond.
      if (this.#alone && performance.now() > this.#alone.until - 10) this.#alone = undefined;
      await this.#renew();
      this.#onFree();
    };
    this.#timer = setInterval(() => void renew(), this.#options.leaseMs / 3);
  }

  #stopRenewal(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Renews before a claim if the timer is late: the process was stopped, or the machine was suspended. Then the worker does not claim
   * its own expired leases. It does not call `onFree`: a store that is away would make the loop spin.
   */
  async renewIfLate(): Promise<void> {
    if (this.#timer === undefined) return;
    const { monotonic, wall } = now();
    const elapsedMs = Math.max(monotonic - this.#renewedAt.monotonic, wall - this.#renewedAt.wall);
    if (elapsedMs > this.#options.leaseMs / 2) await this.#renew();
  }

  async #renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => (this.#renewing = undefined));
    await this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    const { leaseMs, log, name } = this.#options;
    const runs = [...this.#runs.values()];
    const startedAt = now();
    try {
      const lost = await this.#store.renew(
        runs.map(({ lease }) => lease),
        leaseMs,
        this.#alone?.run.lease.key,
      );
      this.#renewedAt = startedAt;
      for (const run of runs) if (lost.includes(run.lease.key)) run.lose();
    } catch (error) {
      void log.writeRarely(`The leases of the ${name} were not renewed`, error);
    }
  }

  /** Resolves once what runs now has ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(async ({ ended }) => ended));
  }

  /** What fails from now on is the fault of the deploy, and given back. */
  abort(reason: Error): void {
    this.#isAborting = true;
    for (const run of this.#runs.values()) run.abort(reason);
  }

  /** Gives back what ignores that it was aborted: the next process need not wait until the lease ends. */
  async release(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const run of runs) run.lose();
    await this.giveBack(runs.map(({ lease }) => lease));
  }

  /** Gives back leases without a result. */
  async giveBack(leases: readonly Lease[]): Promise<void> {
    await Promise.all(leases.map(async (lease) => this.#store.settle(lease, released).catch(() => false)));
  }

  close(): void {
    this.#stopRenewal();
    for (const run of this.#runs.values()) run.lose();
  }
}

/** Both clocks: one stands still while the machine is suspended, the other can be set. */
function now(): { monotonic: number; wall: number } {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** How long the user may take to be told what has become of an entry, in milliseconds. */
const tellMs = 300_000;

/** When an entry runs again that needed a part that is closed, in milliseconds. */
const closedAgainMs = 5_000;

const storeBackoff = { firstDelayMs: 200, maxDelayMs: 5_000 };

/** The run of one lease: from its start until its result is stored. */
export class LeasedRun implements Run {
  readonly lease: Lease;
  notes: RunNotes;
  /** Resolves once the result is stored. */
  ended: Promise<void> = Promise.resolve();
  readonly #store: Pick<InnerStore, 'note' | 'settle'>;
  readonly #options: WorkerOptions;
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  /** What the store has. */
  #noted: RunNotes;
  /** Another run has the entry now: what comes of this one is ignored. */
  #isLost = false;

  constructor(lease: Lease, store: Pick<InnerStore, 'note' | 'settle'>, options: WorkerOptions) {
    this.lease = lease;
    this.notes = lease.notes;
    this.#noted = this.notes;
    this.#store = store;
    this.#options = options;
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  lose(): void {
    this.#isLost = true;
    this.abort(new Error('Another process has taken over'));
  }

  async note(notes: RunNotes): Promise<boolean> {
    if (this.#isLost || !(await this.#store.note(this.lease, notes))) return false;
    this.notes = notes;
    this.#noted = notes;
    return true;
  }

  /** Runs the task, tells what has become of it, and stores that. Never rejects. */
  async finish(isAborting: () => boolean): Promise<void> {
    const { taskOf, onStored, log, name } = this.#options;
    try {
      const task = taskOf(this.lease, this);
      const { verdict, error } = await this.#verdictOf(task, isAborting);
      if (this.#isLost || (task.isObserved(verdict) && !(await this.#noteReached()))) return;
      await endsWithin(tellMs, Promise.resolve(task.tell(verdict, error)));
      const isStored = await this.#persist(() => this.#store.settle(this.lease, { notes: this.notes, ...verdict }));
      if (isStored === false)
        void log.write('error', `An entry of the ${name} took longer than its lease, so its result was ignored`);
      onStored?.(this.lease.key);
    } catch (error) {
      void log.writeRarely(`The store of the ${name} gave out an entry that cannot be handled`, error);
    }
  }

  async #verdictOf(task: Task, isAborting: () => boolean): Promise<{ verdict: Verdict; error?: unknown }> {
    try {
      const { stalls } = this.lease;
      if (stalls >= mostStalls)
        throw new EndsProcessError(
          `The process ended in each of ${stalls} runs, in the last ${stalls - suspectStalls} of which it ran nothing else, over some minutes: this is probably what ends it`,
        );
      return { verdict: await task.run() };
    } catch (error) {
      if (isUnnoted(error, this.notes)) return { verdict: task.failed(error), error };
      if (isAborting()) return { verdict: released };
      if (isOfClosing(error)) return { verdict: this.#closedBefore(error) };
      return { verdict: task.failed(error), error };
    }
  }

  /** The process is ending, as it seems: the next one goes on. What runs in the meantime must not be tried in vain, again and again. */
  #closedBefore(error: unknown): Verdict {
    const { log, name } = this.#options;
    const failure = describeFailure(error);
    void log.write(
      'warn',
      `An entry of the ${name} waits for the next process: another part of this one was closed first`,
      failure,
    );
    return { ...released, inMs: closedAgainMs, failure };
  }

  /**
   * A process that is killed while it tells is followed by one that comes to the same verdict: what was reached is stored, and not yet
   * what the verdict makes of it. Returns whether the lease is kept.
   */
  async #noteReached(): Promise<boolean> {
    const { notes } = this;
    return notes === this.#noted || (await this.#persist(() => this.note(notes))) === true;
  }

  /**
   * Stores something, and tries again for as long as the lease is kept: a store that is away does not cause a second run.
   *
   * @returns whether the lease was still valid; `undefined` when it could not be stored.
   */
  async #persist(store: () => Promise<boolean>): Promise<boolean | undefined> {
    for (let attempt = 1; !this.#isLost; attempt += 1) {
      try {
        return await store();
      } catch (error) {
        void this.#options.log.writeRarely(`A result of the ${this.#options.name} was not stored`, error);
        await new Promise((resolve) => setTimeout(resolve, exponentialDelay(attempt, storeBackoff)));
      }
    }
    return undefined;
  }
}

/** How long handlers may take to end after `close` has aborted their signals, in milliseconds. */
export const abortGraceMs = 1_000;

/** How many inboxes and outboxes use a store. */
const users = new WeakMap<object, number>();

/** An inbox, an outbox or somebody who looks at it begins to use a store. */
export function useStore(store: object): void {
  users.set(store, (users.get(store) ?? 0) + 1);
}

export function usersOf(store: object): number {
  return users.get(store) ?? 0;
}

/** One of them does not use the store any more: the last one closes it. */
export async function leaveStore(store: Pick<InnerStore, 'close'>): Promise<void> {
  const left = (users.get(store) ?? 1) - 1;
  users.set(store, left);
  if (left <= 0) await store.close?.();
}

/** Opens a store. What passes, such as a database that is away, is left to those who use it. @throws {ConfigurationError} */
export async function openStore(store: Pick<InnerStore, 'open'>): Promise<void> {
  try {
    await store.open?.();
  } catch (error) {
    if (error instanceof LayoutError) throw error;
  }
}

/** What closes until `endsAt` leaves its store until then, or within a second: it ends also when the store does not. */
export async function leaveStoreInTime(store: Pick<InnerStore, 'close'>, endsAt: number, log: Log): Promise<void> {
  const ms = Math.max(endsAt - performance.now(), abortGraceMs);
  try {
    if (!(await endsWithin(ms, leaveStore(store)))) throw new Error(`not within ${ms} ms`);
  } catch (error) {
    await log.writeRarely('The store was not closed', error);
  }
}
