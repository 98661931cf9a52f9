import { copyOfError, SellerError } from '../errors/seller-error.js';
import { longestTimerMs, onAbort, type CancelScope } from './cancel-scope.js';

/** Work that is under way, and for which any number of callers wait. */
interface Flight<T> {
  readonly result: Promise<T>;
  /** Limits its time. It keeps the process alive only while a call waits. */
  readonly timer: { ref?(): unknown; unref?(): unknown };
  /** How many wait for it. A call that was aborted does not. */
  waiting: number;
}

/**
 * Work that is done once at a time, for all who need its result. It does not end with the signal of one of them, so it has its own
 * time limit. After that, it can be started again.
 */
export class SingleFlight<T> {
  readonly #limitMs: number;
  readonly #expired: (limitMs: number) => Error;
  #flight: Flight<T> | undefined;

  /** `expired` is the error of work that takes longer than `limitMs`. */
  constructor(limitMs: number, expired: (limitMs: number) => Error) {
    this.#limitMs = limitMs;
    this.#expired = expired;
  }

  get isUnderWay(): boolean {
    return this.#flight !== undefined;
  }

  /**
   * The result of the work that is under way; otherwise this work begins, with a signal that aborts when its time is over, or when
   * `outer` aborts. A result that is no promise is returned at once. With a scope, a caller waits for as long as that lasts.
   */
  run(
    work: (signal: AbortSignal) => T | Promise<T>,
    { scope, outer }: Readonly<{ scope?: CancelScope; outer?: AbortSignal | undefined }>,
  ): T | Promise<T> {
    if (this.#flight) return join(this.#flight, scope);
    const controller = new AbortController();
    const started = work(controller.signal);
    if (!(started instanceof Promise)) return started;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const end = (error: Error): void => {
      controller.abort(error);
      reject(error);
    };
    const stopListening = outer && onAbort(outer, () => end(outer.reason as Error));
    if (outer?.aborted) end(outer.reason as Error);
    const timer = setTimeout(() => end(this.#expired(this.#limitMs)), Math.min(this.#limitMs, longestTimerMs));
    (timer as Flight<T>['timer']).unref?.();
    started.then(resolve, reject);
    const result = promise.finally(() => {
      clearTimeout(timer);
      stopListening?.();
      this.#flight = undefined;
    });
    result.catch(() => undefined);
    this.#flight = { result, timer, waiting: 0 };
    return join(this.#flight, scope);
  }
}

/** The process stays alive while a call waits. */
async function join<T>(flight: Flight<T>, scope: CancelScope | undefined): Promise<T> {
  flight.waiting += 1;
  if (scope) flight.timer.ref?.();
  try {
    return await (scope ? scope.race(() => flight.result) : flight.result);
  } catch (error) {
    // The last one that waits takes the error itself.
    const isShared = error !== scope?.reason && flight.waiting > 1 && error instanceof SellerError;
    throw isShared ? copyOfError(error) : error;
  } finally {
    flight.waiting -= 1;
    if (flight.waiting === 0) flight.timer.unref?.();
  }
}
