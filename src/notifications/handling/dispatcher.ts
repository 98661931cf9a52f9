import { ConfigurationError, InvalidInputError, NotificationError } from '../../core/errors/errors.js';
import { insideOf, runWithWrites } from '../../core/recover/write-hook.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { TimeLimit } from '../../core/scope/cancel-scope.js';
import type { SentMessage } from '../../resources/post-sale/message.js';
import type { WriteRecords } from '../../work/writes.js';
import type { InboxContext } from '../context.js';
import {
  DropNotificationError,
  ForeignClientError,
  HandlerTimeoutError,
  NotHandledHereError,
  UnknownSellerError,
} from '../errors.js';
import { LayoutError } from '../../work/store.js';
import type { InboxEntry, Notification } from '../notification.js';
import { handlerOf, type AnyHandler, type MessageContext } from './handler.js';
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

  /** Runs the handler of an entry, and returns what came of it. Never throws. */
  async handle(entry: InboxEntry, run: RunOptions): Promise<HandlerResult> {
    const { notification, traceparent } = entry;
    const reading = new NotificationReading(notification, run, this.#options.topics);
    try {
      const handler = handlerOf(this.#options, notification);
      if (!handler) throw new NotHandledHereError(`Notifications of the topic ${notification.topic} ${waitForHandler}`);
      const { tracing } = this.#options;
      const { topic } = notification;
      const handle = (): Promise<unknown> => this.#handleInTime(handler, reading, run);
      await (tracing?.wrapHandler?.({ topic, attempt: run.attempt, traceparent }, handle) ?? handle());
      return reading.result('handled');
    } catch (error) {
      return reading.result(reading.outcomeOf(error), error);
    }
  }

  #handleInTime(handler: AnyHandler, reading: NotificationReading, run: RunOptions): Promise<unknown> {
    return this.#timeLimit.run(
      () => this.#run(handler, reading, run),
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

  async #run(handler: AnyHandler, reading: NotificationReading, { signal, records }: RunOptions): Promise<unknown> {
    const { notification } = reading;
    signal.throwIfAborted();
    const found = await this.#clients.of(notification);
    // The run may have ended meanwhile, and another one may have begun.
    signal.throwIfAborted();
    return runWithWrites(
      records,
      found,
      async (client) => await handler(notification as never, reading.begin(client) as never),
    );
  }
}

/** What one run of a handler is given. */
interface RunOptions {
  readonly attempt: number;
  /** The handler's: the dispatcher aborts the run when the handler takes too long. */
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** The pack whose conversation has shown the message, and whether its own path stays 404. */
  readonly shownIn: string | undefined;
  readonly isMissing: boolean;
  /** Keeps the writes of the handler. */
  readonly records: WriteRecords;
}

/** What came of one run of a handler. */
export interface HandlerResult {
  /**
   * - `own`: it failed with a message that the seller wrote: whatever it threw, nothing has to be done.
   * - `missing`: it failed with the 404 of the resource, however it has read it, and whatever it has made of the error.
   */
  readonly outcome: 'handled' | 'own' | 'missing' | 'failed';
  /** What it threw. */
  readonly error?: unknown;
  /** When the handler began to read the resource, or began: what arrived before is handled with it. In ms since 1970. */
  readonly readAt: number;
  /** Whether the service has shown the resource to the handler. */
  readonly found: boolean;
}

/** What a handler receives, for every topic. */
type RunningContext = Omit<MessageContext, 'read'> & { readonly read: (options?: ReadOptions) => Promise<unknown> };

/** What one run of a handler reads. */
class NotificationReading {
  readonly notification: Notification;
  readonly #run: RunOptions;
  readonly #topics: OwnTopics | undefined;
  #given: NotificationClient | undefined;
  #message: NotifiedMessage | undefined;
  #readAt = 0;
  #hasRead = false;
  #found = false;
  /** The 404 of the handler's `read()`. */
  #notFound: unknown;

  constructor(notification: Notification, run: RunOptions, topics: OwnTopics | undefined) {
    this.notification = notification;
    this.#run = run;
    this.#topics = topics;
  }

