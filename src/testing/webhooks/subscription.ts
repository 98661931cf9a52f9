import { createRandom } from '../random.js';
import type { MarketplaceEvent } from '../state/events.js';
import { defaultTimeoutMs, topics as knownTopics, validateCallback } from './callback.js';
import type { Callback, CallbackInit, PlannedDelivery } from './callback.js';

/** A subscription of an application. */
export interface Subscription {
  /** Identifies it among the subscriptions of a marketplace: 1, 2, and so on. */
  readonly id: number;
  readonly application_id: number;
  /** The URL of the callback; `null` for a function in this process. */
  readonly url: string | null;
  /** The enabled topics. A topic is disabled after three abandoned notifications in a row. */
  readonly topics: ReadonlySet<string>;
  /** Enables a topic again. Events in between are not delivered. */
  enable(topic: string): void;
  /** Ends the subscription and drops its scheduled deliveries. */
  cancel(): void;
}

/** This many abandoned notifications in a row disable a topic. */
const maxAbandonedInARow = 3;

/** A callback with its topics and failures. */
export class CallbackSubscription implements Subscription {
  readonly id: number;
  readonly application_id: number;
  readonly url: string | null;
  readonly #topics: Set<string>;
  readonly #init: CallbackInit;
  readonly #random: () => number;
  readonly #abandoned = new Map<string, number>();
  readonly #cancel: () => void;

  /** @throws {FakeMarketplaceError} when the subscription is invalid */
  constructor(id: number, init: CallbackInit, cancel: () => void) {
    validateCallback(init);
    const { callback, topics = knownTopics, application_id = 500, faults } = init;
    this.id = id;
    this.application_id = application_id;
    this.url = typeof callback === 'function' ? null : String(callback);
    this.#topics = new Set(topics);
    this.#init = init;
    this.#random = createRandom(typeof faults === 'object' ? (faults.seed ?? 1) : 1);
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

  /** Selects the faults of the next notification. Each uses its own random numbers, so that they are independent. */
  nextFaults(event: MarketplaceEvent): PlannedDelivery {
    const { faults = {} } = this.#init;
    if (typeof faults === 'function') return faults(event);
    const { late = 0, lateMs = 30_000, twice = 0, odd = 0 } = faults;
    const random = Array.from({ length: 5 }, this.#random);
    const [isLate = 1, lateness = 1, isTwice = 1, isVariant = 1, variant] = random;
    return {
      lateMs: isLate < late ? Math.ceil(lateness * lateMs) : 0,
      twice: isTwice < twice,
      variant: isVariant < odd ? variant : undefined,
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

  post(body: object): Promise<DeliveryOutcome> {
    const { callback, timeoutMs = defaultTimeoutMs } = this.#init;
    return postNotification(callback, body, timeoutMs);
  }
}

/** The status of the response of a callback, or why there is none. */
export type DeliveryOutcome = number | 'too slow' | 'unreachable';

/** The address of a function that has none. */
export function addressOf({ path = '/notifications' }: { readonly path?: string | undefined }): string {
  return new URL(path, 'https://application.test').href;
}

/** Posts a notification to a callback, which has `timeoutMs` to respond. */
async function postNotification(callback: Callback, body: object, timeoutMs: number): Promise<DeliveryOutcome> {
  const timeout = new AbortController();
  const request = new Request(typeof callback === 'function' ? addressOf(callback) : callback, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    // Only a 200 of the callback itself acknowledges a notification. Spec: Events 4.
    redirect: 'manual',
    signal: timeout.signal,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slow = new Promise<'too slow'>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, 'too slow');
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
