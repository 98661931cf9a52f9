import { FifoMap } from '../../work/fifo-map.js';
import type { Clock } from '../clock.js';
import { FakeMarketplaceError, assertFields, assertText } from '../errors.js';
import type { MarketplaceEvent, MarketplaceEvents } from '../state/events.js';
import { Subscriber, assertTopic, type CallbackInit, type CallbackSubscription } from './subscription.js';
import { assertDelay, toAttempt, DeliveryQueue, bodyOf } from './delivery.js';
import type { Delivery, DeliveryAttempt, NotificationInit, SentNotification } from './delivery.js';

/** The delay after each failed attempt, in seconds: 8 attempts within an hour. */
const retryDelays: readonly number[] = [15, 30, 60, 300, 600, 900, 1500];
/** The newest attempts and notifications that are kept. */
const maxAttempts = 10_000;

/** A notification in the list of those that could not be delivered. */
interface MissedNotification extends Pick<DeliveryAttempt, 'event' | 'application_id' | 'body' | 'outcome'> {
  readonly attempts: number;
  readonly url: string | null;
  /** When it was missed, in milliseconds since 1970. */
  readonly at: number;
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
  /** @internal Returns the number of the request that is being handled. */
  causeOf: (() => number | undefined) | undefined;
  readonly #clock: Clock;
  readonly #queue: DeliveryQueue;
  readonly #subscriptions = new Map<number, Subscriber>();
  readonly #listeners = new Set<() => void>();
  #sent = new FifoMap<SentNotification>(maxAttempts);
  readonly #lost = new FifoMap<MissedNotification>(maxAttempts);
  #held: Delivery[] = [];
  #isHeld = false;
  #subscribed = 0;
  #notified = 0;

