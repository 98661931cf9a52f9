import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import { atEndOfTurn } from './turns.js';

/** How long handlers may take to end after `close` has aborted their signals, in milliseconds. */
export const abortGraceMs = 1_000;

/** Waits for a promise for some time. Resolves to whether it has resolved. */
export async function endsWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(ms, longestTimerMs));
  });
  return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
}

/** An operation whose time is limited. */
export interface LimitedOperation {
  readonly endsAt: number;
  readonly expire: () => void;
  hasEnded: boolean;
}

/**
 * Limits the time of many operations with one timer: they all have the same limit, so the oldest ends first.
 *
 * What ends within the turn of the event loop in which it started costs almost nothing.
 */
export class TimeLimit {
  readonly #ms: number;
  /** Started in this turn of the event loop. */
  #started: LimitedOperation[] = [];
  /** Started in earlier turns. */
  readonly #running = new Set<LimitedOperation>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** The result of `start`, or the error that `onTimeout` returns when the time is over. */
  run<T>(start: () => T | Promise<T>, onTimeout: () => Error): Promise<T> {
    // With `Promise.race`, each operation would need five promises more.
    return new Promise((resolve, reject) => {
      const operation = this.begin(() => reject(onTimeout()));
      started(start).then(
        (value) => {
          this.end(operation);
          resolve(value);
        },
        (error: unknown) => {
          this.end(operation);
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever the operation threw
          reject(error);
        },
      );
    });
  }

  /** Calls `expire` when the time is over, unless the operation has ended. */
  begin(expire: () => void): LimitedOperation {
    const operation = { endsAt: performance.now() + this.#ms, expire, hasEnded: false };
    if (this.#started.push(operation) === 1) atEndOfTurn(() => this.#watchStarted());
    return operation;
  }

  end(operation: LimitedOperation): void {
    operation.hasEnded = true;
    if (this.#running.delete(operation) && this.#running.size === 0) this.#stopTimer();
  }

  /** Limits nothing that runs any more, and leaves no timer. */
  stop(): void {
    this.#stopTimer();
    this.#running.clear();
  }

  #watchStarted(): void {
    for (const operation of this.#started) if (!operation.hasEnded) this.#running.add(operation);
    this.#started = [];
    if (this.#timer === undefined) this.#startTimer();
  }

  #startTimer(): void {
    const [oldest] = this.#running;
    if (oldest) this.#timer = setTimeout(() => this.#expire(), Math.max(oldest.endsAt - performance.now(), 1));
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const operation of this.#running) {
      // A timer may be early by a part of a millisecond.
      if (operation.endsAt > now + 1) break;
      this.end(operation);
      operation.expire();
    }
    this.#startTimer();
  }
}

/** Applications also pass functions that throw, or that return no promise. */
function started<T>(start: () => T | Promise<T>): Promise<T> {
  try {
    return Promise.resolve(start());
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever the function threw
    return Promise.reject(error);
  }
}
