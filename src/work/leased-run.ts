import { exponentialDelay } from './backoff.js';
import { endsWithin } from './ends-within.js';
import { isOfClosing } from './failures.js';
import { describeFailure } from './log.js';
import { EndsProcessError, isUnnoted, mostStalls } from './policy.js';
import type { Lease, Store, Verdict } from './store.js';
import { released } from './task.js';
import type { Run, RunNotes, Task } from './task.js';
import type { WorkerOptions } from './works.js';

/** How long the user may take to be told what has become of an entry, in milliseconds. */
const tellMs = 300_000;

/** When an entry runs again that needed a part that is closed, in milliseconds. */
const closedAgainMs = 5_000;

const storeBackoff = { baseMs: 200, capMs: 5_000 };

/** The run of one lease: from its start until its result is stored. */
export class LeasedRun implements Run {
  readonly lease: Lease;
  notes: RunNotes;
  /** Resolves once the result is stored. */
  ended: Promise<void> = Promise.resolve();
  readonly #store: Pick<Store, 'note' | 'settle'>;
  readonly #options: WorkerOptions;
  readonly #controller = new AbortController();
  /** What the store has. */
  #noted: RunNotes;
  /** Another run has the entry now: what comes of this one is ignored. */
  #isLost = false;

  constructor(lease: Lease, store: Pick<Store, 'note' | 'settle'>, options: WorkerOptions) {
    this.lease = lease;
    this.notes = lease.notes;
    this.#noted = this.notes;
    this.#store = store;
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  lose(): void {
    this.#isLost = true;
    this.abort(new Error('Another process has taken over'));
  }

  async note(notes: RunNotes): Promise<boolean> {
    if (this.#isLost || !(await this.#store.note(this.lease, notes))) return false;
    this.notes = notes;
    this.#noted = notes;
    return true;
  }

  /** Runs the task, tells what has become of it, and stores that. Never rejects. */
  async finish(isAborting: () => boolean): Promise<void> {
    const { taskOf, log, name } = this.#options;
    try {
      const task = taskOf(this.lease, this);
      const { verdict, error } = await this.#verdictOf(task, isAborting);
      if (this.#isLost || (task.isObserved(verdict) && !(await this.#noteReached()))) return;
      await endsWithin(tellMs, Promise.resolve(task.tell(verdict, error)));
      const isStored = await this.#persist(() => this.#store.settle(this.lease, { notes: this.notes, ...verdict }));
      if (isStored === false)
        void log.write('error', `An entry of the ${name} took longer than its lease, so its result was ignored`);
    } catch (error) {
      void log.write('error', `The store of the ${name} gave out an entry that cannot be handled`, error);
    }
  }

  async #verdictOf(task: Task, isAborting: () => boolean): Promise<{ verdict: Verdict; error?: unknown }> {
    try {
      const { stalls } = this.lease;
      if (stalls >= mostStalls)
        throw new EndsProcessError(`The process ended each of the ${stalls} times that this was handled`);
      return { verdict: await task.run() };
    } catch (error) {
      if (isUnnoted(error, this.notes)) return { verdict: task.failed(error), error };
      if (isAborting()) return { verdict: released };
      if (isOfClosing(error)) return { verdict: this.#closedBefore(error) };
      return { verdict: task.failed(error), error };
    }
  }

  /** The process is ending, as it seems: the next one goes on. What runs in the meantime must not be tried in vain, again and again. */
  #closedBefore(error: unknown): Verdict {
    const { log, name } = this.#options;
    void log.write(
      'warn',
      `An entry of the ${name} waits for the next process: another part of this one was closed first`,
      error,
    );
    return { ...released, inMs: closedAgainMs, failure: describeFailure(error) };
  }

  /**
   * A process that is killed while it tells is followed by one that comes to the same verdict: what was reached is stored, and not yet
   * what the verdict makes of it. Returns whether the lease is kept.
   */
  async #noteReached(): Promise<boolean> {
    const { notes } = this;
    return notes === this.#noted || (await this.#persist(() => this.note(notes))) === true;
  }

  /**
   * Stores something, and tries again for as long as the lease is kept: a store that is away does not cause a second run.
   *
   * @returns whether the lease was still valid; `undefined` when it could not be stored.
   */
  async #persist(store: () => Promise<boolean>): Promise<boolean | undefined> {
    for (let attempt = 1; !this.#isLost; attempt += 1) {
      try {
        return await store();
      } catch (error) {
        void this.#options.log.write('error', `A result of the ${this.#options.name} was not stored`, error);
        await new Promise((resolve) => setTimeout(resolve, exponentialDelay(attempt, storeBackoff)));
      }
    }
    return undefined;
  }
}
