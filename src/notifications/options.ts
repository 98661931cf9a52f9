import type { Logger, Tracing } from '../core/options/hooks.js';
import type { Handler, Handlers, OwnHandlers } from './handling/handler.js';
import type { OwnTopics } from './handling/own-topic.js';
import type { Notification, UnknownNotification } from './notification.js';
import type { QueuedNotification } from './queued-notification.js';
import type { NotificationClient } from './handling/read-notification.js';
import type { Ledger } from '../work/ledger.js';
import type { NotificationStore, StoredNotifications } from './stores/store.js';
import type { RetryOptions } from '../work/retry.js';

/** One failed attempt to handle a notification. */
export interface HandlingFailure {
  readonly entry: QueuedNotification;
  readonly error: unknown;
  readonly attempt: number;
  /** Whether this was the last attempt: the notification is a dead letter now. */
  readonly dead: boolean;
}

/** A notification that a handler has handled. */
export interface HandlingSuccess {
  readonly entry: QueuedNotification;
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

/** An existing queue that takes the notifications. */
export interface NotificationQueue {
  /** Resolves once the queue has stored the entry. Use `entry.key` as the id of the job. */
  add(entry: QueuedNotification): Promise<unknown>;
  /**
   * What receivers keep beside the queue, in the database of the queue.
   *
   * Without it, each process looks for missed questions and messages, finds what was handled again, and a message that comes as two
   * notifications is answered twice. Without `note` of `run`, too, a lost response to a write is a dead letter.
   */
  readonly ledger?: Ledger | undefined;
  /**
   * Counts, lists and changes what is in the queue, for `openInbox`, `receiver.stats()`, `deadLetters` and `waiting`.
   *
   * Without it, `stats()` rejects and the lists are empty.
   */
  readonly inbox?: StoredNotifications | undefined;
}

/** The options of `createReceiver`. */
export interface ReceiverOptions<
  Client extends NotificationClient = NotificationClient,
  Topics extends OwnTopics = OwnTopics,
> {
  /**
   * Returns the client of a user, for `read()` and `client`. Return `undefined` for a user who is not yours: the
   * notification is dropped. If the client is known to be another user's by its token, the notification becomes a dead letter.
   *
   * @default undefined: `read()` and `client` throw
   */
  readonly clientFor?: ((user_id: number) => Client | undefined | Promise<Client | undefined>) | undefined;
  /**
   * Whether to accept a delivery, asked before it is stored. One that is not accepted is acknowledged and dropped. Check here
   * whether the user and the application are yours, and where the request comes from. When it throws, or returns no boolean, the response is 503.
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
   * createReceiver({
   *   clientFor: (user_id) => (user_id === 7 ? seller : undefined),
   *   topics: { rates: { endpoint: rates, idOf: (resource) => resource.replace('/rates/', '') } },
   *   on: { rates: async (_, { read }) => console.log((await read()).symbol) },
   * });
   */
  readonly topics?: Topics | undefined;
  /**
   * The handlers of the known topics, and of those in `topics`.
   *
   * @default undefined: deliveries of these topics wait in a durable store for a process that has a handler; with another store or
   * a queue they are acknowledged and dropped
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
   * The ids of the sellers whose unanswered questions and unread messages `start()` and `catchUp()` look for. It needs `clientFor`.
   *
   * @default none
   */
  readonly sellers?: readonly number[] | (() => readonly number[] | Promise<readonly number[]>) | undefined;
  /**
   * How often one of the processes looks for what the `sellers` missed, in milliseconds. `Infinity`: only when it starts.
   *
   * @default 900000, which is 15 minutes
   */
  readonly catchUpEveryMs?: number | undefined;
  /**
   * Where accepted notifications are stored: `memoryStore`, `sqliteStore`, or your own.
   *
   * @default memoryStore()
   */
  readonly store?: NotificationStore | undefined;
  /**
   * An existing queue in place of a store. Its workers pass the entries to `receiver.handle`.
   *
   * @default undefined: `store` is used
   */
  readonly queue?: NotificationQueue | undefined;
  /**
   * When to respond 200: once the store has the notification (`'accepted'`), or once its handler has succeeded (`'handled'`).
   *
   * @default 'accepted'
   */
  readonly acknowledge?: 'accepted' | 'handled' | undefined;
  /**
   * Whether to handle only the newest of the notifications that wait for one resource.
   *
   * @default false
   */
  readonly coalesce?: boolean | undefined;
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
   * How long the key of a handled notification is kept to recognize duplicates, in milliseconds.
   *
   * @default 86400000, which is 24 hours
   */
  readonly deduplicationMs?: number | undefined;
  /**
   * How often a store that several processes share is polled, in milliseconds.
   *
   * @default 1000
   */
  readonly pollMs?: number | undefined;
  /**
   * How long the store or queue may take to accept a notification, in milliseconds. After that the response is 503. The
   * service itself waits 500.
   *
   * @default 400
   */
  readonly acceptTimeoutMs?: number | undefined;
  /**
   * The longest accepted body, in bytes. The response to a longer one is 413.
   *
   * @default 16384
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How long reading a body may take, in milliseconds. After that the response is 408.
   *
   * @default 5000
   */
  readonly bodyTimeoutMs?: number | undefined;
  /**
   * Where failures and rejected deliveries are logged.
   *
   * @default undefined: failures are printed with `console.error`
   */
  readonly logger?: Logger | undefined;
  /**
   * Called after each failed attempt of a handler. What it throws has no effect on the notification.
   *
   * @default undefined: without `logger`, failures are printed with `console.error`
   */
  readonly onFailure?: ((failure: HandlingFailure) => unknown) | undefined;
  /**
   * Called after each handler that succeeded. What it throws has no effect on the notification.
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
