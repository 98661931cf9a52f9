import { ConfigurationError } from '../core/errors/errors.js';
import { longestTimerMs } from '../core/retry/cancel-scope.js';
import type { Logger } from '../core/options/hooks.js';
import type { Question } from '../resources/questions/schemas.js';
import type { BodyLimits } from './http/request.js';
import type { QueuedNotification } from './queued-notification.js';
import type { Notification, QuestionNotification, UnknownNotification } from './notification.js';
import type { ReadOptions, QuestionsClient } from './read-notification.js';
import type { NotificationStore } from './stores/store.js';

/** What a handler receives beside the notification. */
export interface HandlerContext<Resource = unknown, Client = QuestionsClient> {
  /**
   * Reads the resource that the notification is about, with the client of its user.
   *
   * After a 404, let the error pass: the notification is retried once after 5 seconds, because the service may announce a
   * question before it can return it. A second 404 makes it a dead letter.
   *
   * @throws {NotFoundError} when the service responds 404.
   */
  readonly read: (options?: ReadOptions) => Promise<Resource>;
  /**
   * The client of the notification's user: what `clientFor` returned.
   *
   * @throws {ConfigurationError} without `clientFor`.
   */
  readonly client: Client;
  /** 1 for the first attempt; it grows with each failure. */
  readonly attempt: number;
  /** How many older notifications about the same resource this one stands for; 0 unless `coalesce` is set. */
  readonly coalescedCount: number;
  /** Aborted when the handler has timed out or lost its lease to another process. Stop then. */
  readonly signal: AbortSignal;
}

/**
 * Handles a notification. When it throws, the notification is retried later.
 *
 * Throw `UnrecoverableError` to give it up at once, or `DropNotificationError` to forget it.
 */
export type Handler<N, Resource = unknown, Client = QuestionsClient> = (
  notification: N,
  context: HandlerContext<Resource, Client>,
) => unknown;

/** One handler per documented topic. */
export interface Handlers<Client = QuestionsClient> {
  /** Handles the notifications of the topic `questions`. */
  readonly questions?: Handler<QuestionNotification, Question, Client> | undefined;
}

/** How failed notifications are retried. */
export interface RetryOptions {
  /**
   * The most attempts, the first included; then the notification becomes a dead letter.
   *
   * @default 12, which takes 25 to 40 minutes
   */
  readonly attempts?: number | undefined;
  /**
   * The first delay, in milliseconds. Each next one is twice as long, less up to half at random.
   *
   * @default 1000
   */
  readonly baseMs?: number | undefined;
  /**
   * The longest delay, in milliseconds, also for a Retry-After.
   *
   * @default 600000
   */
  readonly capMs?: number | undefined;
}

/** One failed attempt to handle a notification. */
export interface HandlingFailure {
  readonly entry: QueuedNotification;
  readonly error: unknown;
  readonly attempt: number;
  /** Whether this was the last attempt: the notification is a dead letter now. */
  readonly dead: boolean;
}

/** An existing queue that takes the notifications. */
export interface NotificationQueue {
  /** Resolves once the queue has stored the entry. Use `entry.key` as the id of the job. */
  add(entry: QueuedNotification): Promise<unknown>;
}

