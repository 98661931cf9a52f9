import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import { lastTime } from '../clock.js';
import type { Clock } from '../clock.js';
import type { MarketplaceEvent, MarketplaceEvents } from '../state/events.js';
import { toPayloadBody, toVariantBody } from './body.js';
import type { NotificationPayload } from './body.js';
import type { CallbackInit } from './callback.js';
import type { DeliveryOutcome } from './post-notification.js';
import { CallbackSubscription } from './subscription.js';
import type { Subscription } from './subscription.js';

/** One attempt to deliver a notification. */
export interface DeliveryAttempt {
  /** The service's id of the notification, the same in every attempt. */
  readonly id: string;
  readonly event: MarketplaceEvent;
  readonly application_id: number;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The time on the marketplace's clock. */
  readonly at: string;
  /** The status of the response, or why there is none. Only 200 ends the attempts. */
  readonly outcome: DeliveryOutcome;
}

/** An attempt that is still to come. */
export type ScheduledAttempt = Omit<DeliveryAttempt, 'outcome'>;

/** The delay after each failed attempt, in seconds: 8 attempts within an hour. */
const retryDelays: readonly number[] = [15, 30, 60, 300, 600, 900, 1500];
/** The newest attempts that are kept. */
const maxAttempts = 10_000;

/** A delivery that is due at a time. */
interface ScheduledDelivery {
  readonly to: CallbackSubscription;
  readonly payload: NotificationPayload;
  readonly attempt: number;
  /** The due time, in milliseconds on the marketplace's clock. */
  readonly at: number;
  /** Selects the form of the body; `undefined` for the usual one. */
  readonly variant: number | undefined;
}

/**
 * Posts notifications to applications, at least once and in no guaranteed order. Spec: Events.
 *
 * Notifications are posted when they are due on the marketplace's clock: a clock that stands still posts the late ones and
 * the retries after it is moved to their time, or runs again. `flush()` posts them now.
 *
 * @example
 * marketplace.notifications.subscribe({ callback: 'http://127.0.0.1:8080/notifications' });
 * await marketplace.notifications.flush();
 * console.log(marketplace.notifications.attempts.length);
 * marketplace.notifications.reset();
 */
export class NotificationService {
  /** The newest 10,000 delivery attempts, the oldest first. */
  readonly attempts: DeliveryAttempt[] = [];
  readonly #clock: Clock;
  readonly #subscriptions = new Set<CallbackSubscription>();
  readonly #listeners = new Set<() => void>();
  #scheduled: ScheduledDelivery[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #notified = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(clock: Clock, events: MarketplaceEvents) {
    this.#clock = clock;
    clock.onChange(() => this.#armTimer());
    events.on((event) => {
      for (const to of this.#subscriptions) if (to.matches(event)) this.#notify(event, to);
    });
  }

  /** All subscriptions, the oldest first. */
  get subscriptions(): readonly Subscription[] {
    return [...this.#subscriptions];
  }

  /** The attempts that are still to come, the next one first. */
  get scheduled(): readonly ScheduledAttempt[] {
    return this.#scheduled.map(toAttempt);
  }

  /** @internal Adds a listener for new attempts. @returns a function that removes it */
  onAttempt(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Subscribes an application to events. @throws {FakeMarketplaceError} when the subscription is invalid */
  subscribe(init: CallbackInit): Subscription {
    const subscribed = new CallbackSubscription(init, () => {
      this.#subscriptions.delete(subscribed);
      this.#scheduled = this.#scheduled.filter(({ to }) => to !== subscribed);
    });
    this.#subscriptions.add(subscribed);
    return subscribed;
  }

  /**
   * Posts all scheduled deliveries, retries included, and resolves when none is left.
   *
   * A stopped clock is moved forward to the time of each delivery. With a running clock, deliveries come early.
   */
  async flush({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      await Promise.all(this.#inFlight);
      // The timer may have posted another one meanwhile.
      if (this.#inFlight.size > 0) continue;
      const [first] = this.#scheduled;
      if (!first) return;
      if (this.#clock.isStopped && first.at > this.#clock.ms) this.#clock.set(Math.min(first.at, lastTime));
      this.#postDue(first.at);
    }
  }

  /** Ends all subscriptions and removes all attempts. */
  reset(): void {
    for (const subscription of [...this.#subscriptions]) subscription.cancel();
    this.attempts.length = 0;
    this.#notified = 0;
  }

  #notify(event: MarketplaceEvent, to: CallbackSubscription): void {
    const { late, twice, variant } = to.nextFaults();
    const now = this.#clock.ms;
    const at = now + late;
    const payload: NotificationPayload = {
      id: this.#nextId(to.application_id),
      event,
      application_id: to.application_id,
      receivedAt: now,
      sentAt: now,
    };
    for (let copy = twice ? 2 : 1; copy > 0; copy -= 1) this.#schedule({ to, payload, attempt: 1, at, variant });
  }

  /** Unique among all subscriptions, because an application may have several. */
  #nextId(application_id: number): string {
    this.#notified += 1;
    return `${application_id}-${this.#notified.toString(16).padStart(12, '0')}`;
  }

  #schedule(delivery: ScheduledDelivery): void {
    const place = this.#scheduled.findLastIndex(({ at }) => at <= delivery.at) + 1;
    this.#scheduled.splice(place, 0, delivery);
    this.#armTimer();
  }

  /**
   * Starts the timer of the next delivery. A due delivery is posted immediately, even if the clock is stopped; others
   * wait until a stopped clock changes.
   */
  #armTimer(): void {
    clearTimeout(this.#timer);
    const [first] = this.#scheduled;
    if (!first) return;
    const waitMs = first.at - this.#clock.ms;
    if (waitMs > 0 && this.#clock.isStopped) return;
    this.#timer = setTimeout(() => this.#postDue(this.#clock.ms), Math.min(Math.max(waitMs, 0), longestTimerMs));
    // A scheduled delivery does not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #postDue(until: number): void {
    const due = this.#scheduled.filter(({ at }) => at <= until);
    this.#scheduled = this.#scheduled.filter(({ at }) => at > until);
    for (const each of due) {
      const posted: Promise<void> = this.#post(each).finally(() => this.#inFlight.delete(posted));
      this.#inFlight.add(posted);
    }
    this.#armTimer();
  }

  async #post(delivery: ScheduledDelivery): Promise<void> {
    const { to, payload, attempt, at, variant } = delivery;
    const { topic } = payload.event;
    if (!to.topics.has(topic)) return;
    const body = toPayloadBody(payload, attempt);
    const outcome = await to.post(variant === undefined ? body : toVariantBody(body, variant));
    this.#record({ ...toAttempt(delivery), outcome });
    const wait = retryDelays[attempt - 1];
    if (outcome === 200) to.onDelivered(topic);
    else if (wait === undefined) to.onAbandoned(topic);
    else if (this.#subscriptions.has(to)) {
      this.#schedule({ to, payload, attempt: attempt + 1, at: at + wait * 1000, variant });
    }
  }

  #record(attempt: DeliveryAttempt): void {
    this.attempts.push(attempt);
    if (this.attempts.length > maxAttempts) this.attempts.shift();
    for (const listener of [...this.#listeners]) listener();
  }
}

function toAttempt({ payload: { id, event, application_id }, attempt, at }: ScheduledDelivery): ScheduledAttempt {
  return { id, event, application_id, attempt, at: new Date(at).toISOString() };
}
