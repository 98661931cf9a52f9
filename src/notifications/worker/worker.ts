import type { Attempts } from '../handling/attempts.js';
import { closingError } from '../handling/errors.js';
import type { Inbox } from '../inbox.js';
import type { QueuedNotification } from '../queued-notification.js';
import { stored } from '../stores/store.js';
import type { EntryState } from '../stores/store.js';
import { abortGraceMs, endsWithin } from '../../work/ends-within.js';
import { PollLoop } from '../../work/poll-loop.js';
import { Claims } from './claims.js';
import type { RunResult } from './group-requests.js';
import { IdleWaits } from './idle-waits.js';
import { Runs } from './runs.js';

/** How often a process without handlers asks its store what it has to report, in milliseconds. */
const reportEveryMs = 10_000;

/**
 * Claims from the store what is due, again and again until nothing is, and runs the handlers: one per group, and at most
 * `concurrency`.
 */
export class Worker {
  readonly #inbox: Inbox;
  readonly #loop: PollLoop;
  readonly #runs: Runs;
  readonly #claims: Claims;
  readonly #idle = new IdleWaits();
  #isStarted = false;
  #reportsAt = 0;

  constructor(inbox: Inbox, attempts: Attempts) {
    this.#inbox = inbox;
    this.#loop = new PollLoop({
      store: inbox.store,
      pollMs: inbox.options.pollMs,
      isOpen: () => this.#isStarted && inbox.routes.length > 0 && inbox.stage === 'open',
      poll: () => this.#claims.poll(),
      onError: (error) => {
        inbox.reporter.failed('The store of notifications failed to give out entries', error);
        this.#claims.requests.rejectAll(error);
      },
    });
    const environment = { inbox, attempts, claimed: () => this.#loop.ended };
    this.#runs = new Runs(environment, {
      onStart: (groupId) => this.#claims.started(groupId),
      onFree: () => this.wake(),
    });
    this.#claims = new Claims(inbox, this.#runs, this.#loop, () => this.#idle.end());
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Handles what is in the store from now on, and polls it now. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Polls the store now, if this worker was started and has handlers. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stores an entry, and returns its state. */
  async add(entry: QueuedNotification): Promise<EntryState> {
    this.#isStarted = true;
    const state = await stored(this.#inbox.store, entry);
    if (this.#inbox.routes.length === 0) await this.#report();
    this.wake();
    return state;
  }

  /** A process without handlers claims nothing, but says what its store has deleted. */
  async #report(): Promise<void> {
    const now = performance.now();
    if (now < this.#reportsAt) return;
    this.#reportsAt = now + reportEveryMs;
    await this.#claims.claim({ limit: 0 }).catch(() => undefined);
  }

  /** Handles one entry now, after the entries before it in its group. Resolves to whether it was handled. */
  async processNow(entry: QueuedNotification): Promise<boolean> {
    const { groupId, key } = entry;
    this.#isStarted = true;
    while (this.#inbox.stage === 'open') {
      const result = await this.#nextResult(groupId);
      if (result && (result.keys.includes(key) || !result.handled)) return result.handled;
      if (result) continue;
      // Another worker has the group, or has just handled the entry.
      if ((await this.#inbox.store.add(entry)) === 'processed') return true;
      await new Promise((resolve) => setTimeout(resolve, this.#inbox.options.pollMs));
    }
    return false;
  }

  #nextResult(groupId: string): Promise<RunResult | undefined> {
    const running = this.#runs.resultOf(groupId);
    if (running) return running;
    const result = this.#claims.requests.add(groupId);
    this.wake();
    return result;
  }

  /** Resolves once the store has no waiting entry and no handler is running here. Keeps the process alive meanwhile. */
  async idle(): Promise<void> {
    if (this.#inbox.stage !== 'open' || this.#inbox.routes.length === 0) return;
    const ended = this.#idle.add();
    this.start();
    await ended;
  }

  /** Claims nothing more, waits for the running handlers, then aborts their signals. */
  async close(graceMs: number): Promise<void> {
    this.#loop.stop();
    this.#claims.requests.resolveAll();
    if (!(await endsWithin(graceMs, this.#ended()))) {
      this.#inbox.stage = 'aborting';
      this.#runs.abort(closingError());
      if (!(await endsWithin(abortGraceMs, this.#ended()))) await endsWithin(abortGraceMs, this.#runs.release());
    }
    this.#runs.renewal.stop();
    this.#idle.end();
  }

  /** Resolves once the store gives out nothing more and no handler is running. */
  async #ended(): Promise<void> {
    await this.#loop.ended;
    await this.#runs.ended();
  }
}
