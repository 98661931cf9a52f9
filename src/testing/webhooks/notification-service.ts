import type { Clock } from '../clock.js';
import { createRandom } from '../random.js';
import type { MarketplaceEvents, MarketplaceEvent } from '../state/events.js';
import { FakeMarketplaceError } from '../errors.js';
import { bodyOf, asVariant } from './body.js';
import type { NotificationPayload } from './body.js';

/** Where an application wants to be told: an address, or a function in this process. */
export type Callback = string | URL | ((request: Request) => Response | Promise<Response>);

/** What goes wrong between the service and an application, each as a share from 0 to 1 of all notifications. */
export interface DeliveryFaults {
  /** Come late, and so out of order. */
  readonly late?: number | undefined;
  /** The latest of them so late, in milliseconds. Default 30,000. */
  readonly lateMs?: number | undefined;
  /** Come twice. */
  readonly twice?: number | undefined;
  /** Are written in another way that was seen in life. */
  readonly odd?: number | undefined;
  /** What the dice begin with: the same seed strikes the same notifications. Default 1. */
  readonly seed?: number | undefined;
}

/** What an application asks to be told. */
export interface CallbackInit {
  readonly callback: Callback;
  /** Default `['questions']`. */
  readonly topics?: readonly string[] | undefined;
  /** Only what concerns these users; without it, whatever happens. */
  readonly user_ids?: readonly number[] | undefined;
  /** Default 500, the application that tokens are tied to. */
  readonly application_id?: number | undefined;
  readonly faults?: DeliveryFaults | undefined;
}

/** An application that is told of events, until it is too often out of reach. */
export interface Subscription {
  readonly application_id: number;
  /** The topics that are on. One is switched off when three notifications in a row were given up. */
  readonly topics: ReadonlySet<string>;
  /** Switches a topic on again; what happened meanwhile is not told. */
  enable(topic: string): void;
  /** Ends it, with all that is still to be delivered. */
  cancel(): void;
}

/** One attempt to deliver. */
export interface DeliveryAttempt {
  /** The service's id of the notification, the same in every attempt. */
  readonly id: string;
  readonly event: MarketplaceEvent;
  readonly application_id: number;
  /** 1 for the first. */
  readonly attempt: number;
  /** When, in the marketplace's time. */
  readonly at: string;
  /** The status of the answer, or why there was none. Only 200 ends the attempts. */
  readonly outcome: number | 'too slow' | 'unreachable';
}

/** 200 is expected within so many milliseconds. */
const notFoundTimeoutMs = 500;
/** How long the service waits after each failed attempt, in seconds: 8 attempts within an hour. */
const waits: readonly number[] = [15, 30, 60, 300, 600, 900, 1500];
/** So many notifications given up in a row switch a topic off. */
const givenUpInARow = 3;

/** One notification on its way. */
interface ScheduledDelivery {
  readonly to: SubscribedCallback;
  readonly notice: NotificationPayload;
  readonly attempt: number;
  /** When it is to be posted, in the marketplace's time. */
  readonly at: number;
  /** Chooses how it is written; `undefined` for the usual way. */
  readonly oddity: number | undefined;
}

/**
 * Tells applications what happens, as the service does: at least once, in no certain order. Spec: Events.
 *
 * While the marketplace's clock runs, notifications are posted when they are due. `flush()` does not wait for that.
 *
 * @example
 * marketplace.notifications.subscribe({ callback: 'http://127.0.0.1:8080/notifications' });
 * await marketplace.notifications.flush();
 */
export class NotificationService {
  /** Every attempt there was, the first one first. */
  readonly attempts: DeliveryAttempt[] = [];
  readonly #clock: Clock;
  readonly #subscribed = new Set<SubscribedCallback>();
  #underway: ScheduledDelivery[] = [];
  readonly #posting = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(clock: Clock, events: MarketplaceEvents) {
    this.#clock = clock;
    events.on((event) => {
      for (const to of this.#subscribed) if (to.wants(event)) this.#announce(event, to);
    });
  }

  /** Tells an application of events from now on. */
  subscribe(sketch: CallbackInit): Subscription {
    const subscribed = new SubscribedCallback(sketch, () => {
      this.#subscribed.delete(subscribed);
      this.#underway = this.#underway.filter(({ to }) => to !== subscribed);
    });
    this.#subscribed.add(subscribed);
    return subscribed;
  }

  /**
   * Posts everything that is under way, what is tried again included, and resolves when nothing is left.
   *
   * A clock that stands still is moved on to each delivery; for one that runs, deliveries come before their time.
   */
  async flush({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      await Promise.all(this.#posting);
      const [first] = this.#underway;
      if (!first) return;
      if (this.#clock.isStopped && first.at > this.#clock.ms) this.#clock.set(first.at);
      this.#postUntil(first.at);
    }
  }

  #announce(event: MarketplaceEvent, to: SubscribedCallback): void {
    const { late, twice, oddity } = to.roll();
    const now = this.#clock.ms;
    const at = now + late;
    const notice: NotificationPayload = {
      id: to.nextId(),
      event,
      application_id: to.application_id,
      receivedAt: now,
      sentAt: now,
    };
    for (let copy = twice ? 2 : 1; copy > 0; copy -= 1) this.#schedule({ to, notice, attempt: 1, at, oddity });
  }

  #schedule(underway: ScheduledDelivery): void {
    const place = this.#underway.findLastIndex(({ at }) => at <= underway.at) + 1;
    this.#underway.splice(place, 0, underway);
    this.#wait();
  }

