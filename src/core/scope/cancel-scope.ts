import { RequestAbortedError, TimeoutError } from '../errors/errors.js';

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

/** Waits, or until a signal aborts. Leaves no timer or listener behind. */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stopListening?.();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const stopListening = signal && onAbort(signal, end);
  });
}

/**
 * Calls a function of the user whose result is not awaited. An observer must not make a call fail or end the process, so
 * its errors are ignored, also those of an asynchronous function.
 */
export function ignoreErrors(callback: () => unknown): void {
  try {
    const returned = callback();
    if (returned !== undefined) Promise.resolve(returned).catch(() => undefined);
  } catch {
    // See above.
  }
}

/** Waits for a promise, or until a signal aborts: then it rejects with the reason. Leaves no listener behind. */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let stopListening: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stopListening = onAbort(signal, () => reject(signal.reason as Error));
  });
  return Promise.race([promise, aborted]).finally(stopListening);
}

/** The listeners of a signal. */
interface Listeners {
  readonly all: Set<() => void>;
  readonly notify: () => void;
}

/** The signals that calls listen to now. One whose call never ends is not kept. */
const listenersOf = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls a listener when a signal aborts, and returns a function that removes it.
 *
 * The platform searches all listeners of a signal when one is added or removed. So a signal that many calls share has
 * only one, which calls the others.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listenersOf.get(signal) ?? listenTo(signal);
  listeners.all.add(listener);
  return () => {
    if (!listeners.all.delete(listener) || listeners.all.size > 0) return;
    listenersOf.delete(signal);
    signal.removeEventListener('abort', listeners.notify);
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const all = new Set<() => void>();
  const listeners = { all, notify: () => all.forEach((listener) => listener()) };
  listenersOf.set(signal, listeners);
  signal.addEventListener('abort', listeners.notify);
  return listeners;
}
