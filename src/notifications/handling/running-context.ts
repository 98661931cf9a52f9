import { ConfigurationError, InvalidInputError, NotificationError } from '../../core/errors/errors.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import type { WriteRecords } from '../../work/write-records.js';
import type { SentMessage } from '../../resources/post-sale/message.js';
import type { MessageContext } from './handler.js';
import type { Notification } from '../notification.js';
import { assertOwner } from './clients.js';
import { DropNotificationError } from './errors.js';
import type { OwnTopics } from './own-topic.js';
import { isNotFound, readResource, readShown } from './read-notification.js';
import type { NotificationClient, NotifiedMessage, ReadOptions } from './read-notification.js';

/** The context of one run of a handler. */
export interface RunContext {
  readonly attempt: number;
  /** The handler's: the dispatcher aborts the run when the handler takes too long. */
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** The 404 of the handler's `read()`. */
  notFound?: unknown;
  /** Whether the service has shown the resource to the handler. */
  wasFound?: boolean;
  /** When the handler began to read the resource, or began: what arrived before is handled with it. In ms since 1970. */
  readAt?: number;
  /** The pack whose conversation has shown the message, and whether its own path stays 404. */
  readonly shownIn?: string | undefined;
  readonly isMissing?: boolean | undefined;
  /** Keeps the writes of the handler. */
  readonly records?: WriteRecords | undefined;
  /** Whether the handler got a message that the seller wrote: whatever it throws, nothing has to be done. */
  isOwnMessage?: boolean;
}

/** What a handler receives. Its functions can be destructured. */
export class RunningContext implements Omit<MessageContext, 'read'> {
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly read: (options?: ReadOptions) => Promise<unknown>;
  readonly reply: MessageContext['reply'];
  readonly #notification: Notification;
  readonly #run: RunContext;
  readonly #client: NotificationClient | undefined;
  readonly #topics: OwnTopics | undefined;
  #message: NotifiedMessage | undefined;
  #hasRead = false;

  constructor(
    notification: Notification,
    run: RunContext,
    client: NotificationClient | undefined,
    topics: OwnTopics | undefined,
  ) {
    this.attempt = run.attempt;
    this.signal = run.signal;
    this.#notification = notification;
    this.#run = run;
    this.#client = client;
    this.#topics = topics;
    run.readAt = Date.now();
    this.read = (options) => this.#readForeign(options);
    this.reply = (text, options) => this.#reply(text, options);
  }

  get client(): NotificationClient {
    if (this.#client) return this.#client;
    throw new ConfigurationError('A client is needed: pass `clientFor: (user_id) => client` to createInbox');
  }

  /** A 404 ends the run instead of waiting in it: the inbox runs the handler again later, and frees its slot meanwhile. */
  async #read(options?: ReadOptions): Promise<unknown> {
    const notification = this.#notification;
    if (!this.#hasRead) this.#run.readAt = Date.now();
    this.#hasRead = true;
    try {
      const callOptions = { signal: this.signal, notFoundTimeoutMs: 0, ...options };
      const read = await this.#readAnywhere(callOptions);
      // The token of a function is known once it was used.
      assertOwner(this.client, notification.user_id);
      this.#run.wasFound = true;
      if (notification.topic === 'messages') this.#message = read as NotifiedMessage;
      return read;
    } catch (error) {
      if (isNotFound(error)) this.#run.notFound = error;
      throw error;
    }
  }

  /** A message is read by its id, and in the conversation that has shown it if its own path does not. */
  async #readAnywhere(options: ReadOptions): Promise<unknown> {
    const { shownIn, isMissing } = this.#run;
    const byId = (): Promise<unknown> => readResource(this.client, this.#notification, options, this.#topics);
    if (shownIn === undefined) return byId();
    const shown = (): Promise<unknown> => readShown(this.client, this.#notification, shownIn, options);
    if (isMissing) return (await shown()) ?? byId();
    try {
      return await byId();
    } catch (error) {
      const read = isNotFound(error) ? await shown() : undefined;
      if (read === undefined) throw error;
      return read;
    }
  }

  /** The seller's own messages cause notifications too, which are no work. */
  async #readForeign(options?: ReadOptions): Promise<unknown> {
    const read = await this.#read(options);
    this.#run.isOwnMessage = this.#message !== undefined && isOwn(this.#message, this.#notification);
    if (this.#run.isOwnMessage) throw new DropNotificationError("The message is the seller's own");
    return read;
  }

  async #reply(text: string, options?: CallOptions): Promise<SentMessage | undefined> {
    const message = this.#message ?? ((await this.#read()) as NotifiedMessage);
    const { pack_id, from } = message;
    const sender = from?.user_id ?? undefined;
    if (pack_id === undefined || sender === undefined)
      throw new NotificationError('The message names no pack or no sender, so it cannot be answered');
    // A handler that answers its own answers would do so for ever.
    this.#run.isOwnMessage = isOwn(message, this.#notification);
    if (this.#run.isOwnMessage)
      throw new InvalidInputError([{ path: ['from', 'user_id'], message: "the message is the seller's own" }]);
    return this.client.messages?.reply(message, text, { signal: this.signal, ...options });
  }
}

function isOwn({ from }: NotifiedMessage, { user_id }: Notification): boolean {
  return from?.user_id !== undefined && String(from.user_id) === String(user_id);
}
