import { RequestAbortedError, TimeoutError } from '../errors/errors.js';
import { onAbort } from './wait.js';

/** The longest timer of the platform. A longer one would fire immediately. */
export const longestTimerMs = 2 ** 31 - 1;

/** The progress of a call, for the error that ends it early. */
export interface CallProgress {
  /** How many times the request has been sent. */
  readonly attempts: number;
  /** A write was sent, and an attempt may or may not have been carried out. */
  readonly outcomeUnknown: boolean;
}

interface CancelScopeOptions {
  /** The name of the operation in messages: method and path. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
  /** Read when the call is ended early. */
  readonly progress: CallProgress;
}

/**
 * Ends a call early: with the caller's signal, or at the deadline. It has at most one listener and one timer; `dispose`
 * removes both.
 */
export class CancelScope {
  /** The error that ended the call early; `undefined` if it was not ended. */
  reason: Error | undefined;
  readonly #what: string;
  readonly #progress: CallProgress;
  readonly #deadlineAt: number | undefined;
  readonly #listeners = new Set<(error: Error) => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopListening: (() => void) | undefined;

  constructor({ what, signal, deadlineMs, progress }: CancelScopeOptions) {
    this.#what = what;
    this.#progress = progress;
    if (deadlineMs !== undefined && deadlineMs <= longestTimerMs) {
      this.#deadlineAt = performance.now() + deadlineMs;
      this.#timer = setTimeout(() => {
        this.#abort(new TimeoutError(`${what} did not end within its deadline of ${deadlineMs} ms`, progress));
      }, deadlineMs);
    }
    if (signal) this.#listenTo(signal);
  }

  #listenTo(signal: AbortSignal): void {
    const abort = (): void => {
      const { attempts, outcomeUnknown } = this.#progress;
      this.#abort(
        new RequestAbortedError(`${this.#what} was aborted by the caller${stateWhenAborted(this.#progress)}`, {
          cause: signal.reason,
          attempts,
          outcomeUnknown,
        }),
      );
    };
    if (signal.aborted) abort();
    else this.#stopListening = onAbort(signal, abort);
  }

  #abort(error: Error): void {
    this.reason ??= error;
    for (const listener of this.#listeners) listener(this.reason);
  }

  /** @throws {RequestAbortedError} or {TimeoutError} when the call was ended early. */
  throwIfAborted(): void {
    if (this.reason) throw this.reason;
  }

  /** The time until the deadline, in milliseconds; `Infinity` without a deadline. */
  get remainingMs(): number {
    return this.#deadlineAt === undefined ? Infinity : this.#deadlineAt - performance.now();
  }

  /**
   * Settles like the promise of `start`. If the call is ended early, or if `limitMs` has passed, it rejects immediately
   * and calls `stop`. `start` receives a function that restarts the time limit.
   */
  async race<T>(
    start: (restart: () => void) => Promise<T>,
    stop?: (error: Error) => void,
    limitMs = Infinity,
  ): Promise<T> {
    this.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (error: Error): void => {
      isOver = true;
      clearTimeout(timer);
      reject(error);
      stop?.(error);
    };
    const restart = (): void => {
      clearTimeout(timer);
      if (isOver || limitMs > longestTimerMs) return;
      timer = setTimeout(() => {
        end(new TimeoutError(`${this.#what} got no response within ${limitMs} ms`, this.#progress));
      }, limitMs);
    };
    restart();
    this.#listeners.add(end);
    try {
      start(restart).then(resolve, reject);
      return await promise;
    } finally {
      isOver = true;
      clearTimeout(timer);
      this.#listeners.delete(end);
    }
  }

  /** Waits. If the call is ended early, it rejects. */
  async sleep(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await this.race(
      () =>
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, ms);
        }),
      () => clearTimeout(timer),
    );
  }

  /** Removes the listener and the timer. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#stopListening?.();
  }
}

function stateWhenAborted({ attempts, outcomeUnknown }: CallProgress): string {
  if (attempts === 0) return ' before it was sent';
  return outcomeUnknown ? ' after it was sent: it may or may not have been carried out' : '';
}
