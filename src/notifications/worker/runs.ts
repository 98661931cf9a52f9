import { isSuspect } from '../handling/failure-policy.js';
import type { Lease } from '../stores/store.js';
import { finish, noteWrites } from './finish.js';
import type { RunEnvironment } from './finish.js';
import type { RunResult } from './group-requests.js';
import { LeaseRenewal } from './lease-renewal.js';
import { latestOf, lose } from './run.js';
import type { Run } from './run.js';
import { released, settle } from './settle.js';

/** What a worker does when a handler starts or ends. */
export interface RunEvents {
  onStart(groupId: string): void;
  /** More may be claimed now. */
  onFree(): void;
}

/** The handlers that run in a worker: one per group, each with a lease that is renewed until its result is stored. */
export class Runs {
  /** When it is late, it comes before a claim, so that the worker does not claim its own expired leases. */
  readonly renewal: LeaseRenewal;
  readonly #environment: RunEnvironment;
  readonly #events: RunEvents;
  /** By group. */
  readonly #runs = new Map<string, Run>();
  #isAlone = false;

  constructor(environment: RunEnvironment, events: RunEvents) {
    this.#environment = environment;
    this.#events = events;
    this.renewal = new LeaseRenewal(environment.inbox, {
      leases: () => [...this.#runs.values()].map(latestOf),
      lose: (lease) => this.#lose(lease),
      onRenewed: () => {
        // From now on others run beside it, and the store counts no stall for it.
        this.#isAlone = false;
        events.onFree();
      },
    });
  }

  get size(): number {
    return this.#runs.size;
  }

  get hasSuspect(): boolean {
    return [...this.#runs.values()].some(isSuspect);
  }

  /** Whether a suspect runs that was leased to run alone: nothing starts beside it. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  has(groupId: string): boolean {
    return this.#runs.has(groupId);
  }

  /** What comes of the handler that runs for a group; `undefined` if none does. */
  resultOf(groupId: string): Promise<RunResult> | undefined {
    return this.#runs.get(groupId)?.result;
  }

  /** Starts the handler of a lease. If that of its group goes on, it keeps the new lease: one group never runs twice. */
  start(lease: Lease, alone: boolean): void {
    const running = this.#runs.get(lease.groupId);
    if (running) running.next = lease;
    else this.#run(lease, alone);
  }

  #run(lease: Lease, alone = false): void {
    const run = this.#runOf(lease);
    this.#runs.set(lease.groupId, run);
    this.#events.onStart(lease.groupId);
    this.#isAlone = alone && isSuspect(lease);
    this.renewal.start();
    run.result = finish(run, this.#environment);
    void run.result.then(() => this.#onEnd(lease.groupId, run));
  }

  #runOf(lease: Lease): Run {
    const { attempt, stalledCount, lastFailure, writes, coalescedKeys } = lease;
    const run: Run = {
      lease,
      attempt,
      stalledCount,
      lastFailure,
      writes,
      note: this.#environment.inbox.store.note && (async (noted) => noteWrites(run, noted, this.#environment)),
      coalescedCount: coalescedKeys.length,
      controller: new AbortController(),
      isLost: false,
      result: Promise.resolve({ keys: [], handled: false }),
    };
    return run;
  }

  #onEnd(groupId: string, run: Run): void {
    this.#runs.delete(groupId);
    this.#isAlone = false;
    if (run.next) this.#run(run.next);
    if (this.#runs.size === 0) this.renewal.stop();
    this.#events.onFree();
  }

  /** Another process has taken over a lease. */
  #lose(lease: Lease): void {
    const run = this.#runs.get(lease.groupId);
    if (run && latestOf(run) === lease) lose(run);
  }

  /** Resolves once the handlers that run now have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs.values()].map(async ({ result }) => result));
  }

  /** Aborts the signals of the handlers. */
  abort(reason: Error): void {
    for (const { controller } of this.#runs.values()) controller.abort(reason);
  }

  /** Gives back the leases of the handlers that ignore their signals: the next process need not wait until they expire. */
  async release(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const run of runs) lose(run);
    await Promise.all(runs.map(async (run) => settle(this.#environment.inbox, latestOf(run), released)));
  }
}
