import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import type { Dispatcher } from '../handling/dispatcher.js';
import { FailurePolicy } from '../handling/failure-policy.js';
import type { Inbox } from '../inbox.js';
import { GroupRequests } from './group-requests.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { RunResult } from './run.js';
import { Runs } from './runs.js';
import { stored } from '../stores/store.js';
import type { Claim, Claimed, EntryState } from '../stores/store.js';
import { abortGraceMs, endsWithin } from '../timing/ends-within.js';

/** Claims from the store what is due, again and again until nothing is, and runs the handlers. */
export class Worker {
  readonly #inbox: Inbox;
  readonly #runs: Runs;
  readonly #requests = new GroupRequests();
  readonly #idle: (() => void)[] = [];
  /** Made by the first claim: Workers make no random numbers while they import a module. */
  #workerId: string | undefined;
  #isStarted = false;
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Resolves once the claim that is under way has leased what it can. */
  #polling: Promise<void> | undefined;
  #pollAgain = false;

  constructor(inbox: Inbox, dispatcher: Dispatcher) {
    this.#inbox = inbox;
    const policy = new FailurePolicy(inbox.options.retry);
    const parts = { inbox, dispatcher, policy, claimed: () => this.#polling };
    this.#runs = new Runs(parts, () => this.wake());
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
    if (!this.#isStarted || this.#inbox.routes.length === 0 || this.#inbox.stage !== 'open') return;
    this.#pollAgain = true;
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
      if (this.#pollAgain) this.wake();
    });
  }

  async #poll(): Promise<void> {
    try {
      while (this.#pollAgain && this.#inbox.stage === 'open') {
        this.#pollAgain = false;
        if (this.#runs.renewal.isLate()) await this.#runs.renewal.renew();
        if (this.#requests.size > 0) await this.#claimRequested();
        await this.#claimDue();
      }
    } catch (error) {
      this.#inbox.reporter.failed('The store of notifications failed to give out entries', error);
      this.#requests.rejectAll(error);
      this.#pollAgain = false;
      this.#pollIn(this.#inbox.options.pollMs);
    }
  }

  async #claimRequested(): Promise<void> {
    const next = this.#runs.next();
    if (!next || next.groupId !== undefined) return;
    const requested = this.#requests.groupIds().filter((groupId) => !this.#runs.get(groupId));
    await this.#claimGroups(requested.slice(0, next.limit));
    if (this.#requests.size > 0) this.#pollAgain = true;
  }

  /** Claims several groups. What was leased is handled also when one of the claims fails: it would else count as stalled. */
  async #claimGroups(groupIds: readonly string[]): Promise<void> {
    const claims = await Promise.allSettled(groupIds.map((groupId) => this.#claim({ limit: 1, groupId })));
    const claimed = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []));
    await this.#admit(claimed);
    // Those that cannot be leased now wait no longer.
    for (const [index, groupId] of groupIds.entries())
      if (claims[index]?.status === 'fulfilled') this.#requests.resolve(groupId);
    const failed = claims.find((claim) => claim.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #claimDue(): Promise<void> {
    const next = this.#runs.next();
    if (!next) return;
    const claimed = await this.#claim(next);
    if (next.groupId !== undefined) this.#runs.forgetSuspect(next.groupId);
    await this.#admit([claimed]);
    // There may be more than was asked for.
    if (claimed.leases.length === next.limit || next.groupId !== undefined) this.#pollAgain = true;
    else this.#pollLater(claimed);
  }

  async #claim(claim: Pick<Claim, 'limit' | 'groupId'>): Promise<Claimed> {
    const { store, options, routes, reporter } = this.#inbox;
    const { leaseMs, coalesce } = options;
    this.#workerId ??= crypto.randomUUID();
    const claimed = await store.claim({ workerId: this.#workerId, leaseMs, routes, coalesce, ...claim });
    for (const problem of claimed.problems ?? []) reporter.failed(problem);
    return claimed;
  }

  async #admit(claimed: readonly Claimed[]): Promise<void> {
    const leases = claimed.flatMap((each) => each.leases);
    const areAdmitted = await this.#runs.admit(leases);
    if (!areAdmitted) this.#pollAgain = true;
    for (const { groupId } of leases) this.#requests.resolve(groupId, this.#runs.get(groupId)?.result);
  }

  #pollLater({ leases, nextInMs = Infinity }: Claimed): void {
    const isEmpty = leases.length === 0 && nextInMs === Infinity;
    if (isEmpty && this.#runs.size === 0 && this.#requests.size === 0) this.#resolveIdle();
    const { store, options } = this.#inbox;
    this.#pollIn(store.shared ? Math.min(nextInMs, options.pollMs) : nextInMs);
  }

  /** Entries in memory keep the process alive; entries in a durable store are found by the next process. */
  #pollIn(ms: number): void {
    clearTimeout(this.#timer);
    if (ms === Infinity || this.#inbox.stage !== 'open') return;
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, 1), longestTimerMs));
    if (this.#inbox.store.durable) (this.#timer as Partial<NodeJS.Timeout>).unref?.();
  }

  /** Stores an entry, and returns its state. */
  async add(entry: QueuedNotification): Promise<EntryState> {
    this.#isStarted = true;
    const state = await stored(this.#inbox.store, entry);
    this.wake();
    return state;
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
    clearTimeout(this.#timer);
    this.#requests.resolveAll();
    if (!(await endsWithin(graceMs, this.#ended()))) {
      this.#inbox.stage = 'aborting';
      this.#runs.abort();
      if (!(await endsWithin(abortGraceMs, this.#ended()))) await endsWithin(abortGraceMs, this.#runs.release());
    }
    this.#runs.renewal.stop();
    this.#resolveIdle();
  }

  /** Resolves once the store gives out nothing more and no handler is running. */
  async #ended(): Promise<void> {
    await this.#polling;
    await this.#runs.ended();
  }
}
