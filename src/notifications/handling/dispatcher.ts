import { ConfigurationError } from '../../core/errors/errors.js';
import { NotFoundError } from '../../core/errors/status-errors.js';
import { DropNotificationError, HandlerTimeoutError } from './errors.js';
import type { Handler, HandlerContext } from './handler.js';
import type { Notification } from '../notification.js';
import type { QueuedNotification } from '../queued-notification.js';
import { readNotification } from './read-notification.js';
import type { QuestionsClient, ReadOptions } from './read-notification.js';
import type { ResolvedReceiverOptions } from '../resolve-options.js';
import { TimeLimit } from '../timing/time-limit.js';

/** The context of one run of a handler. */
export interface RunContext {
  readonly attempt: number;
  readonly coalescedCount: number;
  /** Its signal is the handler's; the dispatcher aborts it when the handler takes too long. */
  readonly controller: AbortController;
}

type DispatcherOptions = Pick<ResolvedReceiverOptions, 'on' | 'fallback' | 'clientFor' | 'handlerTimeoutMs'>;

const notFoundReads = new WeakSet<object>();

/** Whether this is the 404 of a handler's `read()`. */
export function isNotFoundRead(error: unknown): boolean {
  return typeof error === 'object' && error !== null && notFoundReads.has(error);
}

/** Calls the handler of a notification. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #timeLimit: TimeLimit;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#timeLimit = new TimeLimit(options.handlerTimeoutMs);
  }

  /** Whether a handler was given for this notification. */
  hasHandlerFor(notification: Notification): boolean {
    return this.#handlerFor(notification) !== undefined;
  }

  #handlerFor({ known, topic }: Notification): Handler<never, never> | undefined {
    const { on, fallback } = this.#options;
    return known ? on?.[topic as 'questions'] : fallback;
  }

  /**
   * Runs the handler of an entry.
   *
   * @throws {HandlerTimeoutError} when the handler takes too long; else whatever the handler throws.
   */
  handle({ notification }: QueuedNotification, run: RunContext): Promise<unknown> {
    const handler = this.#handlerFor(notification);
    if (!handler) return Promise.resolve();
    return this.#timeLimit.run(
      () => this.#run(handler, notification, run),
      () => {
        const error = new HandlerTimeoutError(`The handler did not end within ${this.#options.handlerTimeoutMs} ms`);
        run.controller.abort(error);
        return error;
      },
    );
  }

  /** Called after the signals of the handlers were aborted: their time limit has no use any more. */
  close(): void {
    this.#timeLimit.stop();
  }

  #run(handler: Handler<never, never>, notification: Notification, run: RunContext): unknown {
    run.controller.signal.throwIfAborted();
    if (this.#options.clientFor) return this.#runFor(this.#options.clientFor, handler, notification, run);
    return handler(notification as never, new RunningContext(notification, run, undefined) as never);
  }

  async #runFor(
    clientFor: NonNullable<DispatcherOptions['clientFor']>,
    handler: Handler<never, never>,
    notification: Notification,
    run: RunContext,
  ): Promise<void> {
    const client = await clientFor(notification.user_id);
    if (!client) throw new DropNotificationError('clientFor returned no client: the user is not ours');
    // The run may have ended meanwhile, and another one may have begun.
    run.controller.signal.throwIfAborted();
    await handler(notification as never, new RunningContext(notification, run, client) as never);
  }
}

/** What a handler receives. Its `read` can be destructured. */
class RunningContext implements HandlerContext {
  readonly attempt: number;
  readonly coalescedCount: number;
  readonly signal: AbortSignal;
  readonly read: (options?: ReadOptions) => Promise<unknown>;
  readonly #client: QuestionsClient | undefined;

  constructor(notification: Notification, run: RunContext, client: QuestionsClient | undefined) {
    this.attempt = run.attempt;
    this.coalescedCount = run.coalescedCount;
    this.signal = run.controller.signal;
    this.#client = client;
    this.read = (options) => this.#read(notification, options);
  }

  get client(): QuestionsClient {
    if (this.#client) return this.#client;
    throw new ConfigurationError('A client is needed: pass `clientFor: (user_id) => client` to createReceiver');
  }

  /** A 404 ends the run instead of waiting in it: the receiver runs the handler again later, and frees its slot meanwhile. */
  async #read(notification: Notification, options?: ReadOptions): Promise<unknown> {
    try {
      return await readNotification(this.client, notification, {
        signal: this.signal,
        notFoundTimeoutMs: 0,
        ...options,
      });
    } catch (error) {
      if (error instanceof NotFoundError) notFoundReads.add(error);
      throw error;
    }
  }
}
