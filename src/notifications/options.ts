import { ConfigurationError } from '../core/errors/errors.js';
import type { Logger } from '../core/options/hooks.js';
import type { Question } from '../resources/questions/schemas.js';
import type { BodyLimits } from './http/request.js';
import type { QueuedNotification } from './queued-notification.js';
import type { QuestionNotification, UnknownNotification } from './notification.js';
import type { ReadOptions, QuestionsClient } from './read-notification.js';
import type { NotificationStore } from './stores/store.js';

/** What a handler receives beside the notification. */
export interface HandlerContext<Resource = unknown> {
  /**
   * Reads the resource that the notification is about, with the client of its user (`clientFor`).
   *
   * @throws {NotFoundError} when the service still answers 404 after some seconds.
   */
  read(options?: ReadOptions): Promise<Resource>;
  /** 1 for the first attempt; it grows with each failure. */
  readonly attempt: number;
  /** How many older notifications about the same resource this one stands for; 0 unless `coalesce` is set. */
  readonly coalescedCount: number;
  /** Aborted when the handler has timed out or lost its lease to another process. Stop then. */
  readonly signal: AbortSignal;
}

/** Handles a notification. When it throws, the notification is retried later. */
export type Handler<N, Resource = unknown> = (notification: N, context: HandlerContext<Resource>) => unknown;

/** One handler per documented topic. */
export interface Handlers {
  readonly questions?: Handler<QuestionNotification, Question> | undefined;
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
   * The longest delay, in milliseconds.
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
export interface ReceiverOptions {
  /**
   * The handlers of the documented topics.
   *
   * @default undefined: notifications of these topics are acknowledged and dropped
   */
  readonly on?: Handlers | undefined;
  /**
   * The handler of every other topic.
   *
   * @default undefined: notifications of these topics are acknowledged and dropped
   */
  readonly fallback?: Handler<UnknownNotification> | undefined;
  /**
   * Returns the client of a user, for `read()`. Throw for a user who is not yours.
   *
   * @default undefined: `read()` throws
   */
  readonly clientFor?: ((user_id: number) => QuestionsClient | Promise<QuestionsClient>) | undefined;
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
   * How many handlers run at once.
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
   * How long the store or queue may take to accept a notification, in milliseconds. After that the response is 503.
   *
   * @default 2000
   */
  readonly acceptTimeoutMs?: number | undefined;
  /**
   * The longest accepted body, in bytes. The response to a longer one is 413.
   *
   * @default 1000000
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
   * @default undefined: nothing is logged
   */
  readonly logger?: Logger | undefined;
  /**
   * Called after each failed attempt of a handler.
   *
   * @default undefined
   */
  readonly onFailure?: ((failure: HandlingFailure) => void) | undefined;
}

const numericDefaults = {
  concurrency: 32,
  handlerTimeoutMs: 300_000,
  leaseMs: 30_000,
  deduplicationMs: 24 * 3_600_000,
  pollMs: 1_000,
  acceptTimeoutMs: 2_000,
  maxBodyBytes: 1_000_000,
  bodyTimeoutMs: 5_000,
};
const retryDefaults = { attempts: 12, baseMs: 1_000, capMs: 600_000 };

const behaviorOptions = ['on', 'fallback', 'clientFor', 'store', 'queue', 'acknowledge', 'coalesce'] as const;
const otherOptions = ['retry', 'logger', 'onFailure'] as const;

/** The options with their defaults filled in. */
export type ResolvedReceiverOptions = Omit<
  ReceiverOptions,
  keyof typeof numericDefaults | 'retry' | 'acknowledge' | 'coalesce'
> &
  Readonly<typeof numericDefaults> &
  BodyLimits & {
    readonly retry: Readonly<typeof retryDefaults>;
    readonly acknowledge: 'accepted' | 'handled';
    readonly coalesce: boolean;
  };

/**
 * Checks a receiver's options and fills in the defaults.
 *
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function resolveReceiverOptions(options: ReceiverOptions): ResolvedReceiverOptions {
  const known: readonly string[] = [...behaviorOptions, ...Object.keys(numericDefaults), ...otherOptions];
  const { retry = {}, ...given } = defined(options);
  const problems = [
    ...unknownNames(given, known, ''),
    ...unknownNames(retry, Object.keys(retryDefaults), 'retry.'),
    ...notPositive(given, Object.keys(numericDefaults), ''),
    ...notPositive(retry, Object.keys(retryDefaults), 'retry.'),
    ...contradictions(options),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems.join('; '));
  return {
    acknowledge: 'accepted',
    coalesce: false,
    ...numericDefaults,
    ...given,
    retry: { ...retryDefaults, ...defined(retry) },
  } as ResolvedReceiverOptions;
}

function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function unknownNames(given: object, known: readonly string[], prefix: string): string[] {
  const names = Object.keys(given).filter((name) => !known.includes(name));
  return names.map((name) => `there is no option \`${prefix}${name}\`; the options are ${known.join(', ')}`);
}

function notPositive(given: object, names: readonly string[], prefix: string): string[] {
  const wrong = Object.entries(given).filter(([name, value]) => names.includes(name) && !(Number(value) > 0));
  return wrong.map(([name]) => `\`${prefix}${name}\` must be a number above 0`);
}

function contradictions({ on = {}, fallback, store, queue, acknowledge }: ReceiverOptions): string[] {
  const topics = Object.keys(on).filter((topic) => topic !== 'questions');
  return [
    ...topics.map((topic) => `\`on\` has no topic \`${topic}\`: use \`fallback\` for topics other than questions`),
    ...(Object.keys(on).length === 0 && !fallback ? ['set `on`, `fallback`, or both'] : []),
    ...(store && queue ? ['set `store` or `queue`, not both'] : []),
    ...(queue && acknowledge === 'handled'
      ? ["`acknowledge: 'handled'` needs a store: the receiver cannot know when a queue's worker is done"]
      : []),
    ...(acknowledge === undefined || ['accepted', 'handled'].includes(acknowledge)
      ? []
      : ["`acknowledge` must be 'accepted' or 'handled'"]),
  ];
}
