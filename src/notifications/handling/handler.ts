import type { Question } from '../../resources/questions/schemas.js';
import type { QuestionNotification } from '../notification.js';
import type { ReadOptions, QuestionsClient } from './read-notification.js';

/** What a handler receives beside the notification. */
export interface HandlerContext<Resource = unknown, Client = QuestionsClient> {
  /**
   * Reads the resource that the notification is about, with the client of its user.
   *
   * After a 404, let the error pass: the notification is retried once after 5 seconds, because the service may announce a
   * question before it can return it. A second 404 in a row makes it a dead letter.
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
