import type { CallOptions } from '../../core/scope/call-options.js';
import type { SentMessage } from '../../resources/post-sale/message.js';
import type { DriverAssignment } from '../../resources/flex/schemas.js';
import type { Question } from '../../resources/questions/schemas.js';
import type {
  MessageNotification,
  Notification,
  QuestionNotification,
  UnknownNotification,
  InboxKind,
} from '../notification.js';
import { inboxKinds } from '../notification.js';
import { ownTopicOf } from './read-notification.js';
import type {
  OwnNotification,
  OwnResource,
  OwnTopics,
  NotificationClient,
  NotifiedMessage,
  ReadOptions,
} from './read-notification.js';

/** What a handler receives beside the notification. */
export interface HandlerContext<Resource = unknown, Client = NotificationClient> {
  /**
   * Reads the resource that the notification is about, with the client of its user.
   *
   * After a 404, let the error pass: the notification is retried 5, 20 and 60 seconds after its arrival, because the service may
   * announce a resource before it can return it. The seller's own message drops the notification: let that error pass too.
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
  /** 1 for the first attempt; it grows with each failure, and with each time in a row that the process was killed. */
  readonly attempt: number;
  /** Aborted when the handler has timed out or lost its lease to another process. Stop then. */
  readonly signal: AbortSignal;
}

/** What a handler of the topic `messages` receives beside the notification. */
export interface MessageContext<Client = NotificationClient> extends HandlerContext<NotifiedMessage, Client> {
  /**
   * Answers the message as `messages.reply` does: sends a text to the counterpart that its conversation shows, the buyer or
   * an agent in the buyer's place. It reads the message first, unless `read` has. The result is what `messages.reply` returns.
   *
   * @throws {InvalidInputError} when the text is not acceptable, or the message is the seller's own; nothing is sent.
   * @throws {NotificationError} when the message names no pack or no sender.
   * @throws {OutcomeUnknownError} when the response was lost: call `confirm()` of the error before you send again.
   */
  readonly reply: (text: string, options?: CallOptions) => Promise<SentMessage | undefined>;
}

/**
 * Handles a notification. When it throws, the notification is retried later.
 *
 * Throw `UnrecoverableError` to give it up at once, or `DropNotificationError` to forget it.
 */
export type Handler<N, Resource = unknown, Client = NotificationClient, Context = HandlerContext<Resource, Client>> = (
  notification: N,
  context: Context,
) => unknown;

/** One handler per known topic. */
export interface Handlers<Client = NotificationClient> {
  /** Handles the notifications of the topic `questions`. */
  readonly questions?: Handler<QuestionNotification, Question, Client> | undefined;
  /** Handles the notifications of the topic `messages`. */
  readonly messages?: Handler<MessageNotification, NotifiedMessage, Client, MessageContext<Client>> | undefined;
  /**
   * Handles the notifications of the topic `flex-handshakes`: a driver has scanned a shipment, or taken it over. `read()` returns the
   * driver with `flexV2.driver`, whatever the version in the resource. Only the courier's own token may be allowed to read it.
   */
  readonly 'flex-handshakes'?: Handler<OwnNotification<'flex-handshakes'>, DriverAssignment, Client> | undefined;
}

/** One handler per topic of your own; none without the option `topics`. The known topics keep their own type. */
export type OwnHandlers<Topics, Client = NotificationClient> = {
  readonly [Topic in keyof Topics as string extends Topic ? never : Topic]?: Topic extends keyof Handlers
    ? unknown
    : Handler<OwnNotification<Topic>, OwnResource<Topics[Topic]>, Client> | undefined;
};

/** The handler of any topic. */
export type AnyHandler = Handler<never, never, never, never>;

/** The handlers that an inbox was given. */
interface GivenHandlers {
  readonly on?: Handlers | undefined;
  readonly fallback?: Handler<UnknownNotification> | undefined;
  readonly topics?: OwnTopics | undefined;
}

/** The handler of a notification; `undefined` if none was given. */
export function handlerOf(
  { on, fallback }: GivenHandlers,
  { known, topic }: Pick<Notification, 'known' | 'topic'>,
): AnyHandler | undefined {
  const handlers = on as Readonly<Record<string, AnyHandler>> | undefined;
  return known ? handlers?.[topic] : (ownTopicOf(handlers, topic) ?? fallback);
}

/** What an inbox with these handlers claims. What a store holds of topics of your own is of the kind of every unknown topic. */
export function kindsOf({ on = {}, fallback }: GivenHandlers): InboxKind[] {
  const topics = Object.entries(on).flatMap(([topic, handler]) => (handler === undefined ? [] : topic));
  const found = topics.map((topic): InboxKind => inboxKinds.find((kind) => kind === topic) ?? '*');
  return [...new Set<InboxKind>(fallback ? [...found, '*'] : found)];
}
