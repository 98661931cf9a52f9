import type { GroupRequests } from './group-requests.js';
import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import type { Inbox } from '../inbox.js';
import type { Runs } from './runs.js';
import type { Claim, Claimed } from '../stores/store.js';

/** Claims from the store what is due, again and again until nothing is. */
export class Poller {
  readonly #inbox: Inbox;
  readonly #runs: Runs;
  readonly #requests: GroupRequests;
  readonly #onEmpty: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  /** Made by the first claim: Workers make no random numbers while they import a module. */
  #workerId: string | undefined;

  /** @param onEmpty Called when no entry waits and no handler runs. */
  constructor(inbox: Inbox, runs: Runs, requests: GroupRequests, onEmpty: () => void) {
    this.#inbox = inbox;
    this.#runs = runs;
    this.#requests = requests;
    this.#onEmpty = onEmpty;
  }

  /** Resolves once the claim that is under way has leased what it can. */
  get polling(): Promise<void> | undefined {
    return this.#polling;
  }

  /** Polls now. */
  wake(): void {
    this.#pollAgain = true;
    if (this.#inbox.stage !== 'open') return;
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
      if (this.#pollAgain) this.wake();
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
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
    const groupIds = requested.slice(0, next.limit);
    await this.#claimGroups(groupIds);
    if (this.#requests.size > 0) this.#pollAgain = true;
  }

  /** Claims several groups. What was leased is handled also when one of the claims fails: it would else count as stalled. */
  async #claimGroups(groupIds: readonly string[]): Promise<void> {
    const claims = await Promise.allSettled(groupIds.map((groupId) => this.#claim({ limit: 1, groupId })));
    const claimed = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []));
    await this.#admit(claimed);
    for (const [index, groupId] of groupIds.entries()) {
      const claim = claims[index];
      if (claim?.status === 'fulfilled' && claim.value.leases.length === 0) this.#requests.resolve(groupId);
    }
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
    if (isEmpty && this.#runs.size === 0 && this.#requests.size === 0) this.#onEmpty();
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
}