/** The options of `createReceiver`. */
export interface ReceiverOptions<Client extends QuestionsClient = QuestionsClient> {
  /**
   * Returns the client of a user, for `read()` and `client`. Return `undefined` for a user who is not yours: the
   * notification is dropped.
   *
   * @default undefined: `read()` and `client` throw
   */
  readonly clientFor?: ((user_id: number) => Client | undefined | Promise<Client | undefined>) | undefined;
  /**
   * Whether to accept a notification, asked before it is stored. One that is not accepted is acknowledged and dropped. Check
   * here whether the user and the application are yours.
   *
   * @default undefined: all are accepted
   */
  readonly accept?: ((notification: Notification) => boolean | Promise<boolean>) | undefined;
  /**
   * The handlers of the documented topics.
   *
   * @default undefined: notifications of these topics are acknowledged and dropped
   */
  readonly on?: Handlers<Client> | undefined;
  /**
   * The handler of every other topic.
   *
   * @default undefined: notifications of these topics are acknowledged and dropped
   */
  readonly fallback?: Handler<UnknownNotification, unknown, Client> | undefined;
  /**
   * Where accepted notifications are stored: `memoryStore`, `sqliteStore`, `redisStore` or `keyValueStore`.
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
}

/** The defaults of the options that are whole numbers. */
const countDefaults = { concurrency: 32, maxBodyBytes: 16_384 };
/** The defaults of the options in milliseconds. */
const timeDefaults = {
  handlerTimeoutMs: 300_000,
  leaseMs: 30_000,
  deduplicationMs: 24 * 3_600_000,
  pollMs: 1_000,
  acceptTimeoutMs: 400,
  bodyTimeoutMs: 5_000,
};
const numericDefaults = { ...countDefaults, ...timeDefaults };
const retryDefaults = { attempts: 12, baseMs: 1_000, capMs: 600_000 };
/** How long after a first 404 the handler runs again, in milliseconds. */
const notFoundMs = 5_000;

const behaviorOptions = ['on', 'fallback', 'clientFor', 'accept', 'store', 'queue', 'acknowledge', 'coalesce'] as const;
const otherOptions = ['retry', 'logger', 'onFailure'] as const;

/** The options with their defaults filled in. */
export type ResolvedReceiverOptions = Omit<
  ReceiverOptions,
  keyof typeof numericDefaults | 'retry' | 'acknowledge' | 'coalesce'
> &
  Readonly<typeof numericDefaults> &
  BodyLimits & {
    readonly retry: Readonly<typeof retryDefaults> & { readonly notFoundMs: number };
    readonly acknowledge: 'accepted' | 'handled';
    readonly coalesce: boolean;
  };

/**
 * Checks a receiver's options and fills in the defaults.
 *
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function resolveReceiverOptions<Client extends QuestionsClient>(
  options: ReceiverOptions<Client>,
): ResolvedReceiverOptions {
  const known: readonly string[] = [...behaviorOptions, ...Object.keys(numericDefaults), ...otherOptions];
  const { retry = {}, ...given } = defined(options);
  const problems = [
    ...unknownNames(given, known, ''),
    ...unknownNames(retry, Object.keys(retryDefaults), 'retry.'),
    ...invalidCounts(given, Object.keys(countDefaults), ''),
    ...invalidCounts(retry, ['attempts'], 'retry.'),
    ...invalidTimes(given, Object.keys(timeDefaults), ''),
    ...invalidTimes(retry, ['baseMs', 'capMs'], 'retry.'),
    ...invalidFunctions(given),
    ...contradictions(options),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  return {
    acknowledge: 'accepted',
    coalesce: false,
    ...numericDefaults,
    ...given,
    retry: { ...retryDefaults, ...defined(retry), notFoundMs },
  } as ResolvedReceiverOptions;
}

function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function unknownNames(given: object, known: readonly string[], prefix: string): string[] {
  const names = Object.keys(given).filter((name) => !known.includes(name));
  return names.map((name) => `there is no option \`${prefix}${name}\`; the options are ${known.join(', ')}`);
}

function invalidCounts(given: object, names: readonly string[], prefix: string): string[] {
  const isValid = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;
  const invalid = Object.entries(given).filter(([name, value]) => names.includes(name) && !isValid(value));
  return invalid.map(([name]) => `\`${prefix}${name}\` must be a whole number above 0`);
}

function invalidTimes(given: object, names: readonly string[], prefix: string): string[] {
  const isValid = (value: unknown): boolean => typeof value === 'number' && value > 0 && value <= longestTimerMs;
  const invalid = Object.entries(given).filter(([name, value]) => names.includes(name) && !isValid(value));
  return invalid.map(([name]) => `\`${prefix}${name}\` must be a number above 0 and at most ${longestTimerMs}`);
}

function invalidFunctions(given: object): string[] {
  const names = ['fallback', 'clientFor', 'accept', 'onFailure'];
  const invalid = Object.entries(given).filter(([name, value]) => names.includes(name) && typeof value !== 'function');
  return invalid.map(([name]) => `\`${name}\` must be a function`);
}

function contradictions(
  options: Pick<ReceiverOptions<never>, 'on' | 'fallback' | 'store' | 'queue' | 'acknowledge'>,
): string[] {
  const { on = {}, fallback, store, queue, acknowledge } = options;
  const topics = Object.keys(on).filter((topic) => topic !== 'questions');
  return [
    ...topics.map((topic) => `\`on\` has no topic \`${topic}\`: use \`fallback\` for topics other than questions`),
    ...(!Object.values(on).some(Boolean) && !fallback ? ['set `on`, `fallback`, or both'] : []),
    ...(store && queue ? ['set `store` or `queue`, not both'] : []),
    ...(queue && acknowledge === 'handled'
      ? ["`acknowledge: 'handled'` needs a store: the receiver cannot know when a queue's worker is done"]
      : []),
    ...(acknowledge === undefined || ['accepted', 'handled'].includes(acknowledge)
      ? []
      : ["`acknowledge` must be 'accepted' or 'handled'"]),
  ];
}
