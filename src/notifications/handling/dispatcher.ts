import { HandlerTimeoutError, NotHandledHereError } from './errors.js';
import type { Clients } from './clients.js';
import { handlerOf } from './handler.js';
import type { AnyHandler } from './handler.js';
import type { InboxEntry } from '../entry.js';
import { isMissing } from './read-notification.js';
import { withWriteHook } from '../../core/recover/write-hook.js';
import { runWithWrites } from '../../work/write-scope.js';
import type { InboxContext } from '../context.js';
import { RunningContext } from './running-context.js';
import type { RunContext } from './running-context.js';
import { TimeLimit } from '../../core/scope/time-limit.js';

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
