import type { CatchUpResult } from './catch-up.js';
import type { Inbox } from './inbox.js';
import { leads } from '../work/ledger.js';

const leader = 'catch up';

/** Looks for what the sellers missed, again and again: in one of the processes that share a store or a queue. */
export class CatchUpRounds {
  readonly #inbox: Inbox;
  readonly #catchUp: () => Promise<CatchUpResult>;
  #holder = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next round begins, on the monotonic clock. */
  #nextAt = 0;
  #isRunning = false;

  constructor(inbox: Inbox, catchUp: () => Promise<CatchUpResult>) {
    this.#inbox = inbox;
    this.#catchUp = catchUp;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#holder = crypto.randomUUID();
    // A process that is killed is followed by another one once its lead has ended.
    this.#timer = setInterval(() => void this.#tick(), this.#leadMs / 3);
    (this.#timer as { unref?: () => void }).unref?.();
    void this.#tick();
  }

  get #leadMs(): number {
    return this.#inbox.options.leaseMs;
  }

  async #tick(): Promise<void> {
    const { ledger, reporter } = this.#inbox;
    try {
      if (ledger && !(await leads(ledger, leader, this.#holder, this.#leadMs))) return void (this.#nextAt = 0);
      if (this.#isRunning || performance.now() < this.#nextAt) return;
      this.#nextAt = performance.now() + this.#inbox.options.catchUpEveryMs;
      this.#isRunning = true;
      this.#report(await this.#catchUp());
    } catch (error) {
      if (this.#timer !== undefined) reporter.failed('catchUp() failed', error);
    } finally {
      this.#isRunning = false;
    }
  }

  #report({ failed }: CatchUpResult): void {
    const [first] = failed;
    const more = failed.length > 1 ? ` and ${failed.length - 1} other users` : '';
    if (first) this.#inbox.reporter.failed(`catchUp() failed for user ${first.user_id}${more}`, first.error);
  }

  /** Leaves the lead to another process at once. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#inbox.ledger?.replace(leader, this.#holder, '', 0).catch(() => false);
  }
}
