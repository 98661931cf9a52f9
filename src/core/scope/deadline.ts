import { TimeoutError } from '../errors/errors.js';

/** The call options that a deadline changes. */
interface DeadlineOptions {
  readonly deadlineMs?: number | undefined;
}

/** A deadline that several calls share. It counts the time of the calls, not the time between them. */
export class Deadline {
  readonly #what: string;
  readonly #limitMs: number | undefined;
  #leftMs: number;

  /** `what` is the name of the operation in messages. If `limitMs` is `undefined`, there is no limit. */
  constructor(what: string, limitMs: number | undefined) {
    this.#what = what;
    this.#limitMs = limitMs;
    this.#leftMs = limitMs ?? Infinity;
  }

  /**
   * Makes a call within the remaining time.
   *
   * @throws {TimeoutError} when no time remains.
   */
  async within<O extends DeadlineOptions, T>(options: O, call: (options: O) => PromiseLike<T>): Promise<T> {
    if (this.#limitMs === undefined) return call(options);
    if (this.#leftMs <= 0 && this.#limitMs > 0) throw this.#error();
    const startedAt = performance.now();
    const isFirst = this.#leftMs === this.#limitMs;
    try {
      return await call({ ...options, deadlineMs: this.#leftMs });
    } catch (error) {
      const isOver = performance.now() - startedAt >= this.#leftMs;
      // The message of the call's error would state the remaining time instead of the whole deadline.
      if (isFirst || !isOver || !(error instanceof TimeoutError)) throw error;
      throw this.#error(error);
    } finally {
      this.#leftMs -= performance.now() - startedAt;
    }
  }

  #error(cause?: TimeoutError): TimeoutError {
    const message = `${this.#what} did not end within its deadline of ${this.#limitMs} ms`;
    return new TimeoutError(message, cause ? { cause, attempts: cause.attempts } : { attempts: 0 });
  }
}
