import { checkConfiguration, integerFrom, withMethod } from '../../core/options/rules.js';
import type { Dispatcher } from '../handling/dispatcher.js';
import type { RunContext } from '../handling/running-context.js';
import { UnrecoverableError, closingError, describeFailure } from '../handling/errors.js';
import { FailurePolicy } from '../handling/failure-policy.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { Inbox } from '../inbox.js';
import { abortGraceMs, endsWithin } from '../timing/ends-within.js';
import { Waits, ended } from '../timing/waits.js';

/** How a queue's worker calls `receiver.handle`. */
export interface HandleOptions {
  /**
   * 1 for the first attempt, and one more after each failure.
   *
   * @default 1
   */
  readonly attempt?: number | undefined;
  /**
   * Aborts the signal of the handler.
   *
   * @default undefined: only the time limit and `close()` do
   */
  readonly signal?: AbortSignal | undefined;
}

/** Runs the handlers of entries that a queue has stored. The queue decides when one is retried. */
export class QueueRuns {
  readonly #dispatcher: Dispatcher;
  readonly #inbox: Inbox;
  readonly #policy: FailurePolicy;
  readonly #running = new Map<AbortController, Promise<void>>();
  readonly #waits = new Waits();

  constructor(inbox: Inbox, dispatcher: Dispatcher) {
    this.#inbox = inbox;
    this.#dispatcher = dispatcher;
    this.#policy = new FailurePolicy({ ...inbox.options.retry, attempts: Infinity });
  }

  /** @throws whatever the handler throws; an `UnrecoverableError` when it should not be retried. */
  async handle(entry: QueuedNotification, options: HandleOptions): Promise<void> {
    checkConfiguration('handle', options, { attempt: integerFrom(1), signal: withMethod('addEventListener') });
    const { attempt = 1, signal } = options;
    if (this.#inbox.stage !== 'open') throw closingError();
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    const run = this.#run(entry, attempt, controller);
    this.#running.set(controller, run);
    try {
      await run;
    } finally {
      this.#running.delete(controller);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async #run(entry: QueuedNotification, attempt: number, controller: AbortController): Promise<void> {
    const run: RunContext = { attempt, coalescedCount: 0, controller };
    const startedAt = performance.now();
    try {
      const handled = this.#dispatcher.handle(entry, run);
      if ((await this.#waits.until(handled)) === ended) throw closingError();
      this.#policy.forget(entry.key);
      this.#inbox.reporter.handled({ entry, attempt, durationMs: performance.now() - startedAt });
    } catch (error) {
      const { notFound } = run;
      const { kind } = this.#policy.consequenceOf(error, { key: entry.key, failures: attempt, notFound });
      if (kind === 'drop') return;
      if (kind === 'retry' || error instanceof UnrecoverableError) throw error;
      throw new UnrecoverableError(describeFailure(error), { cause: error });
    }
  }

  /** Waits for the running handlers, then aborts their signals, and waits no longer for them. */
  async close(graceMs: number): Promise<void> {
    if (await endsWithin(graceMs, this.#ended())) return;
    for (const controller of this.#running.keys()) controller.abort(closingError());
    if (!(await endsWithin(abortGraceMs, this.#ended()))) this.#waits.end();
  }

  async #ended(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }
}
