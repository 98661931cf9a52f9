import { ConfigurationError } from '../core/errors/errors.js';
import { defined, isObject } from '../core/json/json.js';
import type { Logger, Tracing } from '../core/options/hooks.js';
import {
  didYouMean,
  integerFrom,
  namedEndpointError,
  ofType,
  optionIssues,
  withMethods,
} from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { retryDefaults, retryRules, time, type RetryLimits, type RetryOptions } from '../work/policy.js';
import { storeRule, type Engine, type Store } from '../work/store.js';
import type { Handler, Handlers, OwnHandlers } from './handling/handler.js';
import { handshakes, type NotificationClient, type OwnTopic, type OwnTopics } from './handling/read-notification.js';
import { knownTopics, type InboxEntry, type Notification, type UnknownNotification } from './notification.js';

/** One failed attempt to handle a notification. */
export interface HandlingFailure {
  readonly entry: InboxEntry;
  readonly error: unknown;
  readonly attempt: number;
  /** Whether this was the last attempt: the notification is a dead letter now. */
  readonly dead: boolean;
}

/** A notification that a handler has handled. */
export interface HandlingSuccess {
  readonly entry: InboxEntry;
  readonly attempt: number;
  /** How long the handler took, in milliseconds. */
  readonly durationMs: number;
}

/** A notification whose handler has sent a message that moderation rejected: it is handled, and the buyer never sees the message. */
export interface HandlingRejection {
  readonly entry: InboxEntry;
  /** The reason of moderation, e.g. `PERSONAL_DATA`. */
  readonly reason: string;
}

/** The request of a delivery, for `accept`. */
export interface DeliveryRequest {
  /** The address of the sender: of the last proxy, if there is one. Absent where the platform does not tell it. */
  readonly address?: string | undefined;
  /** The path of the URL, without its query. */
  readonly path?: string | undefined;
  readonly headers: Headers;
}

/** Ids of sellers. */
export type SellerIds = readonly number[] | ReadonlySet<number>;

/** The sellers of an application: their ids, a function that returns them, or what `createSellers` returns. */
export type SellerSource = NonNullable<InboxOptions['sellers']>;

/** The options of `createInbox`. */
export interface InboxOptions<
  Client extends NotificationClient = NotificationClient,
  Topics extends Readonly<Record<string, OwnTopic>> = Readonly<Record<string, OwnTopic>>,
