import { longestTimerMs } from '../core/scope/cancel-scope.js';
import { endsWithin, abortGraceMs } from './ends-within.js';
import { PollLoop } from './poll-loop.js';
import { Runs } from './runs.js';
import type { Claimed, Store } from './store.js';
import type { Engine, WorkerOptions, Works } from './works.js';

/** Runs tasks from a store, or from an engine that gives out its leases by itself. */
export function worksOn(store: Store | Engine, options: WorkerOptions): Works {
  return 'works' in store ? store.works(options) : new Worker(store, options);
}

/**
 * Claims from a store what is due, again and again until nothing is, and runs it.
 *
 * A suspect, which may be what ends the process, runs alone: the worker stops claiming until the others have ended, for a third of a
 * lease at most, and starts nothing beside it before its lease is renewed.
 */
export class Worker implements Works {
  readonly #store: Store;
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

  constructor(store: Store, options: WorkerOptions) {
    this.#store = store;
    this.#options = options;
    const { name, log, kinds } = options;
    this.#runs = new Runs(store, options, () => this.#loop.wake());
    this.#loop = new PollLoop({
      store,
      isOpen: () => this.#isAwake && this.#isOpen && kinds.length > 0,
      poll: () => this.#poll(),
      onError: (error) => void log.write('error', `The store of the ${name} failed to give out entries`, error),
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
