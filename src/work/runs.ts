import { LeasedRun } from './leased-run.js';
import type { Lease, Store } from './store.js';
import { released } from './task.js';
import type { WorkerOptions } from './works.js';

/** What runs in a worker, by key. Its leases are renewed, three times per `leaseMs`, until its results are stored. */
export class Runs {
  readonly #store: Store;
  readonly #options: WorkerOptions;
  readonly #onFree: () => void;
  readonly #runs = new Map<string, LeasedRun>();
  /** The suspect that runs alone, until its lease is renewed: from then on the store counts no stall for it. */
  #alone: LeasedRun | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewing: Promise<void> | undefined;
  #renewedAt = { monotonic: 0, wall: 0 };
  #isAborting = false;

  /** @param onFree Called when more may be claimed. */
  constructor(store: Store, options: WorkerOptions, onFree: () => void) {
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
    if (alone) this.#alone = run;
    this.#startRenewal();
    run.ended = run.finish(() => this.#isAborting).then(() => this.#onEnd(run));
  }

  #onEnd(run: LeasedRun): void {
    const { key } = run.lease;
    if (this.#runs.get(key) === run) this.#runs.delete(key);
    if (this.#alone === run) this.#alone = undefined;
    if (this.#runs.size === 0) this.#stopRenewal();
    this.#onFree();
  }

  #startRenewal(): void {
    if (this.#timer !== undefined) return;
    this.#renewedAt = now();
    const renew = async (): Promise<void> => {
      await this.#renew();
      this.#alone = undefined;
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
      const lost = await this.#store.renew(runs.map(({ lease }) => lease), leaseMs); // prettier-ignore
      this.#renewedAt = startedAt;
      for (const run of runs) if (lost.includes(run.lease.key)) run.lose();
    } catch (error) {
      void log.write('error', `The leases of the ${name} were not renewed`, error);
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
