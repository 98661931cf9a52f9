import { longestTimerMs } from '../core/scope/cancel-scope.js';
import type { CatchUpResult } from './catch-up.js';
import type { InboxContext } from './context.js';
import { leads } from '../work/ledger.js';

const leader = 'catch up';

/** Looks for what the sellers missed, again and again: in one of the processes that share a store. */
export class CatchUpRounds {
  readonly #context: InboxContext;
  readonly #catchUp: () => Promise<CatchUpResult>;
  #holder = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next round begins, on the monotonic clock. */
  #nextAt = 0;
  #isRunning = false;

  constructor(context: InboxContext, catchUp: () => Promise<CatchUpResult>) {
    this.#context = context;
    this.#catchUp = catchUp;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#holder = crypto.randomUUID();
    this.#timer = setInterval(() => void this.#tick(), this.#tickMs);
    (this.#timer as { unref?: () => void }).unref?.();
    void this.#tick();
  }

  /** A process that is killed is followed by another one once its lead has ended, where there are others. */
  get #tickMs(): number {
    const { options, store } = this.#context;
    const { leaseMs, catchUpEveryMs } = options;
    return store.shared ? leaseMs / 3 : Math.min(catchUpEveryMs, longestTimerMs);
  }

  async #leads(): Promise<boolean> {
    const { store, options } = this.#context;
    return !store.shared || leads(store.ledger, leader, this.#holder, options.leaseMs);
  }

  async #tick(): Promise<void> {
    const { reporter, options } = this.#context;
    try {
      if (!(await this.#leads())) return void (this.#nextAt = 0);
      // The tick that is nearest: timers and clock differ by a millisecond.
      if (this.#isRunning || performance.now() < this.#nextAt - this.#tickMs / 2) return;
      this.#nextAt = performance.now() + options.catchUpEveryMs;
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
    const more = failed.length > 1 ? ` and ${failed.length - 1} more` : '';
    if (first) this.#context.reporter.failed(`catchUp() failed for user ${first.user_id}${more}`, first.error);
  }

  /** Leaves the lead to another process at once. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    const { shared, ledger } = this.#context.store;
    if (shared) await ledger.replace(leader, this.#holder, '', 0).catch(() => false);
  }
}
