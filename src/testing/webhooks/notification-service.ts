import type { Clock } from '../clock.js';
import { createRandom } from '../random.js';
import type { MarketplaceEvents, MarketplaceEvent } from '../state/events.js';
import { FakeMarketplaceError } from '../errors.js';
import { toPayloadBody, toVariantBody } from './body.js';
import type { NotificationPayload } from './body.js';

/** The callback of an application: a URL, or a function in this process. */
export type Callback = string | URL | ((request: Request) => Response | Promise<Response>);

/** Faults of deliveries. Each is the share of notifications that it affects, from 0 to 1. */
export interface DeliveryFaults {
  /** Delivered late, and so out of order. */
  readonly late?: number | undefined;
  /** The longest delay of a late one, in milliseconds. @default 30000 */
  readonly lateMs?: number | undefined;
  /** Delivered twice. */
  readonly twice?: number | undefined;
  /** Written in another spelling that the service has been seen to use. */
  readonly odd?: number | undefined;
  /** The seed of the random numbers: the same seed affects the same notifications. @default 1 */
  readonly seed?: number | undefined;
}

/** What an application subscribes to. */
export interface CallbackInit {
  readonly callback: Callback;
  /** @default ['questions'] */
  readonly topics?: readonly string[] | undefined;
  /** Only notifications that relate to these users. @default all users */
  readonly user_ids?: readonly number[] | undefined;
  /** @default 500, the application of tokens */
  readonly application_id?: number | undefined;
  readonly faults?: DeliveryFaults | undefined;
}

/** A subscription of an application. */
export interface Subscription {
  readonly application_id: number;
  /** The enabled topics. A topic is disabled after three abandoned notifications in a row. */
  readonly topics: ReadonlySet<string>;
  /** Enables a topic again. Events in between are not delivered. */
  enable(topic: string): void;
  /** Ends the subscription and drops its scheduled deliveries. */
  cancel(): void;
}

/** One attempt to deliver a notification. */
export interface DeliveryAttempt {
  /** The service's id of the notification, the same in every attempt. */
  readonly id: string;
  readonly event: MarketplaceEvent;
  readonly application_id: number;
  /** 1 for the first. */
  readonly attempt: number;
  /** The time on the marketplace's clock. */
  readonly at: string;
  /** The status of the response, or why there is none. Only 200 ends the attempts. */
  readonly outcome: number | 'too slow' | 'unreachable';
}

/** How long the service waits for the response, in milliseconds. */
const acknowledgeTimeoutMs = 500;
/** The delay after each failed attempt, in seconds: 8 attempts within an hour. */
const retryDelays: readonly number[] = [15, 30, 60, 300, 600, 900, 1500];
/** This many abandoned notifications in a row disable a topic. */
const maxAbandonedInARow = 3;

/** A delivery that is due at a time. */
interface ScheduledDelivery {
  readonly to: CallbackSubscription;
  readonly payload: NotificationPayload;
  readonly attempt: number;
  /** The due time, in milliseconds on the marketplace's clock. */
  readonly at: number;
  /** Selects the spelling; `undefined` for the usual one. */
  readonly variant: number | undefined;
}

/**
 * Posts notifications to applications, at least once and in no guaranteed order. Spec: Events.
 *
 * While the marketplace's clock runs, notifications are posted when they are due. `flush()` posts them now.
 *
 * @example
 * marketplace.notifications.subscribe({ callback: 'http://127.0.0.1:8080/notifications' });
 * await marketplace.notifications.flush();
 */
export class NotificationService {
  /** All delivery attempts, the oldest first. */
  readonly attempts: DeliveryAttempt[] = [];
  readonly #clock: Clock;
  readonly #subscriptions = new Set<CallbackSubscription>();
  #scheduled: ScheduledDelivery[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(clock: Clock, events: MarketplaceEvents) {
    this.#clock = clock;
    events.on((event) => {
      for (const to of this.#subscriptions) if (to.matches(event)) this.#notify(event, to);
    });
  }

