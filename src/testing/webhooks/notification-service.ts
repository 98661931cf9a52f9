import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import { lastTime } from '../clock.js';
import type { Clock } from '../clock.js';
import type { MarketplaceEvent, MarketplaceEvents } from '../state/events.js';
import type { NotificationPayload } from './body.js';
import { FakeMarketplaceError } from '../errors.js';
import { assertDelay, bodyOf, toAttempt } from './delivery.js';
import type {
  DeliveryAttempt,
  DeliveryOptions,
  NotificationInit,
  ScheduledAttempt,
  ScheduledDelivery,
} from './delivery.js';
import { assertTopic } from './topics.js';
import type { CallbackInit } from './callback.js';
import { CallbackSubscription } from './subscription.js';
import type { Subscription } from './subscription.js';

/** The delay after each failed attempt, in seconds: 8 attempts within an hour. */
const retryDelays: readonly number[] = [15, 30, 60, 300, 600, 900, 1500];
/** The newest attempts that are kept. */
const maxAttempts = 10_000;

/** A notification, and the subscription that received it. */
interface Sent {
  readonly to: CallbackSubscription;
  readonly payload: NotificationPayload;
  readonly variant: number | undefined;
  attempts: number;
}

/**
 * Posts notifications to applications, at least once and in no guaranteed order.
 *
 * Notifications are posted when they are due on the marketplace's clock: a clock that stands still posts the late ones and
 * the retries after it is moved to their time, or runs again. `flush()` posts them now.
 *
 * @example
 * marketplace.notifications.subscribe({ callback: 'http://127.0.0.1:8080/notifications' });
 * await marketplace.notifications.flush();
 * const [first] = marketplace.notifications.attempts;
 * if (first) await marketplace.notifications.deliver([first.id], { afterMs: 300_000 }); // again in five minutes
 * await marketplace.notifications.send({ topic: 'items', resource: '/items/MLA100', user_id: 7 });
 * const { id } = marketplace.notifications.subscribe({ callback: 'http://127.0.0.1:8081/' });
 * marketplace.notifications.unsubscribe(id);
 * marketplace.notifications.isHeld = true; // from now on, notifications wait for deliver()
 * marketplace.notifications.reset();
 */
