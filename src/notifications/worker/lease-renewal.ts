import type { Inbox } from '../inbox.js';
import type { Lease } from '../stores/store.js';

/** The leases of a worker. */
export interface Renewed {
  leases(): readonly Lease[];
  /** Called for a lease that another process has. */
  lose(lease: Lease): void;
  /** Called after each renewal by the timer, also a failed one. */
  onRenewed(): void;
}

/** Renews the leases of the running handlers, three times per `leaseMs`. */
export class LeaseRenewal {
  readonly #inbox: Inbox;
  readonly #leaseMs: number;
  readonly #renewed: Renewed;
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewing: Promise<void> | undefined;
  #renewedAt = { monotonic: 0, wall: 0 };

  constructor(inbox: Inbox, renewed: Renewed) {
    this.#inbox = inbox;
    this.#leaseMs = inbox.options.leaseMs;
    this.#renewed = renewed;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#renewedAt = now();
    this.#timer = setInterval(() => void this.renew().then(() => this.#renewed.onRenewed()), this.#leaseMs / 3);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Whether the timer is late: the process was stopped, or the machine was suspended.
   *
   * Then a worker renews before it claims, so that it does not claim its own expired leases.
   */
  isLate(): boolean {
    if (this.#timer === undefined) return false;
    const { monotonic, wall } = now();
    const elapsedMs = Math.max(monotonic - this.#renewedAt.monotonic, wall - this.#renewedAt.wall);
    return elapsedMs > this.#leaseMs / 2;
  }

  /** Renews now. */
  async renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => (this.#renewing = undefined));
    await this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    const leases = this.#renewed.leases();
    const startedAt = now();
    try {
      const lost = leases.length > 0 ? await this.#inbox.store.renew(leases, this.#leaseMs) : [];
      this.#renewedAt = startedAt;
      for (const lease of leases) if (lost.includes(lease.groupId)) this.#renewed.lose(lease);
    } catch (error) {
      this.#inbox.reporter.failed('The leases of notifications were not renewed', error);
    }
  }
}

/** Both clocks: one stands still while the machine is suspended, the other can be set. */
function now(): { monotonic: number; wall: number } {
  return { monotonic: performance.now(), wall: Date.now() };
}
