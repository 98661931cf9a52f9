import type { Bounds } from './bounds.js';

/** What one 429 tells all calls of a host and token: how long nobody needs to ask. */
export class Gate {
  #closedUntil = 0;

  /** Waits until calls may go out again. */
  async pass(bounds: Bounds): Promise<void> {
    for (let wait = this.#closedUntil - Date.now(); wait > 0; wait = this.#closedUntil - Date.now()) {
      await bounds.sleep(wait);
    }
  }

  /** A call was told to wait: all others wait with it. */
  close(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, Date.now() + ms);
  }
}
