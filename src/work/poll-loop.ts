import { longestTimerMs } from '../core/scope/cancel-scope.js';

/** What a loop needs of a worker and of its store. */
export interface Polled {
  readonly store: { readonly durable: boolean; readonly shared: boolean };
  /** Whether the worker was started, and is not closed. */
  isOpen(): boolean;
  /** Leases what is due, and says when to poll again: `again()`, or `later()`. */
  poll(): Promise<void>;
  onError(error: unknown): void;
}

/** How often a store that other processes use is polled, and after an error, in milliseconds. */
const pollMs = 1_000;
/** How often a durable store is polled that only this process uses: another object may have the same file, in milliseconds. */
const rarePollMs = 600_000;

/** Polls a store, never twice at once: what is asked for during a poll is polled after it. */
export class PollLoop {
  readonly #polled: Polled;
  #isAsked = false;
  #running: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(polled: Polled) {
    this.#polled = polled;
  }

  /** Resolves once the poll that is under way has leased what it can. */
  get ended(): Promise<void> | undefined {
    return this.#running;
  }

  /** Polls now, if the worker is open. */
  wake(): void {
    if (!this.#polled.isOpen()) return;
    this.#isAsked = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isAsked) this.wake();
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAsked && this.#polled.isOpen()) {
        this.#isAsked = false;
        await this.#polled.poll();
      }
    } catch (error) {
      this.#polled.onError(error);
      this.#isAsked = false;
      this.#wakeIn(pollMs);
    }
  }

  /** Polls once more after the poll that is under way. */
  again(): void {
    this.#isAsked = true;
  }

  /** Polls when the next entry is due, and earlier if others may add one. */
  later(nextInMs = Infinity): void {
    const { store } = this.#polled;
    const atLeastMs = store.shared ? pollMs : store.durable ? rarePollMs : Infinity;
    this.#wakeIn(Math.min(nextInMs, atLeastMs));
  }

  /** What is in memory keeps the process alive; what is in a durable store is found by the next process. */
  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    if (ms === Infinity || !this.#polled.isOpen()) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, 1), longestTimerMs));
    if (this.#polled.store.durable) (this.#timer as Partial<NodeJS.Timeout>).unref?.();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
