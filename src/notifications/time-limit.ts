import { longestTimerMs } from '../core/retry/cancel-scope.js';
import { atEndOfTurn } from './turns.js';

/** Waits for a promise for some time. Resolves to whether it has resolved. */
export async function endsWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(ms, longestTimerMs));
  });
  return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
}

interface Running {
  readonly endsAt: number;
  readonly expire: () => void;
}

/**
 * Limits the time of many operations with one timer: they all have the same limit, so the oldest ends first.
 *
 * What ends within the turn of the event loop in which it started needs no timer.
 */
export class TimeLimit {
  readonly #ms: number;
  readonly #running = new Set<Running>();
  #isScheduled = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** The result of `start`, or the error that `onTimeout` returns when the time is over. */
  run<T>(start: () => Promise<T>, onTimeout: () => Error): Promise<T> {
    // With `Promise.race`, each operation would need five promises more.
    return new Promise((resolve, reject) => {
      const end = this.begin(() => reject(onTimeout()));
      started(start).then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever the operation threw
          reject(error);
        },
      );
    });
  }

  /** Calls `expire` when the time is over. Returns a function that prevents it. */
  begin(expire: () => void): () => void {
    const running = { endsAt: performance.now() + this.#ms, expire };
    this.#running.add(running);
    this.#schedule();
    return () => {
      this.#running.delete(running);
      if (this.#running.size === 0) this.#stop();
    };
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    atEndOfTurn(() => this.#startTimer());
  }

  #startTimer(): void {
    const [oldest] = this.#running;
    this.#isScheduled = oldest !== undefined;
    if (oldest) this.#timer = setTimeout(() => this.#expire(), Math.max(oldest.endsAt - performance.now(), 1));
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isScheduled = false;
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const running of this.#running) {
      // A timer may be early by a part of a millisecond.
      if (running.endsAt > now + 1) break;
      this.#running.delete(running);
      running.expire();
    }
    this.#startTimer();
  }
}

/** Applications also pass functions that throw, or that return no promise. */
function started<T>(start: () => Promise<T>): Promise<T> {
  try {
    return Promise.resolve(start());
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever the function threw
    return Promise.reject(error);
  }
}
