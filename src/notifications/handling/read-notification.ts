import type { SellerClient } from '../../client.js';
import { NotificationError } from '../../core/errors/errors.js';
import type { CallOptions } from '../../core/options/call-options.js';
import { NotFoundError } from '../../core/errors/status-errors.js';
import { checkOptions } from '../../core/options/resolve-options.js';
import { delay } from '../../core/options/rules.js';
import { exponentialDelay } from './backoff.js';
import type { Question } from '../../resources/questions/schemas.js';
import type { Notification, QuestionNotification } from '../notification.js';

/** How to read the resource of a notification. */
export interface ReadOptions extends CallOptions {
  /**
   * How long a 404 is retried, in milliseconds: the service may announce a question before it can return it.
   *
   * @default 5000; 0 in the `read` of a handler
   */
  readonly notFoundTimeoutMs?: number | undefined;
}

/** The part of a seller's client that reading a notification needs. */
export type QuestionsClient = Pick<SellerClient, 'questions'>;

const notFoundBackoff = { baseMs: 200, capMs: Infinity };

/**
 * Reads the resource that a notification is about, with the token of the given client.
 *
 * It calls the topic's endpoint with the id only; `resource` is never followed as a URL.
 *
 * @example
 * const question = await readNotification(seller, notification);
 * @throws {InvalidInputError} when an option is wrong; nothing is sent.
 * @throws {NotFoundError} when the service still responds 404 after `notFoundTimeoutMs`.
 * @throws {NotificationError} when the topic is not documented.
 */
export async function readNotification(
  seller: QuestionsClient,
  notification: QuestionNotification,
  options?: ReadOptions,
): Promise<Question>;
export async function readNotification(
  seller: QuestionsClient,
  notification: Notification,
  options?: ReadOptions,
): Promise<unknown>;
export async function readNotification(
  seller: QuestionsClient,
  notification: Notification,
  options: ReadOptions = {},
): Promise<unknown> {
  if (!notification.known) throw new NotificationError('The topic is not documented, so there is no endpoint to read');
  const { notFoundTimeoutMs = 5_000, ...call } = options;
  checkOptions({ notFoundTimeoutMs }, { notFoundTimeoutMs: delay });
  const { question_id } = notification;
  return retryNotFound(() => seller.questions.get({ question_id }, call), notFoundTimeoutMs, call.signal);
}

async function retryNotFound<T>(
  read: () => PromiseLike<T>,
  notFoundTimeoutMs: number,
  signal?: AbortSignal,
): Promise<T> {
  const endsAt = performance.now() + notFoundTimeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      const remainingMs = endsAt - performance.now();
      if (!(error instanceof NotFoundError) || remainingMs <= 0 || signal?.aborted) throw error;
      // An abort ends the delay; the next read then throws its own error.
      await abortableDelay(Math.min(exponentialDelay(attempt, notFoundBackoff), remainingMs), signal);
    }
  }
}

/** Resolves after a delay, or at once on abort. Leaves no timer or listener behind. */
async function abortableDelay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