  /** @internal */
  constructor(clock: Clock, events: MarketplaceEvents) {
    this.#clock = clock;
    this.#queue = new DeliveryQueue(clock, (delivery) => this.#post(delivery));
    events.on((event) => {
      for (const to of this.#subscriptions.values()) if (to.matches(event)) this.#notify(event, to);
    });
  }

  /** All subscriptions, the oldest first. */
  get subscriptions(): readonly CallbackSubscription[] {
    return [...this.#subscriptions.values()];
  }

  /** The attempts that are still to come, the next one first. */
  get scheduled(): readonly (Omit<DeliveryAttempt, 'outcome'> & {
    /** Whether it waits until it is delivered by hand, or until notifications are no longer held. */
    readonly isHeld: boolean;
  })[] {
    return [
      ...this.#queue.all.map((delivery) => ({ ...toAttempt(delivery), isHeld: false })),
      ...this.#held.map((delivery) => ({ ...toAttempt(delivery), isHeld: true })),
    ];
  }

  /** The last attempts of notifications that could not be delivered, the oldest first. */
  get abandoned(): readonly DeliveryAttempt[] {
    return this.attempts.filter(({ attempt, outcome }) => attempt > retryDelays.length && outcome !== 200);
  }

  /** @internal The notifications that could not be delivered, as far as they are listed now: the first that were missed first. */
  get missed(): readonly MissedNotification[] {
    const tried = this.abandoned.map(({ at, attempt: attempts, ...each }): MissedNotification => {
      const { url = null } = this.#subscriptions.get(each.subscription) ?? {};
      return { ...each, attempts, url, at: Date.parse(at) };
    });
    const listed = [...this.#lost.values()].filter(({ at }) => at <= this.#clock.ms);
    return [...tried, ...listed].sort((a, b) => a.at - b.at);
  }

  /** Whether new notifications wait until they are delivered by hand. Setting it to `false` posts the waiting ones. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  set isHeld(isHeld: boolean) {
    this.#isHeld = isHeld;
    if (isHeld) return;
    for (const delivery of this.#held.splice(0)) this.#queue.add(delivery);
  }

  /**
   * Delivers notifications in the given order, each after the one before: waiting ones, or again those of earlier
   * attempts. Resolves when they are posted, or scheduled if they are due later.
   *
   * @throws {FakeMarketplaceError} when a notification or the subscription does not exist
   */
  async deliver(
    ids: readonly string[],
    options: {
      /** Only to this subscription, also if it does not include the topic. @default to those that receive it anyway */
      readonly subscription?: number | undefined;
      /** After this time on the marketplace's clock, in milliseconds. @default 0: now */
      readonly afterMs?: number | undefined;
    } = {},
  ): Promise<void> {
    if (!Array.isArray(ids)) throw new FakeMarketplaceError('`ids` is a list of ids of notifications');
    const { subscription, afterMs } = readOptions(options);
    const target = subscription === undefined ? undefined : this.#subscriptionOf(subscription);
    const sent = ids.map((id: string) => this.#sentOf(id));
    this.#held = this.#held.filter(({ notification }) => !sent.includes(notification));
    this.#queue.keep(({ notification, attempt }) => attempt > 1 || !sent.includes(notification));
    const due = this.#clock.ms + afterMs;
    const deliveries = sent.map((notification, index) => {
      const attempt = (notification.attempts += 1);
      // A millisecond apart, because deliveries of one time are posted together.
      return { notification, to: target ?? notification.to, attempt, at: due + index, byHand: true as const };
    });
    await this.#postInOrder(deliveries, afterMs);
  }

  /**
   * Sends a notification that no change of the marketplace caused: about another topic, or a forged one.
   *
   * @returns the ids of the notifications, one per subscription
   * @throws {FakeMarketplaceError} when the topic, the application or the subscription does not exist
   */
  async send(
    notification: NotificationInit,
    options: Parameters<NotificationService['deliver']>[1] = {},
  ): Promise<string[]> {
    assertFields('a notification', notification, ['topic', 'resource', 'user_id', 'application_id', 'fields']);
    const { application_id, fields, ...event } = notification;
    const { subscription, afterMs } = readOptions(options);
    assertTopic(event.topic);
    assertText('resource', event.resource);
    const receivers =
      subscription === undefined ? this.#receiversOf(event, application_id) : [this.#subscriptionOf(subscription)];
    const at = this.#clock.ms + afterMs;
    const deliveries = receivers.map((to) => {
      return { notification: this.#create({ event, to, fields }), to, attempt: 1, at, byHand: true as const };
    });
    await this.#postInOrder(deliveries, afterMs);
    return deliveries.map((delivery) => delivery.notification.id);
  }

  /** Ends a subscription. @throws {FakeMarketplaceError} when it does not exist */
  unsubscribe(id: number): void {
    this.#subscriptionOf(id).cancel();
  }

  /** @internal Adds a listener for new attempts. @returns a function that removes it */
  onAttempt(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Subscribes an application to events. @throws {FakeMarketplaceError} when the subscription is invalid */
  subscribe(init: CallbackInit): CallbackSubscription {
    const id = this.#subscribed + 1;
    const subscribed = new Subscriber(id, init, () => {
      this.#subscriptions.delete(id);
      this.#queue.keep(({ to }) => to !== subscribed);
      this.#held = this.#held.filter(({ to }) => to !== subscribed);
    });
    this.#subscribed = id;
    this.#subscriptions.set(id, subscribed);
    return subscribed;
  }

  /**
   * Posts all scheduled deliveries, retries included, and resolves when none is left.
   *
   * A stopped clock is moved forward to the time of each delivery. With a running clock, deliveries come early.
   */
  async flush(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    assertFields('the options', options, ['signal']);
    await this.#queue.flush(options.signal);
  }

  /** Ends all subscriptions and removes all attempts. Notifications are no longer held. */
  reset(): void {
    for (const subscription of this.subscriptions) subscription.cancel();
    this.attempts.length = 0;
    this.#sent = new FifoMap(maxAttempts);
    this.#lost.clear();
    this.#isHeld = false;
    [this.#notified, this.#subscribed] = [0, 0];
  }

  /** @throws {FakeMarketplaceError} when there is no such subscription */
  #subscriptionOf(id: number): Subscriber {
    const found = this.#subscriptions.get(id);
    if (!found) throw new FakeMarketplaceError(`there is no subscription ${id}`);
    return found;
  }

  /** @throws {FakeMarketplaceError} when an application is given, and it has no subscription */
  #receiversOf(event: MarketplaceEvent, application_id: number | undefined): Subscriber[] {
    const own = [...this.#subscriptions.values()].filter(
      (each) => application_id === undefined || each.application_id === application_id,
    );
    if (application_id !== undefined && own.length === 0)
      throw new FakeMarketplaceError(`application ${application_id} has no subscription`);
    return own.filter((each) => each.matches(event));
  }

  #sentOf(id: string): SentNotification {
    const sent = this.#sent.get(id);
    if (!sent) throw new FakeMarketplaceError(`there is no notification ${id}`);
    return sent;
  }

  #create(init: Pick<SentNotification, 'event' | 'to' | 'request' | 'fields' | 'variant'>): SentNotification {
    this.#notified += 1;
    // Unique among all subscriptions, because an application may have several.
    const id = `${init.to.application_id}-${this.#notified.toString(16).padStart(12, '0')}`;
    const notification = { ...init, id, sentAt: this.#clock.ms, attempts: 1 };
    this.#sent.set(id, notification);
    return notification;
  }

  async #postInOrder(deliveries: readonly Delivery[], afterMs: number): Promise<void> {
    if (afterMs > 0) for (const delivery of deliveries) this.#queue.add(delivery);
    else for (const delivery of deliveries) await this.#queue.post(delivery);
  }

  #notify(event: MarketplaceEvent, to: Subscriber): void {
    const { lateMs, twice, lost, listedAfterMs = 0, variant } = to.nextFaults(event);
    const notification = this.#create({ event, to, variant, request: this.causeOf?.() });
    if (lost) {
      const { application_id, url } = to;
      const body = bodyOf(notification, 1);
      const at = this.#clock.ms + listedAfterMs;
      this.#lost.set(notification.id, { event, application_id, url, body, attempts: 1, at, outcome: 'unreachable' });
      return;
    }
    const delivery = { notification, to, attempt: 1, at: this.#clock.ms + lateMs };
    for (const copy of twice ? [delivery, delivery] : [delivery]) {
      if (this.#isHeld) this.#held.push(copy);
      else this.#queue.add(copy);
    }
  }

  async #post(delivery: Delivery): Promise<void> {
    const { notification, to, attempt, at, byHand } = delivery;
    const { topic } = notification.event;
    if (!byHand && !to.topics.has(topic)) return;
    notification.attempts = Math.max(notification.attempts, attempt);
    const described = toAttempt(delivery);
    const sent = this.#sent;
    const outcome = await to.post(described.body);
    // The service was reset meanwhile.
    if (sent !== this.#sent) return;
    this.#record({ ...described, outcome });
    const wait = retryDelays[attempt - 1];
    if (outcome === 200) to.onDelivered(topic);
    else if (wait === undefined) to.onAbandoned(topic);
    else if (this.#subscriptions.has(to.id))
      this.#queue.add({ notification, to, attempt: attempt + 1, at: at + wait * 1000, byHand });
  }

  #record(attempt: DeliveryAttempt): void {
    this.attempts.push(attempt);
    if (this.attempts.length > maxAttempts) this.attempts.shift();
    for (const listener of [...this.#listeners]) listener();
  }
}

/** @throws {FakeMarketplaceError} when an option is wrong */
function readOptions(options: NonNullable<Parameters<NotificationService['deliver']>[1]>): {
  readonly subscription: number | undefined;
  readonly afterMs: number;
} {
  assertFields('the options', options, ['subscription', 'afterMs']);
  const { subscription, afterMs = 0 } = options;
  assertDelay(afterMs);
  return { subscription, afterMs };
}
