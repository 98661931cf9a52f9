import type { SellerClient } from '../client.js';
import { NotificationError } from '../core/errors/errors.js';
import type { CallOptions } from '../core/options/client-options.js';
import { NotFoundError } from '../core/errors/status-errors.js';
import type { Question } from '../resources/questions/schemas.js';
import type { Notification, QuestionNotification } from './notification.js';

/** How patiently the resource of a notification is read. */
export interface ReadOptions extends CallOptions {
  /** How long a 404 is repeated, in milliseconds: the service may announce what it cannot show yet. Default 5,000. */
  readonly notFoundTimeoutMs?: number | undefined;
}

/** The client of a seller, as far as notifications need it. */
export type QuestionsClient = Pick<SellerClient, 'questions'>;

/**
 * Reads what a notification is about, with the token of the client that is given.
 *
 * Only the endpoint that the topic stands for is called, with the id alone; `resource` is never followed.
 *
 * @example
 * const question = await readNotification(seller, notification);
 * @throws {NotFoundError} when there is no such thing even after `notFoundTimeoutMs`, or not for this seller.
 * @throws {NotificationError} when the topic is not known, so that no endpoint stands for it.
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
  if (!notification.known) throw new NotificationError('No endpoint stands for the topic, so nothing can be read');
  const { notFoundTimeoutMs = 5_000, ...call } = options;
  const { question_id } = notification;
  return retryNotFound(() => seller.questions.get({ question_id }, call), notFoundTimeoutMs, call.signal);
}

async function retryNotFound<T>(
  read: () => PromiseLike<T>,
  notFoundTimeoutMs: number,
  signal?: AbortSignal,
): Promise<T> {
  const endsAt = Date.now() + notFoundTimeoutMs;
  for (let waitMs = 200; ; waitMs *= 2) {
    try {
      return await read();
    } catch (error) {
      const leftMs = endsAt - Date.now();
      if (!(error instanceof NotFoundError) || leftMs <= 0 || signal?.aborted) throw error;
      // An abort ends the wait; the read that follows then says so in its own words.
      await pause(Math.min(waitMs, leftMs), signal);
    }
  }
}

/** Waits; an abort ends the wait early. Leaves neither timer nor listener behind. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
