import { LeaseRenewal } from './lease-renewal.js';
import type { Inbox } from '../inbox.js';
import { Run } from './run.js';
import type { RunResult } from './run.js';
import { Capacity } from './capacity.js';
import type { NextClaim } from './policy.js';
import type { Runner } from './runner.js';
import type { Lease, LeaseId } from '../stores/store.js';

/** The leases whose handlers run here: one per group, and at most `concurrency`. */
export class Runs {
  readonly #runs = new Map<string, Run>();
  readonly capacity: Capacity;
  /** Renews the leases. When that is late, it comes first, so that the worker does not claim its own expired leases. */
  readonly renewal: LeaseRenewal;
  readonly #runner: Runner;
  readonly #inbox: Inbox;
  readonly #onChange: () => void;
  #isClosed = false;

  /**
   * @param onChange Called after each run, and after each time that the leases were to be renewed: more may be due.
   */
  constructor(inbox: Inbox, runner: Runner, onChange: () => void) {
    this.#runner = runner;
    this.#inbox = inbox;
    this.capacity = new Capacity(inbox.options.concurrency, this.#runs);
    this.#onChange = onChange;
    const leases = (): Lease[] => [...this.#runs.values()].map((run) => run.latestLease);
    const onLost = (groupId: string, renewed: readonly LeaseId[]): void => {
      const run = this.#runs.get(groupId);
      if (run && renewed.includes(run.latestLease)) run.loseLease();
    };
    this.renewal = new LeaseRenewal(inbox, { leases, onLost, onRenewed: onChange });
  }

  get size(): number {
    return this.#runs.size;
  }

  get(groupId: string): Run | undefined {
    return this.#runs.get(groupId);
  }

  /** What may be claimed now; `undefined` for nothing. */
  next(): NextClaim | undefined {
    return this.#isClosed ? undefined : this.capacity.next();
  }

  /**
   * Starts the handlers of the leases that the store gave out.
   *
   * @returns whether all have started: else some were given back, to start later.
   */
  async admit(leases: readonly Lease[]): Promise<boolean> {
    const admitted = this.capacity.admit(leases);
    const { start, giveBack } = this.#isClosed ? { start: [], giveBack: leases } : admitted;
    if (giveBack.length > 0) await this.#runner.giveBack(giveBack, this.#isClosed);
    for (const lease of start) this.#start(lease);
    return giveBack.length === 0;
  }

  #start(lease: Lease): void {
    const running = this.#runs.get(lease.groupId);
    // Its handler goes on: a worker never runs one group twice.
    if (running) running.next = lease;
    else void this.#run(lease);
  }

  async #run(lease: Lease): Promise<void> {
    const run = new Run(lease);
    this.#runs.set(lease.groupId, run);
    this.renewal.start();
    const result = await this.#resultOf(run);
    run.end(result);
    this.#runs.delete(lease.groupId);
    if (run.next) void this.#run(run.next);
    if (this.#runs.size === 0) this.renewal.pause();
    this.#onChange();
  }

  async #resultOf(run: Run): Promise<RunResult> {
    try {
      const outcome = await this.#runner.handle(run);
      return await this.#runner.settle(run, outcome);
    } catch (error) {
      this.#inbox.reporter.failed('The store gave out an entry that cannot be handled', error);
      return { keys: [], handled: false };
    }
  }

  /** Starts no handler any more. */
  close(): void {
    this.#isClosed = true;
  }

  abort(): void {
    this.#runner.abort(this.#runs.values());
  }

  /** Gives back the leases of the handlers that ignore their signals: the next process need not wait until they expire. */
  async release(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => this.#runner.release(run)));
  }

  /** Resolves once the handlers that run now have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(({ result }) => result));
  }
}
