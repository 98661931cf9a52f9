import { FifoMap } from '../../work/fifo-map.js';

/**
 * When a resource is read again that the service did not show, in milliseconds after the arrival of its notification: the service
 * may announce a resource before it can return it. With the first attempt that is four reads at most.
 */
const readAgainAtMs = [5_000, 20_000, 60_000];
/** Timers may be early, and the first attempt late: attempts are at least this far apart, in milliseconds. */
const leastBetweenMs = 1_000;

/** From this number on, somebody forges notifications, and many 404s get an application blocked. */
const mostInRow = 20;
/** How many sellers are remembered. One that is forgotten begins anew. */
const maxSellers = 10_000;

/** How many resources of each seller the service did not show since it has shown one. */
export class MissingResources {
  readonly #inRow = new FifoMap<number>(maxSellers);

  wasFound(user_id: number): void {
    this.#inRow.delete(String(user_id));
  }

  /** A resource was read for the first time, and is not there. */
  wasMissing(user_id: number): void {
    const name = String(user_id);
    this.#inRow.set(name, (this.#inRow.get(name) ?? 0) + 1);
  }

  /** When a resource is read again, in milliseconds; `undefined` when it has had time enough, or is probably forged. */
  againInMs(user_id: number, arrivedAt: number): number | undefined {
    if ((this.#inRow.get(String(user_id)) ?? 0) >= mostInRow) return undefined;
    const ageMs = Math.max(0, Date.now() - arrivedAt);
    const next = readAgainAtMs.find((ms) => ms > ageMs + leastBetweenMs);
    return next === undefined ? undefined : next - ageMs;
  }
}
