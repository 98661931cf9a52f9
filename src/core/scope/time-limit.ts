/**
 * The last part of a limit, in milliseconds, has a timer of its own. A process that stood still runs its timers before it reads
 * what has arrived meanwhile, and a response must not be lost by that.
 */
const lastMs = 1_000;

/** Limits the time of operations. */
export class TimeLimit {
  readonly #ms: number;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** The result of `start`, or the error that `onTimeout` returns when the time is over. */
  async run<T>(start: () => T | Promise<T>, onTimeout: () => Error): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const ends = Math.min(lastMs, this.#ms / 2);
    let timer = this.#after(this.#ms - ends, () => {
      timer = this.#after(ends, () => reject(onTimeout()));
    });
    try {
      return await Promise.race([start(), late]);
    } finally {
      clearTimeout(timer);
      this.#timers.delete(timer);
    }
  }

  #after(ms: number, run: () => void): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  /** Limits nothing that runs any more, and leaves no timer. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