  /** Waits for the next delivery; what is due is posted in a moment, whether the clock runs or not. */
  #wait(): void {
    clearTimeout(this.#timer);
    const [first] = this.#underway;
    if (!first) return;
    const waitMs = first.at - this.#clock.ms;
    if (waitMs > 0 && this.#clock.isStopped) return;
    this.#timer = setTimeout(() => this.#postUntil(this.#clock.ms), Math.max(waitMs, 0));
    // A test that is over does not wait for what nobody wants to know any more.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #postUntil(moment: number): void {
    const due = this.#underway.filter(({ at }) => at <= moment);
    this.#underway = this.#underway.filter(({ at }) => at > moment);
    for (const each of due) {
      const posted: Promise<void> = this.#post(each).finally(() => this.#posting.delete(posted));
      this.#posting.add(posted);
    }
    this.#wait();
  }

  async #post({ to, notice, attempt, at, oddity }: ScheduledDelivery): Promise<void> {
    const { topic } = notice.event;
    if (!to.topics.has(topic)) return;
    const usual = bodyOf(notice, attempt);
    const outcome = await to.post(oddity === undefined ? usual : asVariant(usual, oddity));
    const { id, event, application_id } = notice;
    this.attempts.push({ id, event, application_id, attempt, at: new Date(at).toISOString(), outcome });
    const wait = waits[attempt - 1];
    if (outcome === 200) to.reached(topic);
    else if (wait === undefined) to.givenUp(topic);
    else if (this.#subscribed.has(to)) {
      this.#schedule({ to, notice, attempt: attempt + 1, at: at + wait * 1000, oddity });
    }
  }
}

/** A callback, and how it has behaved. */
class SubscribedCallback implements Subscription {
  readonly application_id: number;
  readonly #topics: Set<string>;
  readonly #sketch: CallbackInit;
  readonly #dice: () => number;
  readonly #givenUp = new Map<string, number>();
  readonly #cancel: () => void;
  #told = 0;

  constructor(sketch: CallbackInit, cancel: () => void) {
    const { callback, topics = ['questions'], application_id = 500, faults } = sketch;
    if (typeof callback !== 'function' && !URL.canParse(callback)) {
      throw new FakeMarketplaceError('a callback is an address such as http://127.0.0.1:8080/, or a function');
    }
    this.application_id = application_id;
    this.#topics = new Set(topics);
    this.#sketch = sketch;
    this.#dice = createRandom(faults?.seed ?? 1);
    this.#cancel = cancel;
  }

  get topics(): ReadonlySet<string> {
    return this.#topics;
  }

  enable(topic: string): void {
    this.#givenUp.delete(topic);
    this.#topics.add(topic);
  }

  cancel(): void {
    this.#cancel();
  }

  wants({ topic, user_id }: MarketplaceEvent): boolean {
    return this.#topics.has(topic) && (this.#sketch.user_ids?.includes(user_id) ?? true);
  }

  nextId(): string {
    this.#told += 1;
    return `${this.application_id}-${this.#told.toString(16).padStart(12, '0')}`;
  }

  /** What goes wrong with the next notification. Each is rolled for, so that one share does not move another. */
  roll(): { late: number; twice: boolean; oddity: number | undefined } {
    const { late = 0, lateMs = 30_000, twice = 0, odd = 0 } = this.#sketch.faults ?? {};
    const [isLate, howLate, isTwice, isOdd, howOdd] = [
      this.#dice(),
      this.#dice(),
      this.#dice(),
      this.#dice(),
      this.#dice(),
    ];
    return {
      late: isLate < late ? Math.ceil(howLate * lateMs) : 0,
      twice: isTwice < twice,
      oddity: isOdd < odd ? howOdd : undefined,
    };
  }

  reached(topic: string): void {
    this.#givenUp.delete(topic);
  }

  givenUp(topic: string): void {
    const count = (this.#givenUp.get(topic) ?? 0) + 1;
    this.#givenUp.set(topic, count);
    if (count >= givenUpInARow) this.#topics.delete(topic);
  }

  async post(body: object): Promise<DeliveryAttempt['outcome']> {
    const { callback } = this.#sketch;
    const hangUp = new AbortController();
    const request = new Request(typeof callback === 'function' ? 'https://application.test/notifications' : callback, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: hangUp.signal,
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const slow = new Promise<'too slow'>((resolve) => {
      timer = setTimeout(resolve, notFoundTimeoutMs, 'too slow');
    });
    const answered = (async () => (typeof callback === 'function' ? callback(request) : fetch(request)))()
      .then(async (response) => {
        await response.text();
        return response.status;
      })
      .catch(() => 'unreachable' as const);
    const outcome = await Promise.race([answered, slow]);
    clearTimeout(timer);
    if (outcome === 'too slow') hangUp.abort();
    return outcome;
  }
}
