import { closingError } from '../handling/errors.js';
import { isSuspect } from '../handling/failure-policy.js';
import { LeaseRenewal } from './lease-renewal.js';
import { admissionOf, nextClaim } from './policy.js';
import type { Load, NextClaim } from './policy.js';
import { Run } from './run.js';
import type { RunParts } from './run.js';
import { giveBack } from './settle.js';
import type { Lease } from '../stores/store.js';

/** The leases whose handlers run here: one per group, and at most `concurrency`. */
export class Runs {
  readonly #runs = new Map<string, Run>();
  /** Renews the leases. When that is late, it comes first, so that the worker does not claim its own expired leases. */
  readonly renewal: LeaseRenewal;
  readonly #parts: RunParts;
  readonly #onChange: () => void;
  readonly #suspects = new Set<string>();
  #batch = 1;

  /**
   * @param onChange Called after each run, and after each time that the leases were to be renewed: more may be due.
   */
  constructor(parts: RunParts, onChange: () => void) {
    this.#parts = parts;
    this.#onChange = onChange;
    this.renewal = new LeaseRenewal(parts.inbox, this.#runs, onChange);
  }

  get size(): number {
    return this.#runs.size;
  }

  get(groupId: string): Run | undefined {
    return this.#runs.get(groupId);
  }

  get #isOpen(): boolean {
    return this.#parts.inbox.stage === 'open';
  }

  get #load(): Load {
    return {
      concurrency: this.#parts.inbox.options.concurrency,
      used: this.#runs.size,
      runsSuspect: [...this.#runs.values()].some(({ lease }) => isSuspect(lease)),
      suspects: [...this.#suspects],
      batch: this.#batch,
    };
  }

  /** What may be claimed now; `undefined` for nothing. */
  next(): NextClaim | undefined {
    return this.#isOpen ? nextClaim(this.#load) : undefined;
  }

  /** A suspect was claimed by name: another process may have it, or it may be handled. */
  forgetSuspect(groupId: string): void {
    this.#suspects.delete(groupId);
  }

  /**
   * Starts the handlers of the leases that the store gave out.
   *
   * @returns whether all have started: else some were given back, to start later.
   */
  async admit(leases: readonly Lease[]): Promise<boolean> {
    const { inbox } = this.#parts;
    if (!this.#isOpen) {
      await giveBack(inbox, leases);
      return false;
    }
    const { start, returned, batch } = admissionOf(leases, this.#load);
    this.#batch = batch;
    for (const { groupId } of start) this.#suspects.delete(groupId);
    for (const { groupId } of returned) this.#suspects.add(groupId);
    if (returned.length > 0) await giveBack(inbox, returned);
    for (const lease of start) this.#start(lease);
    return returned.length === 0;
  }

  #start(lease: Lease): void {
    const running = this.#runs.get(lease.groupId);
    // Its handler goes on: a worker never runs one group twice.
    if (running) running.next = lease;
    else void this.#run(lease);
  }

  async #run(lease: Lease): Promise<void> {
    const run = new Run(lease, this.#parts);
    this.#runs.set(lease.groupId, run);
    this.renewal.start();
    await run.start();
    this.#runs.delete(lease.groupId);
    if (run.next) void this.#run(run.next);
    if (this.#runs.size === 0) this.renewal.stop();
    this.#onChange();
  }

  /** Aborts the signals of the handlers. */
  abort(): void {
    for (const { controller } of this.#runs.values()) controller.abort(closingError());
  }

  /** Gives back the leases of the handlers that ignore their signals: the next process need not wait until they expire. */
  async release(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.release()));
  }

  /** Resolves once the handlers that run now have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(async ({ result }) => result));
  }
}