export class NotificationService {
  /** The newest 10,000 delivery attempts, the oldest first. */
  readonly attempts: DeliveryAttempt[] = [];
  readonly #clock: Clock;
  readonly #subscriptions = new Set<CallbackSubscription>();
  readonly #listeners = new Set<() => void>();
  #scheduled: ScheduledDelivery[] = [];
  #held: ScheduledDelivery[] = [];
  readonly #sent = new Map<string, Sent>();
  readonly #inFlight = new Set<Promise<void>>();
  /** @internal Returns the number of the request that is being handled. */
  causeOf: (() => number | undefined) | undefined;
  #isHeld = false;
  #subscribed = 0;
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
    return [
      ...this.#scheduled.map((delivery) => ({ ...toAttempt(delivery), isHeld: false })),
      ...this.#held.map((delivery) => ({ ...toAttempt(delivery), isHeld: true })),
    ];
  }

  /** Whether new notifications wait until they are delivered by hand. Setting it to `false` posts the waiting ones. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  set isHeld(isHeld: boolean) {
    this.#isHeld = isHeld;
    if (isHeld) return;
    for (const delivery of this.#held.splice(0)) this.#schedule(delivery);
  }

  /**
   * Delivers notifications in the given order, each after the one before: waiting ones, or again those of earlier
   * attempts. Resolves when they are posted, or scheduled if they are due later.
   *
   * @throws {FakeMarketplaceError} when a notification or the subscription does not exist
   */
  async deliver(ids: readonly string[], { subscription, afterMs = 0 }: DeliveryOptions = {}): Promise<void> {
    assertDelay(afterMs);
    const target = subscription === undefined ? undefined : this.#subscriptionOf(subscription);
    const sent = ids.map((id) => this.#sentOf(id));
    this.#held = this.#held.filter(({ payload }) => !ids.includes(payload.id));
    this.#scheduled = this.#scheduled.filter(({ payload, attempt }) => attempt > 1 || !ids.includes(payload.id));
    const due = this.#clock.ms + afterMs;
    await this.#postInOrder(
      sent.map((each, index) => {
        each.attempts += 1;
        const { payload, variant, to, attempts: attempt } = each;
        // A millisecond apart, because deliveries of one time are posted together.
        return { to: target ?? to, payload, attempt, at: due + index, variant, byHand: true };
      }),
      afterMs,
    );
  }

  /**
   * Sends a notification that no change of the marketplace caused: about another topic, or a forged one.
   *
   * @returns the ids of the notifications, one per subscription
   * @throws {FakeMarketplaceError} when the topic, the application or the subscription does not exist
   */
  async send(notification: NotificationInit, { subscription, afterMs = 0 }: DeliveryOptions = {}): Promise<string[]> {
    const { application_id, fields, ...event } = notification;
    assertDelay(afterMs);
    assertTopic(event.topic);
    const receivers =
      subscription === undefined ? this.#receiversOf(event, application_id) : [this.#subscriptionOf(subscription)];
    const now = this.#clock.ms;
    const deliveries = receivers.map((to) => {
      const { application_id: application } = to;
      const id = this.#nextId(application);
      const payload = { id, event, application_id: application, receivedAt: now, sentAt: now, fields };
      this.#remember({ to, payload, variant: undefined, attempts: 1 });
      return { to, payload, attempt: 1, at: now + afterMs, variant: undefined, byHand: true as const };
    });
    await this.#postInOrder(deliveries, afterMs);
    return deliveries.map(({ payload }) => payload.id);
  }

  /** @throws {FakeMarketplaceError} when there is no such subscription */
  #subscriptionOf(id: number): CallbackSubscription {
    const found = [...this.#subscriptions].find((each) => each.id === id);
    if (!found) throw new FakeMarketplaceError(`there is no subscription ${id}`);
    return found;
  }

  /** Ends a subscription. @throws {FakeMarketplaceError} when it does not exist */
  unsubscribe(id: number): void {
    this.#subscriptionOf(id).cancel();
  }

  /** @throws {FakeMarketplaceError} when an application is given, and it has no subscription */
  #receiversOf(event: MarketplaceEvent, application_id: number | undefined): CallbackSubscription[] {
    const all = [...this.#subscriptions];
    if (application_id === undefined) return all.filter((each) => each.matches(event));
    const own = all.filter((each) => each.application_id === application_id);
    if (own.length === 0) throw new FakeMarketplaceError(`application ${application_id} has no subscription`);
    return own.filter((each) => each.matches(event));
  }

  #sentOf(id: string): Sent {
    const sent = this.#sent.get(id);
    if (!sent) throw new FakeMarketplaceError(`there is no notification ${id}`);
    return sent;
  }

  #remember(sent: Sent): void {
    this.#sent.set(sent.payload.id, sent);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > maxAttempts && oldest !== undefined) this.#sent.delete(oldest);
  }

  async #postInOrder(deliveries: readonly ScheduledDelivery[], afterMs: number): Promise<void> {
    if (afterMs > 0) for (const delivery of deliveries) this.#schedule(delivery);
    else for (const delivery of deliveries) await this.#track(this.#post(delivery));
  }

  /** Keeps a post in the list of those that `flush` waits for. */
  #track(post: Promise<void>): Promise<void> {
    const posted: Promise<void> = post.finally(() => this.#inFlight.delete(posted));
    this.#inFlight.add(posted);
    return posted;
  }

  /** @internal Adds a listener for new attempts. @returns a function that removes it */
  onAttempt(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Subscribes an application to events. @throws {FakeMarketplaceError} when the subscription is invalid */
  subscribe(init: CallbackInit): Subscription {
    const subscribed = new CallbackSubscription(this.#subscribed + 1, init, () => {
      this.#subscriptions.delete(subscribed);
      this.#scheduled = this.#scheduled.filter(({ to }) => to !== subscribed);
      this.#held = this.#held.filter(({ to }) => to !== subscribed);
    });
    this.#subscribed += 1;
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

  /** Ends all subscriptions and removes all attempts. Notifications are no longer held. */
  reset(): void {
    for (const subscription of [...this.#subscriptions]) subscription.cancel();
    this.attempts.length = 0;
    this.#sent.clear();
    this.#isHeld = false;
    [this.#notified, this.#subscribed] = [0, 0];
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
      request: this.causeOf?.(),
    };
    this.#remember({ to, payload, variant, attempts: 1 });
    for (let copy = twice ? 2 : 1; copy > 0; copy -= 1) {
      const delivery = { to, payload, attempt: 1, at, variant };
      if (this.#isHeld) this.#held.push(delivery);
      else this.#schedule(delivery);
    }
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
    let previous = Promise.resolve();
    for (const each of due) {
      if (each.byHand) previous = this.#track(previous.then(() => this.#post(each)));
      else void this.#track(this.#post(each));
    }
    this.#armTimer();
  }

  async #post(delivery: ScheduledDelivery): Promise<void> {
    const { to, payload, attempt, at, variant, byHand } = delivery;
    const { topic } = payload.event;
    if (!byHand && !to.topics.has(topic)) return;
    const sent = this.#sent.get(payload.id);
    if (sent) sent.attempts = Math.max(sent.attempts, attempt);
    const outcome = await to.post(bodyOf(delivery));
    this.#record({ ...toAttempt(delivery), outcome });
    const wait = retryDelays[attempt - 1];
    if (outcome === 200) to.onDelivered(topic);
    else if (wait === undefined) to.onAbandoned(topic);
    else if (this.#subscriptions.has(to)) {
      this.#schedule({ to, payload, attempt: attempt + 1, at: at + wait * 1000, variant, byHand });
    }
  }

  #record(attempt: DeliveryAttempt): void {
    this.attempts.push(attempt);
    if (this.attempts.length > maxAttempts) this.attempts.shift();
    for (const listener of [...this.#listeners]) listener();
  }
}
