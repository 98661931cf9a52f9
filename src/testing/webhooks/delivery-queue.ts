import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import { lastTime } from '../clock.js';
import type { Clock } from '../clock.js';
import type { Delivery } from './delivery.js';

/** The deliveries that are still to come. Each is posted when it is due on the marketplace's clock. */
export class DeliveryQueue {
  readonly #clock: Clock;
  readonly #post: (delivery: Delivery) => Promise<void>;
  readonly #inFlight = new Set<Promise<void>>();
  #waiting: Delivery[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(clock: Clock, post: (delivery: Delivery) => Promise<void>) {
    this.#clock = clock;
    this.#post = post;
    clock.onChange(() => this.#armTimer());
  }

  /** All deliveries, the next one first. */
  get all(): readonly Delivery[] {
    return this.#waiting;
  }

  add(delivery: Delivery): void {
    const place = this.#waiting.findLastIndex(({ at }) => at <= delivery.at) + 1;
    this.#waiting.splice(place, 0, delivery);
    this.#armTimer();
  }

  /** Removes the other deliveries. */
  keep(isKept: (delivery: Delivery) => boolean): void {
    this.#waiting = this.#waiting.filter(isKept);
  }

  /** Posts a delivery now. */
  post(delivery: Delivery): Promise<void> {
    return this.#track(this.#post(delivery));
  }

  /** Posts all deliveries in their order, and those that they lead to; moves a stopped clock to the time of each. */
  async flush(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      await Promise.all(this.#inFlight);
      // The timer may have posted another one meanwhile.
      if (this.#inFlight.size > 0) continue;
      const [first] = this.#waiting;
      if (!first) return;
      if (this.#clock.isStopped && first.at > this.#clock.ms) this.#clock.set(Math.min(first.at, lastTime));
      this.#postDue(first.at);
    }
  }

  /**
   * Starts the timer of the next delivery. A due delivery is posted immediately, even if the clock is stopped; others
   * wait until a stopped clock changes.
   */
  #armTimer(): void {
    clearTimeout(this.#timer);
    const [first] = this.#waiting;
    if (!first) return;
    const waitMs = first.at - this.#clock.ms;
    if (waitMs > 0 && this.#clock.isStopped) return;
    this.#timer = setTimeout(() => this.#postDue(this.#clock.ms), Math.min(Math.max(waitMs, 0), longestTimerMs));
    // A scheduled delivery does not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #postDue(until: number): void {
    const due = this.#waiting.filter(({ at }) => at <= until);
    this.keep(({ at }) => at > until);
    let previous = Promise.resolve();
    for (const each of due) {
      if (each.byHand) previous = this.#track(previous.then(() => this.#post(each)));
      else void this.post(each);
    }
    this.#armTimer();
  }

  /** Adds a post to those that `flush` waits for. */
  #track(post: Promise<void>): Promise<void> {
    const posted: Promise<void> = post.finally(() => this.#inFlight.delete(posted));
    this.#inFlight.add(posted);
    return posted;
  }
}
