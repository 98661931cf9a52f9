import type { WriteRecord } from '../../core/recover/write-hook.js';
import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import type { Attempts } from '../handling/attempts.js';
import { closingError } from '../handling/errors.js';
import { isSuspect } from '../handling/failure-policy.js';
import type { Inbox } from '../inbox.js';
import type { QueuedNotification } from '../queued-notification.js';
import { stored } from '../stores/store.js';
import type { Claimed, EntryState, Lease } from '../stores/store.js';
import { abortGraceMs, endsWithin } from '../../work/ends-within.js';
import { PollLoop } from '../../work/poll-loop.js';
import { GroupRequests } from './group-requests.js';
import type { RunResult } from './group-requests.js';
import { LeaseRenewal } from './lease-renewal.js';
import { admissionOf, nextClaim } from './policy.js';
import type { Load, NextClaim } from './policy.js';
import { latestOf, lose } from './run.js';
import type { Run } from './run.js';
import { giveBack, released, resultOf, settle } from './settle.js';
import type { Result } from './settle.js';

/** How often a process without handlers asks its store what it has to report, in milliseconds. */
const reportEveryMs = 10_000;

/**
 * Claims from the store what is due, again and again until nothing is, and runs the handlers: one per group, and at most
 * `concurrency`.
 */
export class Worker {
  readonly #inbox: Inbox;
  readonly #attempts: Attempts;
  readonly #loop: PollLoop;
  /** By group. */
  readonly #runs = new Map<string, Run>();
  /** When it is late, it comes before a claim, so that the worker does not claim its own expired leases. */
  readonly #renewal: LeaseRenewal;
  readonly #requests = new GroupRequests();
  readonly #idle: (() => void)[] = [];
  /** Groups whose entries may be what ends the process, and since when they wait for the others to end. */
  readonly #suspects = new Map<string, number>();
  #isAlone = false;
  #batch = 1;
  /** Made by the first claim: Workers make no random numbers while they import a module. */
  #workerId: string | undefined;
  #isStarted = false;
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #reportsAt = 0;