> {
  /**
   * Returns the client of a user, for `read()` and `client`; `undefined` for a user who is not yours. Without `sellers` it is asked at
   * each delivery: keep it a lookup. When it throws, or takes longer than 400 ms, the response is 503.
   *
   * @default undefined: `read()` and `client` throw
   */
  readonly clientFor?: ((user_id: number) => Client | undefined | Promise<Client | undefined>) | undefined;
  /**
   * Where the service delivers: a path that nobody can guess, such as `secretPath()` makes. To any other path the response is 404.
   *
   * @default undefined: any path
   */
  readonly path?: string | undefined;
  /**
   * Whether to accept a delivery, asked before it is stored. One that is not accepted is acknowledged and dropped. Check here
   * whether the application is yours, and where the request comes from. When it throws, or returns no boolean, the response is 503.
   *
   * @default undefined: all are accepted
   */
  readonly accept?: ((notification: Notification, request: DeliveryRequest) => boolean | Promise<boolean>) | undefined;
  /**
   * How to read the resources of topics that this package does not know, for `read()`.
   *
   * @default none
   * @example
   * const rates = { ...endpoints.currencies.get, name: 'rates.get', path: '/rates/{id}' } as const;
   * createInbox({
   *   clientFor: (user_id) => (user_id === 7 ? seller : undefined),
   *   topics: { rates: { endpoint: rates, idOf: (resource) => resource.replace('/rates/', '') } },
   *   on: { rates: async (_, { read }) => console.log((await read()).symbol) },
   * });
   */
  readonly topics?: Topics | undefined;
  /**
   * The handlers of the known topics, and of those in `topics`.
   *
   * @default undefined: deliveries of these topics wait in a durable store for three days for a process that has a handler; with
   * `memoryStore` they are acknowledged and dropped
   */
  readonly on?: (Handlers<Client> & OwnHandlers<NoInfer<Topics>, Client>) | undefined;
  /**
   * The handler of every other topic.
   *
   * @default undefined: as for `on`
   */
  readonly fallback?: Handler<UnknownNotification, unknown, Client> | undefined;
  /**
   * Whether this process handles notifications. With `false` it only accepts them, all topics, for another process.
   *
   * @default true
   */
  readonly handle?: boolean | undefined;
  /**
   * The ids of the sellers, a function that returns them, or what `createSellers` returns. Notifications for others are acknowledged and dropped: see `stats().dropped`. `start()` and `catchUp()` look
   * for the unanswered questions and unread messages of these, which needs `clientFor`. A function is asked again when a user is not
   * among those whom it has named last.
   *
   * @default those for whom `clientFor` has a client; `start()` looks for nothing
   */
  readonly sellers?:
    | (
        | readonly number[]
        | ReadonlySet<number>
        | (() => readonly number[] | ReadonlySet<number> | Promise<readonly number[] | ReadonlySet<number>>)
        | {
            readonly ids: () =>
              | readonly number[]
              | ReadonlySet<number>
              | Promise<readonly number[] | ReadonlySet<number>>;
          }
      )
    | undefined;
  /**
   * The id of the application: `catchUp` reads the notifications that the service could not deliver to it.
   *
   * @default that of the last notification
   */
  readonly application_id?: number | string | undefined;
  /**
   * How often one of the processes looks for what the `sellers` missed, in milliseconds. `Infinity`: only when it starts.
   *
   * @default 900000, which is 15 minutes
   */
  readonly catchUpEveryMs?: number | undefined;
  /**
   * Where accepted notifications are stored: what `memoryStore`, `sqliteStore`, `postgresStore` or `bullmq` returns. An outbox may have
   * the same.
   *
   * @default memoryStore()
   */
  readonly store?: Store | Engine | undefined;
  /**
   * How many notifications of one seller and topic may wait: a whole number. When they do, the response is 503.
   *
   * @default 10000
   */
  readonly maxWaiting?: number | undefined;
  /**
   * How many handlers run at once: a whole number.
   *
   * @default 32
   */
  readonly concurrency?: number | undefined;
  /**
   * How failed notifications are retried.
   *
   * @default the defaults of `RetryOptions`
   */
  readonly retry?: RetryOptions | undefined;
  /**
   * How long a handler may take, in milliseconds. After that it has failed, and its `signal` is aborted.
   *
   * @default 300000
   */
  readonly handlerTimeoutMs?: number | undefined;
  /**
   * How long a lease lasts without renewal, in milliseconds: how soon after a crash another process takes over.
   *
   * @default 30000
   */
  readonly leaseMs?: number | undefined;
  /**
   * The longest accepted body, in bytes. The response to a longer one is 413.
   *
   * @default 16384
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Where failures and rejected deliveries are logged.
   *
   * @default undefined: failures are printed with `console.error`
   */
  readonly logger?: Logger | undefined;
  /**
   * Called after each failed attempt of a handler, before that is stored, at least once: again if the process is killed meanwhile. What
   * it throws has no effect on the notification.
   *
   * @default undefined: without `logger`, failures are printed with `console.error`
   */
  readonly onFailure?: ((failure: HandlingFailure) => unknown) | undefined;
  /**
   * Called after each handler that succeeded, before that is stored, at least once: again if the process is killed meanwhile. What it
   * throws has no effect on the notification.
   *
   * @default none
   */
  readonly onSuccess?: ((success: HandlingSuccess) => unknown) | undefined;
  /**
   * Called when moderation rejected a message of a handler, before that is stored, at least once: again if the process is killed
   * meanwhile. The notification is handled, and not tried again; `inbox.rejected` lists it. What it throws has no effect on it.
   *
   * @default undefined: without `logger`, rejections are printed with `console.error`
   */
  readonly onRejection?: ((rejection: HandlingRejection) => unknown) | undefined;
  /**
   * Connects a delivery, its handler and the calls of the handler to one trace, e.g. `openTelemetry()` of the `./otel` entry.
   *
   * @default none
   */
  readonly tracing?: Tracing | undefined;
}

