import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import { lastTime, type Clock } from '../clock.js';
import { FakeMarketplaceError } from '../errors.js';
import { chosen } from '../random.js';
import type { MarketplaceEvent } from '../state/events.js';
import { maxLateMs, type Subscriber } from './subscription.js';

/** One attempt to deliver a notification. */
export interface DeliveryAttempt {
  /** The service's id of the notification, the same in every attempt. */
  readonly id: string;
  readonly event: MarketplaceEvent;
  readonly application_id: number;
  /** The id of the subscription. */
  readonly subscription: number;
  /** The JSON body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The number of the request that caused it, if the dashboard serves the marketplace. */
  readonly request?: number | undefined;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The time on the marketplace's clock. */
  readonly at: string;
  /** The status of the response, or why there is none. Only 200 ends the attempts. */
  readonly outcome: number | 'too slow' | 'unreachable';
}

/** A notification to send by hand. */
export interface NotificationInit extends MarketplaceEvent {
  /** The receiving application. @default every application that subscribes to the topic */
  readonly application_id?: number | undefined;
  /** Fields that replace those of the body, or are added to it, e.g. for a forged notification. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** A delivery that is due at a time. */
export interface Delivery {
  readonly notification: SentNotification;
  readonly to: Subscriber;
  readonly attempt: number;
  /** The due time, in milliseconds on the marketplace's clock. */
  readonly at: number;
  /** Delivered by hand: whatever the topics of the subscription, and after those before it. */
  readonly byHand?: true | undefined;
}

/** Describes a delivery. */
export function toAttempt({ notification, attempt, to, at }: Delivery): Omit<DeliveryAttempt, 'outcome'> {
  const { id, event, request } = notification;
  return {
    ...{ id, event, application_id: notification.to.application_id, subscription: to.id, attempt },
    at: new Date(at).toISOString(),
    ...(request !== undefined && { request }),
    body: bodyOf(notification, attempt),
  };
}

/** @throws {FakeMarketplaceError} when a delay is negative or longer than a day */
export function assertDelay(afterMs: number): void {
  if (!(afterMs >= 0 && afterMs <= maxLateMs)) throw new FakeMarketplaceError(`\`afterMs\` is from 0 to ${maxLateMs}`);
}

/** A notification for one subscription. */
export interface SentNotification {
  readonly id: string;
  readonly event: MarketplaceEvent;
  readonly to: Subscriber;
  /** The time of the event, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The number of the request that caused it, if it is known. */
  readonly request?: number | undefined;
  /** Fields that replace those of the body, or are added to it. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  /** Selects the form of the body, from 0 to 1; `undefined` for the usual one. */
  readonly variant?: number | undefined;
  attempts: number;
}

type BodyFields = Readonly<Record<string, unknown>>;

/** Serializes a notification. Spec: Events 3. */
export function bodyOf({ id, event, to, sentAt, fields, variant }: SentNotification, attempts: number): BodyFields {
  const { user_id, resource, topic } = event;
  const sent = new Date(sentAt).toISOString();
  const usual = { _id: id, user_id, resource, topic, application_id: to.application_id, attempts, sent };
  const body = { ...usual, received: sent, ...fields };
  return variant === undefined ? body : (chosen(variants, variant)?.(body) ?? body);
}

/** Other forms of a body that the service was seen to send. */
const variants: readonly ((body: BodyFields) => BodyFields)[] = [
  ({ _id, ...rest }) => ({ id: _id, ...rest }),
  ({ _id: _, ...rest }) => rest,
  ({ user_id, ...rest }) => ({ ...rest, user_id: String(user_id) }),
  ({ received, ...rest }) => ({ ...rest, recieved: received }),
  ({ resource, ...rest }) => ({ ...rest, resource: String(resource).replace(/^\//, '') }),
  (body) => ({ ...body, actions: ['created'], version: 2 }),
  ({ sent, ...rest }) => ({ ...rest, sent: String(sent).replace('Z', '+0000') }),
];

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