  /** Subscribes an application to events. */
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
      if (this.#clock.isStopped && first.at > this.#clock.ms) this.#clock.set(first.at);
      this.#postDue(first.at);
    }
  }

  /** Ends all subscriptions and removes all attempts. */
  reset(): void {
    for (const subscription of [...this.#subscriptions]) subscription.cancel();
    this.attempts.length = 0;
  }

  #notify(event: MarketplaceEvent, to: CallbackSubscription): void {
    const { late, twice, variant } = to.nextFaults();
    const now = this.#clock.ms;
    const at = now + late;
    const payload: NotificationPayload = {
      id: to.nextId(),
      event,
      application_id: to.application_id,
      receivedAt: now,
      sentAt: now,
    };
    for (let copy = twice ? 2 : 1; copy > 0; copy -= 1) this.#schedule({ to, payload, attempt: 1, at, variant });
  }

  #schedule(delivery: ScheduledDelivery): void {
    const place = this.#scheduled.findLastIndex(({ at }) => at <= delivery.at) + 1;
    this.#scheduled.splice(place, 0, delivery);
    this.#armTimer();
  }

  /** Starts the timer of the next delivery. A due one is posted at once, even when the clock stands still. */
  #armTimer(): void {
    clearTimeout(this.#timer);
    const [first] = this.#scheduled;
    if (!first) return;
    const waitMs = first.at - this.#clock.ms;
    if (waitMs > 0 && this.#clock.isStopped) return;
    this.#timer = setTimeout(() => this.#postDue(this.#clock.ms), Math.max(waitMs, 0));
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

  async #post({ to, payload, attempt, at, variant }: ScheduledDelivery): Promise<void> {
    const { topic } = payload.event;
    if (!to.topics.has(topic)) return;
    const body = toPayloadBody(payload, attempt);
    const outcome = await to.post(variant === undefined ? body : toVariantBody(body, variant));
    const { id, event, application_id } = payload;
    this.attempts.push({ id, event, application_id, attempt, at: new Date(at).toISOString(), outcome });
    const wait = retryDelays[attempt - 1];
    if (outcome === 200) to.onDelivered(topic);
    else if (wait === undefined) to.onAbandoned(topic);
    else if (this.#subscriptions.has(to)) {
      this.#schedule({ to, payload, attempt: attempt + 1, at: at + wait * 1000, variant });
    }
  }
}

/** A callback with its topics and failures. */
class CallbackSubscription implements Subscription {
  readonly application_id: number;
  readonly #topics: Set<string>;
  readonly #init: CallbackInit;
  readonly #random: () => number;
  readonly #abandoned = new Map<string, number>();
  readonly #cancel: () => void;
  #sent = 0;

  constructor(init: CallbackInit, cancel: () => void) {
    const { callback, topics = ['questions'], application_id = 500, faults } = init;
    if (typeof callback !== 'function' && !URL.canParse(callback)) {
      throw new FakeMarketplaceError('a callback is a URL such as http://127.0.0.1:8080/, or a function');
    }
    this.application_id = application_id;
    this.#topics = new Set(topics);
    this.#init = init;
    this.#random = createRandom(faults?.seed ?? 1);
    this.#cancel = cancel;
  }

  get topics(): ReadonlySet<string> {
    return this.#topics;
  }

  enable(topic: string): void {
    this.#abandoned.delete(topic);
    this.#topics.add(topic);
  }

  cancel(): void {
    this.#cancel();
  }

  matches({ topic, user_id }: MarketplaceEvent): boolean {
    return this.#topics.has(topic) && (this.#init.user_ids?.includes(user_id) ?? true);
  }

  nextId(): string {
    this.#sent += 1;
    return `${this.application_id}-${this.#sent.toString(16).padStart(12, '0')}`;
  }

  /** Draws the faults of the next notification. Each takes its own random numbers, so that one share does not shift another. */
  nextFaults(): { late: number; twice: boolean; variant: number | undefined } {
    const { late = 0, lateMs = 30_000, twice = 0, odd = 0 } = this.#init.faults ?? {};
    const [isLate, lateness, isTwice, isVariant, variantChoice] = [
      this.#random(),
      this.#random(),
      this.#random(),
      this.#random(),
      this.#random(),
    ];
    return {
      late: isLate < late ? Math.ceil(lateness * lateMs) : 0,
      twice: isTwice < twice,
      variant: isVariant < odd ? variantChoice : undefined,
    };
  }

  onDelivered(topic: string): void {
    this.#abandoned.delete(topic);
  }

  onAbandoned(topic: string): void {
    const count = (this.#abandoned.get(topic) ?? 0) + 1;
    this.#abandoned.set(topic, count);
    if (count >= maxAbandonedInARow) this.#topics.delete(topic);
  }

  async post(body: object): Promise<DeliveryAttempt['outcome']> {
    const { callback } = this.#init;
    const timeout = new AbortController();
    const request = new Request(typeof callback === 'function' ? 'https://application.test/notifications' : callback, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: timeout.signal,
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const slow = new Promise<'too slow'>((resolve) => {
      timer = setTimeout(resolve, acknowledgeTimeoutMs, 'too slow');
    });
    const responded = (async () => (typeof callback === 'function' ? callback(request) : fetch(request)))()
      .then(async (response) => {
        await response.text();
        return response.status;
      })
      .catch(() => 'unreachable' as const);
    const outcome = await Promise.race([responded, slow]);
    clearTimeout(timer);
    if (outcome === 'too slow') timeout.abort();
    return outcome;
  }
}
