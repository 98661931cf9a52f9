import { HandlerTimeoutError, NotConfirmedError, NotHandledHereError } from './errors.js';
import { ConfirmedQuestions } from './confirmed-questions.js';
import { Clients } from './clients.js';
import { handlerOf } from './handler.js';
import type { AnyHandler } from './handler.js';
import { NotFoundBreaker } from './not-found-breaker.js';
import { entryVersion } from '../queued-notification.js';
import type { QueuedNotification } from '../queued-notification.js';
import { isMissing } from './read-notification.js';
import type { NotificationClient } from './read-notification.js';
import { withWriteHook } from '../../core/recover/write-hook.js';
import { runWithWrites } from '../../work/write-scope.js';
import type { Inbox } from '../inbox.js';
import { RunningContext } from './running-context.js';
import type { RunContext } from './running-context.js';
import { TimeLimit } from '../../core/scope/time-limit.js';

/** What is said of a topic that this process has no handler for. */
export const waitForHandler = 'wait for a process that has a handler for it';
const newerVersion =
  'A notification was stored by a newer version of this package: it waits for a process with that version';

/** Calls the handler of a notification. */
export class Dispatcher {
  readonly #options: Inbox['options'];
  readonly #clients: Clients;
  readonly #timeLimit: TimeLimit;
  readonly #breaker: NotFoundBreaker;
  readonly #confirmed = new ConfirmedQuestions();

  constructor(inbox: Inbox) {
    const { options, reporter } = inbox;
    this.#options = options;
    this.#clients = new Clients(inbox);
    this.#timeLimit = new TimeLimit(options.handlerTimeoutMs);
    this.#breaker = new NotFoundBreaker((name) =>
      reporter.warned(`Many notifications of user ${name} are about resources that do not exist: they are read later`),
    );
  }

  /**
   * Runs the handler of an entry.
   *
   * @throws {NotHandledHereError} when another process may be able to handle it.
   * @throws {HandlerTimeoutError} when the handler takes too long; else whatever the handler throws.
   */
  async handle(entry: QueuedNotification, run: RunContext): Promise<unknown> {
    const { notification, version = entryVersion, traceparent } = entry;
    const handler = handlerOf(this.#options, notification);
    if (!handler) throw new NotHandledHereError(`Notifications of the topic ${notification.topic} ${waitForHandler}`);
    if (version > entryVersion) throw new NotHandledHereError(newerVersion);
    const { tracing } = this.#options;
    const { topic } = notification;
    const handle = (): Promise<unknown> => this.#handleInTime(handler, entry, run);
    return tracing?.wrapHandler?.({ topic, attempt: run.attempt, traceparent }, handle) ?? handle();
  }

  #handleInTime(handler: AnyHandler, entry: QueuedNotification, run: RunContext): Promise<unknown> {
    return this.#timeLimit.run(
      () => this.#run(handler, entry, run),
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

  async #run(handler: AnyHandler, entry: QueuedNotification, run: RunContext): Promise<unknown> {
    const { notification } = entry;
    const { topics } = this.#options;
    run.controller.signal.throwIfAborted();
    const found = await this.#clients.of(notification, run);
    const { records } = run;
    const client = found && records ? withWriteHook(found, records) : found;
    const context = (): never => new RunningContext(notification, run, client, topics) as never;
    const call = async (): Promise<unknown> => {
      try {
        return await handler(notification as never, context());
      } catch (error) {
        // However the handler has read it, and whatever it has made of the error.
        if (isMissing(error, notification, run.notFound)) Object.assign(run, { notFound: error, confirmed: false });
        throw error;
      }
    };
    const handle = (): Promise<unknown> => (records ? runWithWrites(records, call) : call());
    if (!client) return handle();
    const name = `${notification.user_id} (${notification.topic})`;
    const state = this.#breaker.state(name);
    try {
      if (state === 'open') await this.#assertConfirmed(client, entry, run);
      // The run may have ended meanwhile, and another one may have begun.
      run.controller.signal.throwIfAborted();
      return await handle();
    } finally {
      this.#breaker.onEnd(name, state, run.notFound !== undefined);
    }
  }

  async #assertConfirmed(
    client: NotificationClient,
    { notification, arrivedAt }: QueuedNotification,
    run: RunContext,
  ): Promise<void> {
    const { user_id, question_id } = notification;
    if (question_id !== undefined && (await this.#confirmed.has(client, user_id, question_id, arrivedAt))) return;
    run.confirmed = false;
    throw new NotConfirmedError('Not read: many notifications of this user are about resources that do not exist');
  }
}