  constructor(inbox: Inbox, attempts: Attempts) {
    this.#inbox = inbox;
    this.#attempts = attempts;
    this.#loop = new PollLoop({
      store: inbox.store,
      pollMs: inbox.options.pollMs,
      isOpen: () => this.#isStarted && inbox.routes.length > 0 && inbox.stage === 'open',
      poll: () => this.#poll(),
      onError: (error) => {
        inbox.reporter.failed('The store of notifications failed to give out entries', error);
        this.#requests.rejectAll(error);
      },
    });
    this.#renewal = new LeaseRenewal(inbox, {
      leases: () => [...this.#runs.values()].map(latestOf),
      lose: (lease) => this.#lose(lease),
      onRenewed: () => {
        // From now on others run beside it, and the store counts no stall for it.
        this.#isAlone = false;
        this.wake();
      },
    });
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Handles what is in the store from now on, and polls it now. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Polls the store now, if this worker was started and has handlers. */
  wake(): void {
    this.#loop.wake();
  }

  async #poll(): Promise<void> {
    if (this.#renewal.isLate()) await this.#renewal.renew();
    if (this.#requests.size > 0) await this.#claimRequested();
    await this.#claimDue();
  }

  get #load(): Load {
    const { concurrency, leaseMs } = this.#inbox.options;
    const [waitsSince = performance.now()] = this.#suspects.values();
    return {
      concurrency,
      used: this.#runs.size,
      runsSuspect: [...this.#runs.values()].some(isSuspect),
      isAlone: this.#isAlone,
      suspects: [...this.#suspects.keys()],
      canWait: performance.now() - waitsSince < leaseMs / 3,
      batch: this.#batch,
    };
  }

  /** What may be claimed now; `undefined` for nothing. */
  #next(): NextClaim | undefined {
    return this.#inbox.stage === 'open' ? nextClaim(this.#load) : undefined;
  }

  async #claimRequested(): Promise<void> {
    const next = this.#next();
    if (!next || next.groupId !== undefined) return;
    const requested = this.#requests.groupIds().filter((groupId) => !this.#runs.has(groupId));
    await this.#claimGroups(requested.slice(0, next.limit));
    if (this.#requests.size > 0) this.#loop.again();
  }

  /** Claims several groups. What was leased is handled also when one of the claims fails: it would else count as stalled. */
  async #claimGroups(groupIds: readonly string[]): Promise<void> {
    const claims = await Promise.allSettled(groupIds.map((groupId) => this.#claim({ limit: 1, groupId })));
    const claimed = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []));
    await this.#admit(claimed, false);
    // Those that cannot be leased now wait no longer.
    for (const [index, groupId] of groupIds.entries())
      if (claims[index]?.status === 'fulfilled') this.#requests.resolve(groupId);
    const failed = claims.find((claim) => claim.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #claimDue(): Promise<void> {
    const next = this.#next();
    if (!next) return;
    const claimed = await this.#claim(next);
    // Another process may have it, or it may be handled.
    if (next.groupId !== undefined) this.#suspects.delete(next.groupId);
    await this.#admit([claimed], next.alone === true);
    // There may be more than was asked for.
    if (claimed.leases.length === next.limit || next.groupId !== undefined) this.#loop.again();
    else this.#pollLater(claimed);
  }

  async #claim(claim: NextClaim): Promise<Claimed> {
    const { store, options, routes, reporter } = this.#inbox;
    const { leaseMs, coalesce } = options;
    this.#workerId ??= crypto.randomUUID();
    const claimed = await store.claim({ workerId: this.#workerId, leaseMs, routes, coalesce, ...claim });
    for (const problem of claimed.problems ?? []) reporter.failed(problem);
    return claimed;
  }

  /** Starts the handlers of what was leased. Suspects that cannot start now are given back, to start later. */
  async #admit(claimed: readonly Claimed[], alone: boolean): Promise<void> {
    const leases = claimed.flatMap((each) => each.leases);
    const isOpen = this.#inbox.stage === 'open';
    const { start, returned, batch } = isOpen
      ? admissionOf(leases, this.#load)
      : { start: [], returned: leases, batch: this.#batch };
    this.#batch = batch;
    if (isOpen) for (const { groupId } of returned) this.#suspects.set(groupId, this.#suspects.get(groupId) ?? performance.now()); // prettier-ignore
    if (returned.length > 0) await giveBack(this.#inbox, returned);
    if (returned.length > 0) this.#loop.again();
    for (const lease of start) this.#start(lease, alone);
    for (const { groupId } of leases) this.#requests.resolve(groupId, this.#runs.get(groupId)?.result);
  }

  #start(lease: Lease, alone: boolean): void {
    const running = this.#runs.get(lease.groupId);
    // Its handler goes on: a worker never runs one group twice.
    if (running) running.next = lease;
    else this.#run(lease, alone);
  }

  #run(lease: Lease, alone = false): void {
    const { groupId, attempt, stalledCount, lastFailure, writes, coalescedKeys } = lease;
    const { store } = this.#inbox;
    const run: Run = {
      lease,
      attempt,
      stalledCount,
      lastFailure,
      writes,
      note: store.note && (async (noted) => this.#note(run, noted)),
      coalescedCount: coalescedKeys.length,
      controller: new AbortController(),
      isLost: false,
      result: Promise.resolve({ keys: [], handled: false }),
    };
    this.#runs.set(groupId, run);
    this.#suspects.delete(groupId);
    this.#isAlone = alone && isSuspect(lease);
    this.#renewal.start();
    run.result = this.#finish(run);
    void run.result.then(() => this.#onEnd(groupId, run));
  }

  #onEnd(groupId: string, run: Run): void {
    this.#runs.delete(groupId);
    this.#isAlone = false;
    if (run.next) this.#run(run.next);
    if (this.#runs.size === 0) this.#renewal.stop();
    this.wake();
  }

  /** Runs the handler, and stores what follows. Never rejects. */
  async #finish(run: Run): Promise<RunResult> {
    const { lease } = run;
    const { entry, coalescedKeys } = lease;
    try {
      const outcome = await this.#attempts.run(entry, run);
      const isSettled = !run.isLost && (await this.#settle(run, resultOf(outcome, lease, this.#inbox, run)));
      const isHandled = outcome.kind === 'done' || outcome.kind === 'dropped';
      return { keys: [...coalescedKeys, entry.key], handled: isSettled && isHandled };
    } catch (error) {
      this.#inbox.reporter.failed('The store gave out an entry that cannot be handled', error);
      return { keys: [], handled: false };
    }
  }

  /** Keeps the writes of a run with its entry. A lease that the worker itself has replaced meanwhile is as good. */
  async #note(run: Run, writes: readonly WriteRecord[]): Promise<boolean> {
    const { store } = this.#inbox;
    if (run.isLost) return false;
    if (await store.note?.(run.lease, writes)) return true;
    await this.#loop.ended;
    return run.next !== undefined && (await store.note?.(run.next, writes)) === true;
  }

  /** Stores the result. A lease that the worker itself has replaced meanwhile does not count as lost. */
  async #settle(run: Run, result: Result): Promise<boolean> {
    const isKept = (): boolean => !run.next && !run.controller.signal.aborted;
    for (;;) {
      const isSettled = await settle(this.#inbox, run.lease, result, isKept);
      if (isSettled !== false) return isSettled === true;
      await this.#loop.ended;
      if (!run.next) break;
      run.lease = run.next;
      run.next = undefined;
    }
    this.#inbox.reporter.failed('A notification took longer than its lease, so its result was ignored');
    return false;
  }

  /** Another process has taken over a lease. */
  #lose(lease: Lease): void {
    const run = this.#runs.get(lease.groupId);
    if (run && latestOf(run) === lease) lose(run);
  }

  #pollLater({ leases, nextInMs = Infinity }: Claimed): void {
    const isEmpty = leases.length === 0 && nextInMs === Infinity;
    if (isEmpty && this.#runs.size === 0 && this.#requests.size === 0) this.#resolveIdle();
    this.#loop.later(nextInMs);
  }

  /** Stores an entry, and returns its state. */
  async add(entry: QueuedNotification): Promise<EntryState> {
    this.#isStarted = true;
    const state = await stored(this.#inbox.store, entry);
    if (this.#inbox.routes.length === 0) await this.#report();
    this.wake();
    return state;
  }

  /** A process without handlers claims nothing, but says what its store has deleted. */
  async #report(): Promise<void> {
    const now = performance.now();
    if (now < this.#reportsAt) return;
    this.#reportsAt = now + reportEveryMs;
    await this.#claim({ limit: 0 }).catch(() => undefined);
  }

  /** Handles one entry now, after the entries before it in its group. Resolves to whether it was handled. */
  async processNow(entry: QueuedNotification): Promise<boolean> {
    const { groupId, key } = entry;
    this.#isStarted = true;
    while (this.#inbox.stage === 'open') {
      const result = await this.#nextResult(groupId);
      if (result && (result.keys.includes(key) || !result.handled)) return result.handled;
      if (result) continue;
      // Another worker has the group, or has just handled the entry.
      if ((await this.#inbox.store.add(entry)) === 'processed') return true;
      await new Promise((resolve) => setTimeout(resolve, this.#inbox.options.pollMs));
    }
    return false;
  }

  #nextResult(groupId: string): Promise<RunResult | undefined> {
    const running = this.#runs.get(groupId)?.result;
    if (running) return running;
    const result = this.#requests.add(groupId);
    this.wake();
    return result;
  }

  /** Resolves once the store has no waiting entry and no handler is running here. Keeps the process alive meanwhile. */
  async idle(): Promise<void> {
    if (this.#inbox.stage !== 'open' || this.#inbox.routes.length === 0) return;
    this.#isStarted = true;
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
    this.#loop.stop();
    this.#requests.resolveAll();
    if (!(await endsWithin(graceMs, this.#ended()))) {
      this.#inbox.stage = 'aborting';
      for (const { controller } of this.#runs.values()) controller.abort(closingError());
      if (!(await endsWithin(abortGraceMs, this.#ended()))) await endsWithin(abortGraceMs, this.#release());
    }
    this.#renewal.stop();
    this.#resolveIdle();
  }

  /** Resolves once the store gives out nothing more and no handler is running. */
  async #ended(): Promise<void> {
    await this.#loop.ended;
    await Promise.all([...this.#runs.values()].map(async ({ result }) => result));
  }

  /** Gives back the leases of the handlers that ignore their signals: the next process need not wait until they expire. */
  async #release(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const run of runs) lose(run);
    await Promise.all(runs.map(async (run) => settle(this.#inbox, latestOf(run), released)));
  }
}