  /** Returns what the handler receives. Its functions can be destructured. */
  begin(client: NotificationClient | undefined): RunningContext {
    this.#readAt = Date.now();
    this.#given = client;
    const { attempt, signal } = this.#run;
    const own = (): NotificationClient => this.#client;
    return {
      attempt,
      signal,
      get client() {
        return own();
      },
      read: (options) => this.#readForeign(options),
      reply: (text, options) => this.#reply(text, options),
    };
  }

  get #client(): NotificationClient {
    if (this.#given) return this.#given;
    throw new ConfigurationError('A client is needed: pass `clientFor: (user_id) => client` to createInbox');
  }

  outcomeOf(error: unknown): HandlerResult['outcome'] {
    if (this.#isOwn) return 'own';
    return isMissing(error, this.notification, this.#notFound) ? 'missing' : 'failed';
  }

  result(outcome: HandlerResult['outcome'], error?: unknown): HandlerResult {
    return { outcome, error, readAt: this.#readAt, found: this.#found };
  }

  /** The seller's own messages cause notifications too, which are no work. */
  get #isOwn(): boolean {
    const sender = this.#message?.from?.user_id;
    return sender !== undefined && String(sender) === String(this.notification.user_id);
  }

  /** A 404 ends the run instead of waiting in it: the inbox runs the handler again later, and frees its slot meanwhile. */
  async #read(options?: ReadOptions): Promise<unknown> {
    const { topic, user_id } = this.notification;
    if (!this.#hasRead) this.#readAt = Date.now();
    this.#hasRead = true;
    try {
      const read = await this.#readAnywhere({ signal: this.#run.signal, notFoundTimeoutMs: 0, ...options });
      // The token of a function is known once it was used.
      assertOwner(this.#client, user_id);
      this.#found = true;
      if (topic === 'messages') this.#message = read as NotifiedMessage;
      return read;
    } catch (error) {
      if (isNotFound(error)) this.#notFound = error;
      throw error;
    }
  }

  /** A message is read by its id, and in the conversation that has shown it if its own path does not. */
  async #readAnywhere(options: ReadOptions): Promise<unknown> {
    const { notification } = this;
    const { shownIn, isMissing: isOwnPathMissing } = this.#run;
    const byId = (): Promise<unknown> => readResource(this.#client, notification, options, this.#topics);
    if (shownIn === undefined) return byId();
    const shown = (): Promise<unknown> => readShown(this.#client, notification, shownIn, options);
    if (isOwnPathMissing) return (await shown()) ?? byId();
    try {
      return await byId();
    } catch (error) {
      const read = isNotFound(error) ? await shown() : undefined;
      if (read === undefined) throw error;
      return read;
    }
  }

  async #readForeign(options?: ReadOptions): Promise<unknown> {
    const read = await this.#read(options);
    if (this.#isOwn) throw new DropNotificationError("The message is the seller's own");
    return read;
  }

  async #reply(text: string, options?: CallOptions): Promise<SentMessage | undefined> {
    const message = this.#message ?? ((await this.#read()) as NotifiedMessage);
    const { pack_id, from } = message;
    if (pack_id === undefined || (from?.user_id ?? undefined) === undefined)
      throw new NotificationError('The message names no pack or no sender, so it cannot be answered');
    // A handler that answers its own answers would do so for ever.
    if (this.#isOwn)
      throw new InvalidInputError([{ path: ['from', 'user_id'], message: "the message is the seller's own" }]);
    return this.#client.messages?.reply(message, text, { signal: this.#run.signal, ...options });
  }
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
    await this.#context.service?.see(client, user_id).catch((error: unknown) => {
      // It waits for those whose store it is.
      throw error instanceof LayoutError ? new NotHandledHereError(error.message) : error;
    });
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
    `clientFor returned for user ${user_id} a client whose token is of user ${insideOf(client)?.user}: return undefined for users who are not yours`,
  );
}

/** Whether the token of a client is known to be another user's. */
export function isForeign(client: object, user_id: number): boolean {
  const owner = insideOf(client)?.user;
  return owner !== undefined && owner !== String(user_id);
}
