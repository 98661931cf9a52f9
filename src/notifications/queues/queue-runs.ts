import { checkConfiguration, integerFrom, withMethod } from '../../core/options/rules.js';
import type { Attempts, HandlingAttempt } from '../handling/attempts.js';
import type { WriteRecord } from '../../core/recover/write-hook.js';
import { closingError } from '../handling/errors.js';
import type { LastFailure, Outcome } from '../handling/outcome.js';
import type { Inbox } from '../inbox.js';
import type { QueuedNotification } from '../queued-notification.js';
import { abortGraceMs, endsWithin } from '../../work/ends-within.js';
import { Waits, ended } from '../timing/waits.js';
import { ResourceLocks } from './resource-locks.js';
import { SuspectRuns } from './suspect-runs.js';

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
  /**
   * The writes of earlier runs, as `note` got them.
   *
   * @default none
   */
  readonly writes?: readonly WriteRecord[] | undefined;
  /**
   * Keeps the writes of the handler with the job, before each is sent. Resolves to `false` if another worker has the job now: then
   * nothing is sent.
   *
   * @default undefined: a write whose response is lost is not tried again
   */
  readonly note?: ((writes: readonly WriteRecord[]) => Promise<boolean>) | undefined;
  /**
   * How often the job was given to another run because its worker no longer kept it. From 2 on it runs alone in its process, if
   * the queue has a `ledger`; it is given up when the process ends five times in a row meanwhile.
   *
   * @default 0
   */
  readonly stalledCount?: number | undefined;
  /**
   * After how many of these the queue fails the job itself. Below 1,000, the log says once that jobs which are not to blame will be
   * given up.
   *
   * @default undefined: never
   */
  readonly maxStalledCount?: number | undefined;
}

/** A queue that fails jobs after fewer stalls fails what is not to blame: kills and lost locks count over the life of a job. */
const leastStalls = 1_000;

const rules = {
  attempt: integerFrom(1),
  signal: withMethod('addEventListener'),
  lastFailure: withMethod('valueOf'),
  writes: withMethod('map'),
  note: withMethod('call'),
  stalledCount: integerFrom(0),
  maxStalledCount: integerFrom(0),
};

/** Runs the handlers of entries that a queue has stored. The queue carries out what follows. */
export class QueueRuns {
  readonly #attempts: Attempts;
  readonly #inbox: Inbox;
  readonly #locks: ResourceLocks;
  readonly #suspects: SuspectRuns;
  readonly #running = new Map<AbortController, Promise<Outcome>>();
  readonly #waits = new Waits();
  #hasWarned = false;

  constructor(inbox: Inbox, attempts: Attempts) {
    this.#inbox = inbox;
    this.#attempts = attempts;
    this.#locks = new ResourceLocks(inbox);
    this.#suspects = new SuspectRuns(inbox);
  }

  /** Runs the handler of an entry, and returns what follows. */
  async run(entry: QueuedNotification, options: HandleOptions, maxAttempts?: number): Promise<Outcome> {
    checkConfiguration('handle', options, rules);
    const { attempt = 1, signal, stalledCount = 0, maxStalledCount, note, ...kept } = options;
    this.#warnOfLow(maxStalledCount);
    if (this.#inbox.stage !== 'open') return closing();
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    let { writes = [] } = kept;
    const holdAndNote = async (noted: readonly WriteRecord[]): Promise<boolean> => {
      writes = noted;
      return note !== undefined && (await this.#locks.hold(entry)) && note(noted);
    };
    const context = { coalescedCount: 0, controller, maxAttempts, ...kept, note: note && holdAndNote };
    const counted = (endings: number): Promise<Outcome> =>
      this.#run(entry, { ...context, attempt: attempt + endings, stalledCount: endings });
    const alone = (): Promise<Outcome> => this.#suspects.run(entry, stalledCount, counted);
    const run = this.#waits.until(this.#locks.run(entry, alone, () => writes.length > 0)).then((outcome) => (outcome === ended ? closing() : outcome)); // prettier-ignore
    this.#running.set(controller, run);
    try {
      return await run;
    } finally {
      this.#running.delete(controller);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #warnOfLow(maxStalledCount = Infinity): void {
    if (maxStalledCount >= leastStalls || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#inbox.reporter.warned(
      `The \`maxStalledCount\` of the queue's worker is ${maxStalledCount}: after more kills and lost locks than that, the queue fails a job, also one that is not to blame. Set it to 1,000,000`,
    );
  }

  async #run(entry: QueuedNotification, context: HandlingAttempt): Promise<Outcome> {
    // It may have waited until after `close()`.
    if (this.#inbox.stage === 'aborting' || this.#inbox.stage === 'closed') return closing();
    const outcome = await this.#attempts.run(entry, context);
    const { kept = [], note } = context;
    if (kept.length === 0 || outcome.kind === 'done' || outcome.kind === 'dropped') return outcome;
    try {
      await note?.(kept);
    } catch (error) {
      // The next run reads back what was noted before.
      this.#inbox.reporter.failed('How the writes of a handler have ended was not kept', error);
    }
    return outcome;
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
