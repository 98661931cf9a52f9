import type { PollLoop } from '../../work/poll-loop.js';
import type { Inbox } from '../inbox.js';
import type { Claimed } from '../stores/store.js';
import { GroupRequests } from './group-requests.js';
import { admissionOf, nextClaim } from './policy.js';
import type { Load, NextClaim } from './policy.js';
import type { Runs } from './runs.js';
import { giveBack } from './settle.js';

/** Claims what is due from the store of a worker, and starts the handlers of what may start now. */
export class Claims {
  /** The groups that deliveries wait for. */
  readonly requests = new GroupRequests();
  readonly #inbox: Inbox;
  readonly #runs: Runs;
  readonly #loop: PollLoop;
  readonly #onEmpty: () => void;
  /** Groups whose entries may be what ends the process, and since when they wait for the others to end. */
  readonly #suspects = new Map<string, number>();
  #batch = 1;
  /** Made by the first claim: Workers make no random numbers while they import a module. */
  #workerId: string | undefined;

  /** @param onEmpty Called when nothing waits in the store, and nothing runs here. */
  constructor(inbox: Inbox, runs: Runs, loop: PollLoop, onEmpty: () => void) {
    this.#inbox = inbox;
    this.#runs = runs;
    this.#loop = loop;
    this.#onEmpty = onEmpty;
  }

  /** Claims once, and says to the loop when to claim again. */
  async poll(): Promise<void> {
    if (this.#runs.renewal.isLate()) await this.#runs.renewal.renew();
    if (this.requests.size > 0) await this.#claimRequested();
    await this.#claimDue();
  }

  /** The handler of a group has started: its entry waits no longer. */
  started(groupId: string): void {
    this.#suspects.delete(groupId);
  }

  get #load(): Load {
    const { concurrency, leaseMs } = this.#inbox.options;
    const [waitsSince = performance.now()] = this.#suspects.values();
    return {
      concurrency,
      used: this.#runs.size,
      runsSuspect: this.#runs.hasSuspect,
      isAlone: this.#runs.isAlone,
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
    const requested = this.requests.groupIds().filter((groupId) => !this.#runs.has(groupId));
    await this.#claimGroups(requested.slice(0, next.limit));
    if (this.requests.size > 0) this.#loop.again();
  }

  /** Claims several groups. What was leased is handled also when one of the claims fails: it would else count as stalled. */
  async #claimGroups(groupIds: readonly string[]): Promise<void> {
    const claims = await Promise.allSettled(groupIds.map((groupId) => this.claim({ limit: 1, groupId })));
    const claimed = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []));
    await this.#admit(claimed, false);
    // Those that cannot be leased now wait no longer.
    for (const [index, groupId] of groupIds.entries())
      if (claims[index]?.status === 'fulfilled') this.requests.resolve(groupId);
    const failed = claims.find((claim) => claim.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #claimDue(): Promise<void> {
    const next = this.#next();
    if (!next) return;
    const claimed = await this.claim(next);
    // Another process may have it, or it may be handled.
    if (next.groupId !== undefined) this.#suspects.delete(next.groupId);
    await this.#admit([claimed], next.alone === true);
    // There may be more than was asked for.
    if (claimed.leases.length === next.limit || next.groupId !== undefined) this.#loop.again();
    else this.#pollLater(claimed);
  }

  /** Claims from the store, and reports what it has to report. */
  async claim(claim: NextClaim): Promise<Claimed> {
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
    for (const lease of start) this.#runs.start(lease, alone);
    for (const { groupId } of leases) this.requests.resolve(groupId, this.#runs.resultOf(groupId));
  }

  #pollLater({ leases, nextInMs = Infinity }: Claimed): void {
    const isEmpty = leases.length === 0 && nextInMs === Infinity;
    if (isEmpty && this.#runs.size === 0 && this.requests.size === 0) this.#onEmpty();
    this.#loop.later(nextInMs);
  }
}
