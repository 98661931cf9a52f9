import { RequestAbortedError, TimeoutError } from './errors.js';

/**
 * What may end a call early: the caller's signal and the deadline. One listener and at most one timer, both gone when
 * the call is over.
 */
export class Bounds {
  readonly #signal: AbortSignal | undefined;
  readonly #what: string;
  readonly #listeners = new Set<(error: Error) => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended: Error | undefined;
  /** When the call must be over, as `Date.now()` tells it; `undefined` for no deadline. */
  readonly deadline: number | undefined;

  constructor(what: string, signal: AbortSignal | undefined, deadlineMs: number | undefined) {
    this.#what = what;
    this.#signal = signal;
    if (deadlineMs !== undefined) {
      this.deadline = Date.now() + deadlineMs;
      this.#timer = setTimeout(() => {
        this.#end(new TimeoutError(`${what} did not end within its deadline of ${deadlineMs} ms`));
      }, deadlineMs);
    }
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => {
    this.#end(new RequestAbortedError(`${this.#what} was aborted by the caller`, { cause: this.#signal?.reason }));
  };

  #end(error: Error): void {
    this.#ended ??= error;
    for (const listener of [...this.#listeners]) listener(this.#ended);
  }

  /** @throws {RequestAbortedError} or {TimeoutError} when the call has been ended. */
  throwIfEnded(): void {
    if (this.#ended) throw this.#ended;
  }

  get ended(): Error | undefined {
    return this.#ended;
  }

  /** Settles as `start` does, or rejects at once when the call is ended or `limitMs` is over; `stop` is then told. */
  race<T>(start: () => Promise<T>, stop?: (error: Error) => void, limitMs?: number): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise<T>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(onEnd);
      };
      const onEnd = (error: Error): void => {
        settle();
        reject(error);
        stop?.(error);
      };
      const timer =
        limitMs === undefined
          ? undefined
          : setTimeout(() => {
              onEnd(new TimeoutError(`${this.#what} was not answered within ${limitMs} ms`));
            }, limitMs);
      this.#listeners.add(onEnd);
      start().then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          // What a fetch or token function of the user rejects with is passed on as it is, error or not.
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
          reject(error);
        },
      );
    });
  }

  /** Waits, unless the call is ended first. */
  async sleep(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await this.race(
      () =>
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, ms);
        }),
      () => {
        clearTimeout(timer);
      },
    );
  }

  /** The call is over: nothing of it stays behind. */
  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}
