import { ConfigurationError } from '../core/errors/errors.js';
import type { Logger } from '../core/options/client-options.js';
import type { Question } from '../resources/questions/schemas.js';
import type { BodyLimits } from './http/request.js';
import type { QueuedNotification } from './queued-notification.js';
import type { QuestionNotification, UnknownNotification } from './notification.js';
import type { ReadOptions, QuestionsClient } from './read-notification.js';
import type { NotificationStore } from './stores/store.js';

/** What a handler knows beside the notification. */
export interface HandlerContext<Resource = unknown> {
  /**
   * Reads what the notification is about, with the token of the user it relates to (`clientFor`).
   *
   * @throws {NotFoundError} when there is no such thing after some seconds.
   */
  read(options?: ReadOptions): Promise<Resource>;
  /** 1 for the first time this notification is handled; more after a failure. */
  readonly attempt: number;
  /** How many older notifications about the same resource this one stands for; 0 unless `coalesce` is set. */
  readonly coalescedCount: number;
  /** Aborted when the handler has taken too long, or another process has taken over: stop then. */
  readonly signal: AbortSignal;
}

/** Handles a notification; when it throws, the notification is handled again later. */
export type Handler<N, Resource = unknown> = (notification: N, context: HandlerContext<Resource>) => unknown;

/** A handler per known topic. */
export interface Handlers {
  readonly questions?: Handler<QuestionNotification, Question> | undefined;
}

/** How often and how patiently a failing notification is handled again. */
export interface RetryOptions {
  /** How often a notification is handled at most; then it goes to the dead letters. Default 12: some 25 to 40 minutes. */
  readonly attempts?: number | undefined;
  /** The first wait, in milliseconds; each next one is twice as long, less up to half at random. Default 1,000. */
  readonly baseMs?: number | undefined;
  /** No wait is longer, in milliseconds. Default 600,000. */
  readonly capMs?: number | undefined;
}

/** A notification that could not be handled this time. */
export interface HandlingFailure {
  readonly entry: QueuedNotification;
  readonly error: unknown;
  readonly attempt: number;
  /** It is not tried again, and is among the dead letters now. */
  readonly dead: boolean;
}

/** An existing queue that notifications are handed over to. */
export interface NotificationQueue {
  /** Resolves once the queue has the entry; `entry.key` may serve as the id of the job. */
  add(entry: QueuedNotification): Promise<unknown>;
}

/** How a receiver is set up. */
export interface ReceiverOptions {
  /** What to do about the topics the library knows. */
  readonly on?: Handlers | undefined;
  /** What to do about every other topic. Without it they are acknowledged and dropped. */
  readonly fallback?: Handler<UnknownNotification> | undefined;
  /** The client of a user, for `read()`. Throw for a user who is not yours. */
  readonly clientFor?: ((user_id: number) => QuestionsClient | Promise<QuestionsClient>) | undefined;
  /** Where accepted notifications wait: `memoryStore()` (default), `sqliteStore`, `redisStore`, `keyValueStore`. */
  readonly store?: NotificationStore | undefined;
  /** Instead of a store: an existing queue. Its workers give the entries to `receiver.handle`. */
  readonly queue?: NotificationQueue | undefined;
  /** When to answer 200: once the store has it (`accepted`, the default), or once the handler is through. */
  readonly acknowledge?: 'accepted' | 'handled' | undefined;
  /** Several notifications about one resource become one: the newest. Default false. */
  readonly coalesce?: boolean | undefined;
  /** How many handlers run at once. Default 32. */
  readonly concurrency?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /** How long a handler may take, in milliseconds. Default 300,000. */
  readonly handlerTimeoutMs?: number | undefined;
  /** How long after a crash another process takes over, in milliseconds. Default 30,000. */
  readonly leaseMs?: number | undefined;
  /** How long a notification is remembered after it was handled, in milliseconds. Default 24 hours. */
  readonly deduplicationMs?: number | undefined;
  /** How often a store that several processes share is looked through, in milliseconds. Default 1,000. */
  readonly pollMs?: number | undefined;
  /** How long the store or queue may take to accept, in milliseconds; then the answer is 503. Default 2,000. */
  readonly acceptTimeoutMs?: number | undefined;
  /** Longer bodies are answered with 413. Default 1,000,000. */
  readonly maxBodyBytes?: number | undefined;
  /** Slower bodies are answered with 408, in milliseconds. Default 5,000. */
  readonly bodyTimeoutMs?: number | undefined;
  readonly logger?: Logger | undefined;
  /** Told of every failure of a handler. */
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

const handlingOptions = ['on', 'fallback', 'clientFor', 'store', 'queue', 'acknowledge', 'coalesce'] as const;
const observingOptions = ['retry', 'logger', 'onFailure'] as const;

/** Options with their defaults. */
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
  const known: readonly string[] = [...handlingOptions, ...Object.keys(numericDefaults), ...observingOptions];
  const { retry = {}, ...given } = present(options);
  const wrong = [
    ...unknownNames(given, known, ''),
    ...unknownNames(retry, Object.keys(retryDefaults), 'retry.'),
    ...notPositive(given, Object.keys(numericDefaults), ''),
    ...notPositive(retry, Object.keys(retryDefaults), 'retry.'),
    ...contradictions(options),
  ];
  if (wrong.length > 0) throw new ConfigurationError(wrong.join('; '));
  return {
    acknowledge: 'accepted',
    coalesce: false,
    ...numericDefaults,
    ...given,
    retry: { ...retryDefaults, ...present(retry) },
  } as ResolvedReceiverOptions;
}

function present<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function unknownNames(given: object, known: readonly string[], prefix: string): string[] {
  const names = Object.keys(given).filter((name) => !known.includes(name));
  return names.map((name) => `there is no option \`${prefix}${name}\`; the options are ${known.join(', ')}`);
}

function notPositive(given: object, names: readonly string[], prefix: string): string[] {
  const wrong = Object.entries(given).filter(([name, value]) => names.includes(name) && !(Number(value) > 0));
  return wrong.map(([name]) => `\`${prefix}${name}\` takes a number above 0`);
}

function contradictions({ on = {}, fallback, store, queue, acknowledge }: ReceiverOptions): string[] {
  const topics = Object.keys(on).filter((topic) => topic !== 'questions');
  return [
    ...topics.map((topic) => `\`on\` knows no topic \`${topic}\`: topics other than questions go to \`otherwise\``),
    ...(Object.keys(on).length === 0 && !fallback ? ['neither `on` nor `otherwise` says what to do'] : []),
    ...(store && queue ? ['`store` and `queue` exclude each other: a receiver hands over to one of them'] : []),
    ...(queue && acknowledge === 'handled'
      ? ["`acknowledge: 'handled'` takes a store: whether a queue's worker is through is not known here"]
      : []),
    ...(acknowledge === undefined || ['accepted', 'handled'].includes(acknowledge)
      ? []
      : ["`acknowledge` takes 'accepted' or 'handled'"]),
  ];
}
