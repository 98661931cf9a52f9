import { TimeoutError } from '../errors/errors.js';

/** The part of call options that a deadline changes. */
interface DeadlineOptions {
  readonly deadlineMs?: number | undefined;
}

/** A deadline that several calls share. It counts the time of the calls, not what happens between them. */
export class Deadline {
  readonly #what: string;
  readonly #limitMs: number | undefined;
  #leftMs: number;

  /** `what` is what the calls belong to, as a message names it; a `limitMs` of `undefined` is no limit. */
  constructor(what: string, limitMs: number | undefined) {
    this.#what = what;
    this.#limitMs = limitMs;
    this.#leftMs = limitMs ?? Infinity;
  }

  /** What is left of it, for a call that is not waited for; `undefined` without a limit. */
  get leftMs(): number | undefined {
    return this.#limitMs === undefined ? undefined : Math.max(this.#leftMs, 1);
  }

  /**
   * Makes a call within what is left.
   *
   * @throws {TimeoutError} when nothing is left.
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
      // The call itself only knows of the rest that it was given.
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
