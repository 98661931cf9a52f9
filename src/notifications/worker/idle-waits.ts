import { longestTimerMs } from '../../core/scope/cancel-scope.js';

/** Those who wait until a worker has nothing to do. They keep the process alive. */
export class IdleWaits {
  readonly #waits: (() => void)[] = [];
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  /** Resolves with the next `end()`. */
  add(): Promise<void> {
    this.#keepAlive ??= setInterval(() => undefined, longestTimerMs);
    return new Promise((resolve) => void this.#waits.push(resolve));
  }

  end(): void {
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
    for (const resolve of this.#waits.splice(0)) resolve();
  }
}
