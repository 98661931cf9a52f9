import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import type { Dispatcher } from '../handling/dispatcher.js';
import type { Inbox } from '../inbox.js';
import { GroupRequests } from './group-requests.js';
import { Poller } from './poller.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { RunResult } from './run.js';
import { Runner } from './runner.js';
import { Runs } from './runs.js';
import { abortGraceMs, endsWithin } from '../timing/time-limit.js';

/** Leases entries from the store, and runs their handlers. */
export class Worker {
  readonly #inbox: Inbox;
  readonly #runner: Runner;
  readonly #runs: Runs;
  readonly #requests = new GroupRequests();
  readonly #poller: Poller;
  readonly #idle: (() => void)[] = [];
  #isStarted = false;
  #isClosed = false;
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  constructor(inbox: Inbox, dispatcher: Dispatcher) {
    this.#inbox = inbox;
    this.#runner = new Runner(inbox, dispatcher, () => this.#poller.polling);
    this.#runs = new Runs(inbox, this.#runner, () => this.wake());
    const onEmpty = (): void => this.#resolveIdle();
    this.#poller = new Poller(inbox, this.#runs, this.#requests, onEmpty);
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
    if (this.#isStarted && this.#inbox.claimant.routes.length > 0) this.#poller.wake();
  }

  /** Stores an entry, and returns its state. */
  async add(entry: QueuedNotification): Promise<unknown> {
    this.#isStarted = true;
    const state: unknown = await this.#inbox.store.add(entry);
    this.wake();
    return state;
  }

  /** Resolves once the store has no waiting entry and no handler is running here. Keeps the process alive meanwhile. */
  async idle(): Promise<void> {
    if (this.#isClosed || this.#inbox.claimant.routes.length === 0) return;
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
    this.#isClosed = true;
    this.#poller.close();
    this.#runner.close();
    this.#runs.close();
    this.#requests.resolveAll();
    if (!(await endsWithin(graceMs, this.#ended()))) {
      this.#runs.abort();
      if (!(await endsWithin(abortGraceMs, this.#ended()))) await endsWithin(abortGraceMs, this.#runs.release());
    }
    this.#runs.renewal.stop();
    this.#resolveIdle();
  }

  /** The store is being closed: what still runs cannot be stored any more. */
  closeStore(): void {
    this.#runner.closeStore();
  }

  /** Resolves once the store gives out nothing more and no handler is running. */
  async #ended(): Promise<void> {
    await this.#poller.polling;
    await this.#runs.ended();
  }

  /** Handles one entry now, after the entries before it in its group. Resolves to whether it was handled. */
  async processNow({ groupId, key }: QueuedNotification, isProcessed: () => Promise<boolean>): Promise<boolean> {
    this.#isStarted = true;
    while (!this.#isClosed) {
      const result = await this.#nextResult(groupId);
      if (result && (result.keys.includes(key) || !result.handled)) return result.handled;
      if (result) continue;
      // Another worker has the group, or has just handled the entry.
      if (await isProcessed()) return true;
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
