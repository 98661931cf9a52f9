import type { Logger, Tracing } from '../core/options/hooks.js';
import type { Handler, Handlers, OwnHandlers } from './handling/handler.js';
import type { OwnTopics } from './handling/own-topic.js';
import type { Notification, UnknownNotification } from './notification.js';
import type { InboxEntry } from './entry.js';
import type { NotificationClient } from './handling/read-notification.js';
import type { Store } from '../work/store.js';
import type { Engine } from '../work/works.js';
import type { RetryOptions } from '../work/retry.js';

/** One failed attempt to handle a notification, or a message of a handler that moderation rejected. */
export interface HandlingFailure {
  readonly entry: InboxEntry;
  /** A `MessageRejectedError` when moderation rejected a message of the handler: then the notification is handled, and not tried again. */
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

/** The options of `createInbox`. */
export interface InboxOptions<
  Client extends NotificationClient = NotificationClient,
  Topics extends OwnTopics = OwnTopics,
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
   * The ids of the sellers. Notifications for others are acknowledged and dropped: see `stats().dropped`. `start()` and `catchUp()` look
   * for the unanswered questions and unread messages of these, which needs `clientFor`. A function is asked again when a user is not
   * among those whom it has named last.
   *
   * @default those for whom `clientFor` has a client; `start()` looks for nothing
   */
  readonly sellers?: SellerIds | (() => SellerIds | Promise<SellerIds>) | undefined;
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
   * Called after each failed attempt of a handler, and when moderation rejected its message. It is called before that is stored, at
   * least once: again if the process is killed meanwhile. What it throws has no effect on the notification.
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
   * Connects a delivery, its handler and the calls of the handler to one trace, e.g. `openTelemetry()` of the `./otel` entry.
   *
   * @default none
   */
  readonly tracing?: Tracing | undefined;
}
