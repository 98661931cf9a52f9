import { ConfigurationError, InvalidInputError, NotificationError } from '../../core/errors/errors.js';
import { userOfClient, withWriteHook } from '../../core/recover/write-hook.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { TimeLimit } from '../../core/scope/cancel-scope.js';
import type { SentMessage } from '../../resources/post-sale/message.js';
import { runWithWrites } from '../../work/writes.js';
import type { WriteRecords } from '../../work/writes.js';
import type { InboxContext } from '../context.js';
import {
  DropNotificationError,
  ForeignClientError,
  HandlerTimeoutError,
  NotHandledHereError,
  UnknownSellerError,
} from '../errors.js';
import type { InboxEntry, Notification } from '../notification.js';
import { handlerOf } from './handler.js';
import type { AnyHandler, MessageContext } from './handler.js';
import { isMissing, isNotFound, readResource, readShown } from './read-notification.js';
import type { NotificationClient, NotifiedMessage, OwnTopics, ReadOptions } from './read-notification.js';

/** What is said of a topic that this process has no handler for. */
export const waitForHandler = 'wait for a process that has a handler for it';

/** Calls the handler of a notification. */
export class Dispatcher {
  readonly #options: InboxContext['options'];
  readonly #clients: Clients;
  readonly #timeLimit: TimeLimit;

  constructor(context: InboxContext, clients: Clients) {
    this.#options = context.options;
    this.#clients = clients;
    this.#timeLimit = new TimeLimit(context.options.handlerTimeoutMs);
  }

  /**
   * Runs the handler of an entry.
   *
   * @throws {NotHandledHereError} when another process may be able to handle it.
   * @throws {HandlerTimeoutError} when the handler takes too long; else whatever the handler throws.
   */
  async handle(entry: InboxEntry, run: RunContext): Promise<unknown> {
    const { notification, traceparent } = entry;
    const handler = handlerOf(this.#options, notification);
    if (!handler) throw new NotHandledHereError(`Notifications of the topic ${notification.topic} ${waitForHandler}`);
    const { tracing } = this.#options;
    const { topic } = notification;
    const handle = (): Promise<unknown> => this.#handleInTime(handler, entry, run);
    return tracing?.wrapHandler?.({ topic, attempt: run.attempt, traceparent }, handle) ?? handle();
  }

  #handleInTime(handler: AnyHandler, entry: InboxEntry, run: RunContext): Promise<unknown> {
    return this.#timeLimit.run(
      () => this.#run(handler, entry, run),
      () => {
        const error = new HandlerTimeoutError(`The handler did not end within ${this.#options.handlerTimeoutMs} ms`);
        run.abort(error);
        return error;
      },
    );
  }

  /** Called after the signals of the handlers were aborted: their time limit has no use any more. */
  close(): void {
    this.#timeLimit.stop();
  }

  async #run(handler: AnyHandler, entry: InboxEntry, run: RunContext): Promise<unknown> {
    const { notification } = entry;
    const { topics } = this.#options;
    run.signal.throwIfAborted();
    const found = await this.#clients.of(notification);
    const { records } = run;
    const client = found && records ? withWriteHook(found, records) : found;
    const context = (): never => new RunningContext(notification, run, client, topics) as never;
    const call = async (): Promise<unknown> => {
      try {
        return await handler(notification as never, context());
      } catch (error) {
        // However the handler has read it, and whatever it has made of the error.
        if (isMissing(error, notification, run.notFound)) run.notFound = error;
        throw error;
      }
    };
    // The run may have ended meanwhile, and another one may have begun.
    run.signal.throwIfAborted();
    return records ? runWithWrites(records, call) : call();
  }
}

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
class RunningContext implements Omit<MessageContext, 'read'> {
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

/** The clients of the users whom notifications are for. */
export class Clients {
  readonly #context: InboxContext;
  /** For whom each client was returned first. */
  readonly #users = new WeakMap<object, number>();
  #hasWarned = false;

  constructor(context: InboxContext) {
    this.#context = context;
  }

  /**
   * Returns the client of a user; `undefined` without the option `clientFor`.
   *
   * @throws {UnknownSellerError} when the user is not ours.
   * @throws {ForeignClientError} when the client is known to be another user's.
   */
  async of({ user_id }: Pick<Notification, 'user_id'>): Promise<NotificationClient | undefined> {
    const { clientFor } = this.#context.options;
    if (!clientFor) return undefined;
    const client = await clientFor(user_id);
    if (!client) throw new UnknownSellerError('clientFor returned no client: the user is not ours');
    assertOwner(client, user_id);
    const first = this.#users.get(client) ?? user_id;
    this.#users.set(client, first);
    if (first !== user_id) this.#warn(first, user_id);
    return client;
  }

  #warn(first: number, second: number): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#context.reporter.warned(
      `clientFor returned one client for the users ${first} and ${second}: return undefined for those whose client it is not`,
    );
  }
}

/** @throws {ForeignClientError} when the token of a client, as far as it is known, is another user's. */
export function assertOwner(client: object, user_id: number): void {
  if (!isForeign(client, user_id)) return;
  throw new ForeignClientError(
    `clientFor returned for user ${user_id} a client whose token is of user ${userOfClient(client)}: return undefined for users who are not yours`,
  );
}

/** Whether the token of a client is known to be another user's. */
export function isForeign(client: object, user_id: number): boolean {
  const owner = userOfClient(client);
  return owner !== undefined && owner !== String(user_id);
}
