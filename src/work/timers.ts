import { longestTimerMs } from '../core/scope/cancel-scope.js';

/**
 * Runs a function after the pending events of this turn of the event loop: what they ask for is then done together. It is
 * `setImmediate` as it was at import time, so that fake timers of tests do not stop the inbox. Workers have none, and do not call it.
 */
export const { setImmediate: atEndOfTurn } = globalThis;

/** Waits for a promise for some time. Resolves to whether it has resolved. */
export async function endsWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(ms, longestTimerMs));
  });
  return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
}

/** Does something again and again, one round at a time, and does not keep the process alive. */
export class Rounds {
  readonly #onError: (error: unknown) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #running: Promise<void> | undefined;

  /** @param onError Called with the error of a round, until the rounds are stopped. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get areStarted(): boolean {
    return this.#timer !== undefined;
  }

  /** The first one begins after this time, in milliseconds. */
  start(everyMs: number, round: () => Promise<void>): void {
    this.#timer ??= setInterval(() => this.begin(round), everyMs);
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** Begins a round now, unless one is under way. */
  begin(round: () => Promise<void>): void {
    if (this.areStarted) this.#running ??= this.#run(round).finally(() => (this.#running = undefined));
  }

  async #run(round: () => Promise<void>): Promise<void> {
    try {
      await round();
    } catch (error) {
      if (this.areStarted) this.#onError(error);
    }
  }

  /** Begins no more rounds. Resolves once the one that is under way has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }
}
