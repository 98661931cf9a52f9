import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import type { Dispatcher } from '../handling/dispatcher.js';
import type { Inbox } from '../inbox.js';
import { GroupRequests } from './group-requests.js';
import { Poller } from './poller.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { RunResult } from './run.js';
import { Runner } from './runner.js';
import { Runs } from './runs.js';
import { stored } from '../stores/store.js';
import type { EntryState } from '../stores/store.js';
import { abortGraceMs, endsWithin } from '../timing/ends-within.js';

/** Leases entries from the store, and runs their handlers. */
export class Worker {
  readonly #inbox: Inbox;
  readonly #runs: Runs;
  readonly #requests = new GroupRequests();
  readonly #poller: Poller;
  readonly #idle: (() => void)[] = [];
  #isStarted = false;
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  constructor(inbox: Inbox, dispatcher: Dispatcher) {
    this.#inbox = inbox;
    const runner = new Runner(inbox, dispatcher, () => this.#poller.polling);
    this.#runs = new Runs(inbox, runner, () => this.wake());
    this.#poller = new Poller(inbox, this.#runs, this.#requests, () => this.#resolveIdle());
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
    if (this.#isStarted && this.#inbox.routes.length > 0) this.#poller.wake();
  }

  /** Stores an entry, and returns its state. */
  async add(entry: QueuedNotification): Promise<EntryState> {
    this.#isStarted = true;
    const state = await stored(this.#inbox.store, entry);
    this.wake();
    return state;
  }

  /** Resolves once the store has no waiting entry and no handler is running here. Keeps the process alive meanwhile. */
  async idle(): Promise<void> {
    if (this.#inbox.stage !== 'open' || this.#inbox.routes.length === 0) return;
    this.#isStarted = true;
    this.#keepAlive ??= setInterval(() => undefined, longestTimerMs);
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      this.wake();
    });
  }

  #resolveIdle(): void {
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Claims nothing more, waits for the running handlers, then aborts their signals. */
  async close(graceMs: number): Promise<void> {
    this.#poller.stop();
    this.#requests.resolveAll();
    if (!(await endsWithin(graceMs, this.#ended()))) {
      this.#inbox.stage = 'aborting';
      this.#runs.abort();
      if (!(await endsWithin(abortGraceMs, this.#ended()))) await endsWithin(abortGraceMs, this.#runs.release());
    }
    this.#runs.renewal.stop();
    this.#resolveIdle();
  }

  /** Resolves once the store gives out nothing more and no handler is running. */
  async #ended(): Promise<void> {
    await this.#poller.polling;
    await this.#runs.ended();
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
    const running = this.#runs.get(groupId);
    if (running) return running.result;
    const result = this.#requests.add(groupId);
    this.wake();
    return result;
  }
}
