import { RequestAbortedError, TimeoutError } from '../errors/errors.js';

/** The longest timer of the platform; a longer limit is no limit. */
export const longestTimerMs = 2 ** 31 - 1;

/** How far a call is, for the error that ends it early. */
export interface CallProgress {
  /** How many times the request has been sent. */
  readonly attempts: number;
  /** A write was sent and has got no response. */
  readonly outcomeUnknown: boolean;
}

interface CancelScopeOptions {
  /** What is cancelled, as a message names it: method and path. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
  /** Read when the call is ended early. */
  readonly progress: CallProgress;
}

/**
 * What may end a call early: the caller's signal and the deadline. One listener and at most one timer, both gone when
 * the call is over.
 */
export class CancelScope {
  readonly #what: string;
  readonly #signal: AbortSignal | undefined;
  readonly #progress: CallProgress;
  readonly #deadlineAt: number | undefined;
  #listeners: Set<(error: Error) => void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onAbort: (() => void) | undefined;
  #reason: Error | undefined;

  constructor({ what, signal, deadlineMs, progress }: CancelScopeOptions) {
    this.#what = what;
    this.#signal = signal;
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
    this.#onAbort = () => {
      const { attempts, outcomeUnknown } = this.#progress;
      this.#abort(
        new RequestAbortedError(`${this.#what} was aborted by the caller${stateWhenAborted(this.#progress)}`, {
          cause: signal.reason,
          attempts,
          outcomeUnknown,
        }),
      );
    };
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  #abort(error: Error): void {
    this.#reason ??= error;
    if (this.#listeners) for (const listener of [...this.#listeners]) listener(this.#reason);
  }

  /** @throws {RequestAbortedError} or {TimeoutError} when the call has been ended. */
  throwIfAborted(): void {
    if (this.#reason) throw this.#reason;
  }

  /** The error that ended the call early; `undefined` while it goes on. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** How long the call may still take, in milliseconds; `Infinity` without a deadline. */
  get remainingMs(): number {
    return this.#deadlineAt === undefined ? Infinity : this.#deadlineAt - performance.now();
  }

  /**
   * Settles as `start` does, or rejects at once when the call is ended or `limitMs` has passed; `stop` is then called.
   * `start` gets a function that restarts the limit.
   */
  race<T>(start: (restart: () => void) => Promise<T>, stop?: (error: Error) => void, limitMs?: number): Promise<T> {
    if (this.#reason) return Promise.reject(this.#reason);
    return new Promise<T>((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const listeners = (this.#listeners ??= new Set());
      let isSettled = false;
      const settle = (): void => {
        isSettled = true;
        clearTimeout(timer);
        listeners.delete(onEnd);
      };
      const onEnd = (error: Error): void => {
        settle();
        reject(error);
        stop?.(error);
      };
      const restart = (): void => {
        clearTimeout(timer);
        if (isSettled || limitMs === undefined || limitMs > longestTimerMs) return;
        timer = setTimeout(() => {
          onEnd(new TimeoutError(`${this.#what} got no response within ${limitMs} ms`, this.#progress));
        }, limitMs);
      };
      restart();
      listeners.add(onEnd);
      const settleThen =
        <A>(next: (value: A) => void) =>
        (value: A): void => {
          settle();
          next(value);
        };
      start(restart).then(settleThen(resolve), settleThen(reject));
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

  /** Removes the listener and the timer. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#listeners?.clear();
    if (this.#onAbort) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

function stateWhenAborted({ attempts, outcomeUnknown }: CallProgress): string {
  if (attempts === 0) return ' before it was sent';
  return outcomeUnknown ? ' after it was sent: it may or may not have been carried out' : '';
}
