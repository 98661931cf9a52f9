import { RequestAbortedError, TimeoutError } from '../errors/errors.js';

/** No timer of the platform runs longer; a longer bound is none. */
export const longestTimer = 2 ** 31 - 1;

/**
 * What may end a call early: the caller's signal and the deadline. One listener and at most one timer, both gone when
 * the call is over.
 */
export class CancelScope {
  readonly #signal: AbortSignal | undefined;
  readonly #what: string;
  #listeners: Set<(error: Error) => void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onAbort: (() => void) | undefined;
  #ended: Error | undefined;
  /** When the call must be over, as `performance.now()` tells it; `undefined` for no deadline. */
  readonly deadline: number | undefined;
  /** How many times the request has been sent. */
  attempts = 0;
  /** Whether a write was sent of which nothing was heard. */
  outcomeUnknown = false;

  constructor(what: string, signal: AbortSignal | undefined, deadlineMs: number | undefined) {
    this.#what = what;
    this.#signal = signal;
    if (deadlineMs !== undefined && deadlineMs <= longestTimer) {
      this.deadline = performance.now() + deadlineMs;
      this.#timer = setTimeout(() => {
        this.#end(new TimeoutError(`${what} did not end within its deadline of ${deadlineMs} ms`, this));
      }, deadlineMs);
    }
    if (signal) this.#listen(signal);
  }

  #listen(signal: AbortSignal): void {
    this.#onAbort = () => {
      const { attempts, outcomeUnknown } = this;
      this.#end(
        new RequestAbortedError(`${this.#what} was aborted by the caller${knownOfAbort(this)}`, {
          cause: signal.reason,
          attempts,
          outcomeUnknown: outcomeUnknown,
        }),
      );
    };
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  #end(error: Error): void {
    this.#ended ??= error;
    if (this.#listeners) for (const listener of [...this.#listeners]) listener(this.#ended);
  }

  /** @throws {RequestAbortedError} or {TimeoutError} when the call has been ended. */
  throwIfAborted(): void {
    if (this.#ended) throw this.#ended;
  }

  get reason(): Error | undefined {
    return this.#ended;
  }

  /** How long the call may still take, in milliseconds; `Infinity` without a deadline. */
  get remainingMs(): number {
    return this.deadline === undefined ? Infinity : this.deadline - performance.now();
  }

  /**
   * Settles as `start` does, or rejects at once when the call is ended or `limitMs` is over; `stop` is then told.
   * `start` is given a function that lets the limit begin anew.
   */
  race<T>(start: (restart: () => void) => Promise<T>, stop?: (error: Error) => void, limitMs?: number): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise<T>((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const listeners = (this.#listeners ??= new Set());
      let isOver = false;
      const settle = (): void => {
        isOver = true;
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
        if (isOver || limitMs === undefined || limitMs > longestTimer) return;
        timer = setTimeout(() => {
          onEnd(new TimeoutError(`${this.#what} got no response within ${limitMs} ms`, this));
        }, limitMs);
      };
      restart();
      listeners.add(onEnd);
      const settleThen =
        <A>(next: (outcome: A) => void) =>
        (outcome: A): void => {
          settle();
          next(outcome);
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

  /** The call is over: nothing of it stays behind. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#listeners?.clear();
    if (this.#onAbort) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

function knownOfAbort({ attempts, outcomeUnknown }: CancelScope): string {
  if (attempts === 0) return ' before it was sent';
  return outcomeUnknown ? ' after it was sent: it may or may not have been carried out' : '';
}
