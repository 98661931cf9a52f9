import { longestTimerMs } from '../../core/scope/cancel-scope.js';

/** The time of the next poll: the earliest that was set. */
export class PollTimer {
  readonly #poll: () => void;
  readonly #keepsAlive: boolean;
  #at = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param keepsAlive Whether the timer keeps the process alive. */
  constructor(poll: () => void, keepsAlive: boolean) {
    this.#poll = poll;
    this.#keepsAlive = keepsAlive;
  }

  set(ms: number): void {
    const at = performance.now() + ms;
    if (at >= this.#at) return;
    this.clear();
    this.#at = at;
    this.#timer = setTimeout(() => this.#expire(), Math.min(Math.max(ms, 1), longestTimerMs));
    if (!this.#keepsAlive) (this.#timer as { unref?: () => void }).unref?.();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#at = Infinity;
  }

  #expire(): void {
    this.clear();
    this.#poll();
  }
}