/** Bytes of chance in a path: nobody finds it by trying. */
const secretBytes = 24;
const leastCharacters = 16;

/**
 * Makes a path that nobody can guess, for the callback URL of your application and the option `path`. Make it once, and keep it with
 * your secrets.
 *
 * @example
 * console.log(secretPath()); // e.g. /hooks/Zk3v0mJ1yQ8sWc5uXr2tLpAe9hNbGd7f
 */
export function secretPath(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes));
  return `/hooks/${btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')}`;
}

/** The rule of the option `path`. */
const pathRule: Rule = (value) => {
  if (typeof value !== 'string' || !value.startsWith('/')) return 'must be a path that begins with /';
  if (/[?#\s]/.test(value)) return 'must be a path alone, without query, fragment and spaces';
  const longest = Math.max(...value.split('/').map(({ length }) => length));
  return longest >= leastCharacters
    ? undefined
    : `has no secret: one part of it must have at least ${leastCharacters} characters; secretPath() makes one`;
};

/** Compares a path with the secret one. How long that takes says nothing about how much of it is right. */
export function isSecretPath(path: string, secret: string): boolean {
  let difference = path.length ^ secret.length;
  for (let at = 0; at < secret.length; at += 1) difference |= (path.charCodeAt(at) || 0) ^ secret.charCodeAt(at);
  return difference === 0;
}

const defaults = {
  handle: true as boolean,
  concurrency: 32,
  maxBodyBytes: 16_384,
  maxWaiting: 10_000,
  handlerTimeoutMs: 300_000,
  leaseMs: 30_000,
  catchUpEveryMs: 900_000,
};

/** The options with their defaults filled in. */
export type ResolvedInboxOptions = Omit<InboxOptions, keyof typeof defaults | 'retry' | 'sellers'> &
  Readonly<typeof defaults> & {
    readonly retry: RetryLimits;
    readonly sellers: Exclude<SellerSource, { readonly ids: unknown }> | undefined;
  };

const callback = ofType('function');
const object: Rule = (value) => (isObject(value) ? undefined : 'takes an object');

const rules: Readonly<Record<keyof InboxOptions, Rule>> = {
  on: object,
  fallback: callback,
  topics: object,
  clientFor: callback,
  path: pathRule,
  accept: callback,
  handle: ofType('boolean'),
  sellers: (value) =>
    typeof value === 'function' || hasIds(value) || areSellerIds(value)
      ? undefined
      : 'takes a list or a set of ids, which are numbers, a function, or what `createSellers` returns',
  store: storeRule,
  concurrency: integerFrom(1),
  maxBodyBytes: integerFrom(1),
  maxWaiting: integerFrom(1),
  handlerTimeoutMs: time,
  leaseMs: time,
  application_id: (value) => (/^\d{1,19}$/.test(String(value)) ? undefined : 'takes the digits of an id'),
  catchUpEveryMs: (value) => (value === Infinity ? undefined : time(value)),
  retry: object,
  logger: withMethods('info', 'warn', 'error'),
  onFailure: callback,
  onSuccess: callback,
  onRejection: callback,
  tracing: withMethods('observe'),
};

/**
 * Checks an inbox's options and fills in the defaults.
 *
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function resolveInboxOptions<Client extends NotificationClient, Topics extends OwnTopics>(
  options: InboxOptions<Client, Topics>,
): ResolvedInboxOptions {
  if (!isObject(options)) throw new ConfigurationError('createInbox needs an object of options');
  const { retry, ...given } = defined(options);
  const problems = [
    ...optionIssues(options, rules).map(({ message }) => message),
    ...(isObject(retry) ? optionIssues(retry, retryRules) : []).map(({ message }) => message.replace('`', '`retry.')),
    ...handlerProblems(options),
    ...topicProblems(options.topics),
    ...contradictions(options),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  const { sellers }: Pick<InboxOptions, 'sellers'> = options;
  return {
    ...defaults,
    ...given,
    sellers: hasIds(sellers) ? () => sellers.ids() : sellers,
    retry: { ...retryDefaults, ...defined(retry ?? {}) },
  };
}

type HandlerOptions = Pick<InboxOptions<never>, 'fallback' | 'handle'> & {
  readonly on?: object | undefined;
  readonly topics?: OwnTopics | undefined;
};

function handlerProblems({ on, fallback, handle, topics }: HandlerOptions): string[] {
  const names = [...knownTopics, handshakes, ...Object.keys(isObject(topics) ? topics : {})];
  const handlers = Object.entries(isObject(on) ? defined(on) : {});
  if (handlers.length === 0 && fallback === undefined && handle !== false) return ['set `on`, `fallback`, or both'];
  return handlers.flatMap(([topic, handler]) => {
    if (!names.includes(topic)) return unknownTopic(topic, names);
    return typeof handler === 'function' ? [] : `\`on.${topic}\` takes a function`;
  });
}

function unknownTopic(topic: string, names: readonly string[]): string {
  const hint = didYouMean(topic, names, 'name it in `topics`, or use `fallback`', '`');
  return `\`on\` has no topic \`${topic}\`: ${hint}`;
}

function topicProblems(topics: unknown): string[] {
  return Object.entries(isObject(topics) ? topics : {}).flatMap(([name, topic]) => {
    const { endpoint, idOf } = (isObject(topic) ? topic : {}) as Partial<OwnTopic>;
    if ((knownTopics as readonly string[]).includes(name.toLowerCase())) return `\`topics.${name}\` is known already`;
    const wrong = namedEndpointError(endpoint);
    if (wrong) return `\`topics.${name}\`: ${wrong.message.replace('Not sent: ', '')}`;
    return typeof idOf === 'function' ? [] : `\`topics.${name}.idOf\` takes a function`;
  });
}

/** A process that only accepts looks for nothing. */
function contradictions({
  sellers,
  clientFor,
  handle,
}: Pick<InboxOptions, 'sellers' | 'clientFor' | 'handle'>): string[] {
  return sellers !== undefined && !clientFor && handle !== false ? ['`sellers` needs `clientFor`'] : [];
}

/** Whether something is a list or a set of ids: a text is no id, and would let nobody in. */
function areSellerIds(sellers: unknown): sellers is SellerIds {
  if (!Array.isArray(sellers) && !(sellers instanceof Set)) return false;
  return [...(sellers as Iterable<unknown>)].every((each) => Number.isSafeInteger(each));
}

/** Whether the ids of sellers can be asked for, as those of `createSellers`. */
function hasIds(sellers: unknown): sellers is Extract<SellerSource, { readonly ids: unknown }> {
  return typeof (sellers as { readonly ids?: unknown } | null | undefined)?.ids === 'function';
}

/** The ids of sellers. @throws {TypeError} when a function returns anything else */
export async function sellerIdsOf(sellers: NonNullable<ResolvedInboxOptions['sellers']>): Promise<SellerIds> {
  const ids: unknown = typeof sellers === 'function' ? await sellers() : sellers;
  if (areSellerIds(ids)) return ids;
  throw new TypeError('`sellers` must return a list or a set of ids, which are numbers');
}
