import { checkConfiguration, integerFrom, withMethod } from '../../core/options/rules.js';
import type { Attempts } from '../handling/attempts.js';
import { closingError } from '../handling/errors.js';
import type { LastFailure, Outcome } from '../handling/outcome.js';
import type { Inbox } from '../inbox.js';
import type { QueuedNotification } from '../queued-notification.js';
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
  /**
   * The error of the attempt before, as `bullmqProcessor` keeps it: a permanent error is tried twice, also by two machines.
   *
   * @default what this process knows of it
   */
  readonly lastFailure?: LastFailure | undefined;
}

/** Runs the handlers of entries that a queue has stored. The queue carries out what follows. */
export class QueueRuns {
  readonly #attempts: Attempts;
  readonly #inbox: Inbox;
  readonly #running = new Map<AbortController, Promise<Outcome>>();
  readonly #waits = new Waits();

  constructor(inbox: Inbox, attempts: Attempts) {
    this.#inbox = inbox;
    this.#attempts = attempts;
  }

  /** Runs the handler of an entry, and returns what follows. */
  async run(entry: QueuedNotification, options: HandleOptions, maxAttempts?: number): Promise<Outcome> {
    const rules = {
      attempt: integerFrom(1),
      signal: withMethod('addEventListener'),
      lastFailure: withMethod('valueOf'),
    };
    checkConfiguration('handle', options, rules);
    const { attempt = 1, signal, lastFailure } = options;
    if (this.#inbox.stage !== 'open') return closing();
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    const context = { attempt, stalledCount: 0, coalescedCount: 0, controller, lastFailure, maxAttempts };
    const run = this.#waits.until(this.#attempts.run(entry, context)).then((outcome) => (outcome === ended ? closing() : outcome)); // prettier-ignore
    this.#running.set(controller, run);
    try {
      return await run;
    } finally {
      this.#running.delete(controller);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Waits for the running handlers, then aborts their signals, and waits no longer for them. */
  async close(graceMs: number): Promise<void> {
    if (await endsWithin(graceMs, this.#ended())) return;
    this.#inbox.stage = 'aborting';
    for (const controller of this.#running.keys()) controller.abort(closingError());
    if (!(await endsWithin(abortGraceMs, this.#ended()))) this.#waits.end();
  }

  async #ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}

/** The receiver is closing: another process handles the entry, with the same attempt. */
function closing(): Outcome {
  return { kind: 'release', inMs: 0, error: closingError() };
}
