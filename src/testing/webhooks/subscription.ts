import { didYouMean } from '../../core/options/rules.js';
import { integer, nullish, strictObject } from '../../core/schema/define.js';
import { assertFields, assertText, FakeMarketplaceError, inField, readAs } from '../errors.js';
import { createRandom } from '../random.js';
import { from, share } from '../settings.js';
import type { MarketplaceEvent } from '../state/events.js';

/** The callback of an application: a URL, or a function in this process. It is called at its `path`, which `fetchHandler` sets. */
type Callback = CallbackInit['callback'];

/** What happens to one notification. */
export type PlannedDelivery = ReturnType<Extract<CallbackInit['faults'], (event: never) => unknown>>;

/** What an application subscribes to. */
export interface CallbackInit {
  /** The receiver: a URL, or a function that takes the request and returns a response. */
  readonly callback:
    | string
    | URL
    | {
        (request: Request): Response | Promise<Response>;
        /** @default '/notifications' */
        readonly path?: string | undefined;
      };
  /** The topics that are delivered. @default all of them */
  readonly topics?: readonly string[] | undefined;
  /** Only notifications that relate to these users. @default all users */
  readonly user_ids?: readonly number[] | undefined;
  /** The `application_id` in the notifications. @default 500, the application of tokens */
  readonly application_id?: number | undefined;
  /**
   * How long the application has to respond, in milliseconds, at most a minute. Give it more time in a test on a machine
   * that is busy.
   *
   * @default 500, like the service
   */
  readonly timeoutMs?: number | undefined;
  /** Faults of the deliveries, or a function that decides on each notification. @default none */
  readonly faults?:
    | {
        /** Delivered late, and therefore out of order. */
        readonly late?: number | undefined;
        /** The longest delay of a late delivery, in milliseconds, at most a day. @default 30000 */
        readonly lateMs?: number | undefined;
        /** Delivered twice. */
        readonly twice?: number | undefined;
        /** Sent in another form that the service was seen to send. */
        readonly odd?: number | undefined;
        /** The seed of the random numbers: the same seed affects the same notifications. @default 1 */
        readonly seed?: number | undefined;
      }
    | ((event: MarketplaceEvent) => {
        /** How late it is delivered, in milliseconds. */
        readonly lateMs: number;
        readonly twice: boolean;
        /** Never delivered: it is only in the list of missed ones. */
        readonly lost?: boolean | undefined;
        /** How long after it was sent a lost one is listed, in milliseconds. @default 0 */
        readonly listedAfterMs?: number | undefined;
        /** Selects the form of the body, from 0 to 1; `undefined` for the usual one. */
        readonly variant?: number | undefined;
      })
    | undefined;
}

/** A day. */
export const maxLateMs = 86_400_000;
/** How long the service waits for the response of a callback. */
const defaultTimeoutMs = 500;
export const maxTimeoutMs = 60_000;

/** The schema of `DeliveryFaults`. */
export const deliveryFaults = strictObject({
  late: nullish(share),
  lateMs: nullish(from(0, maxLateMs)),
  twice: nullish(share),
  odd: nullish(share),
  seed: nullish(integer),
});

/** @throws {FakeMarketplaceError} when a subscription is invalid */
function validateCallback(init: CallbackInit): void {
  assertFields('a subscription', init, ['callback', 'topics', 'user_ids', 'application_id', 'timeoutMs', 'faults']);
  const { callback } = init;
  const faults = typeof init.faults === 'function' ? {} : (init.faults ?? {});
  if (typeof callback !== 'function' && !isPostable(callback))
    throw new FakeMarketplaceError('a callback is a URL such as http://127.0.0.1:8080/, or a function');
  for (const topic of init.topics ?? []) assertTopic(topic);
  if (init.application_id !== undefined && !(Number.isSafeInteger(init.application_id) && init.application_id >= 1))
    throw new FakeMarketplaceError('an `application_id` is an integer of at least 1');
  const { timeoutMs = defaultTimeoutMs } = init;
  if (!(timeoutMs >= 1 && timeoutMs <= maxTimeoutMs))
    throw new FakeMarketplaceError(`\`timeoutMs\` is from 1 to ${maxTimeoutMs}`);
  assertFields('`faults`', faults, Object.keys(deliveryFaults.shape));
  inField('faults', () => readAs(deliveryFaults, faults));
}

/** Whether `fetch` can post to a URL. */
function isPostable(callback: string | URL): boolean {
  if (!URL.canParse(callback)) return false;
  const { protocol, username, password } = new URL(callback);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** The topics of the service. The marketplace itself emits `questions`, `messages`, `orders_v2` and `items`; tests can trigger the others. */
export const knownTopics: readonly string[] = [
  'best_sellers',
  'catalog_item_competition_status',
  'catalog_suggestions',
  'claims',
  'claims_actions',
  'fbm_stock_operations',
  'flex-handshakes',
  'invoices',
  'item_competition',
  'items',
  'items_prices',
  'leads_credits',
  'messages',
  'orders',
  'orders_feedback',
  'orders_v2',
  'payments',
  'post_purchase',
  'price_suggestion',
  'public_candidates',
  'public_offers',
  'questions',
  'quotations',
  'shipments',
  'stock-locations',
  'user-products-families',
  'vis_leads',
];

/** @throws {FakeMarketplaceError} when the service has no such topic */
export function assertTopic(topic: string): void {
  assertText('topic', topic);
  if (knownTopics.includes(topic)) return;
  const hint = didYouMean(topic, knownTopics, `the topics are ${knownTopics.join(', ')}`);
  throw new FakeMarketplaceError(`there is no topic "${topic}"; ${hint}`);
}

/** A subscription of an application. */
export interface CallbackSubscription {
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
export class Subscriber implements CallbackSubscription {
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

  post(body: object): Promise<number | 'too slow' | 'unreachable'> {
    const { callback, timeoutMs = defaultTimeoutMs } = this.#init;
    return postNotification(callback, body, timeoutMs);
  }
}

/** The address of a function that has none. */
export function addressOf({ path = '/notifications' }: { readonly path?: string | undefined }): string {
  return new URL(path, 'https://application.test').href;
}

/** Posts a notification to a callback, which has `timeoutMs` to respond. */
async function postNotification(
  callback: Callback,
  body: object,
  timeoutMs: number,
): Promise<number | 'too slow' | 'unreachable'> {
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
