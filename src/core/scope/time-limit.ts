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
    const timer = setTimeout(() => reject(onTimeout()), this.#ms);
    this.#timers.add(timer);
    try {
      return await Promise.race([start(), late]);
    } finally {
      clearTimeout(timer);
      this.#timers.delete(timer);
    }
  }

  /** Limits nothing that runs any more, and leaves no timer. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
