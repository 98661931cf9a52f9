import { longestTimerMs } from '../../core/scope/cancel-scope.js';
import type { Dispatcher } from '../handling/dispatcher.js';
import { GroupRequests } from './group-requests.js';
import { Poller } from './poller.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { Reporter } from '../handling/reporter.js';
import type { ResolvedReceiverOptions } from '../resolve-options.js';
import type { Run, RunResult } from './run.js';
import { Runner } from './runner.js';
import { Runs } from './runs.js';
import { abortGraceMs, endsWithin } from '../timing/time-limit.js';
import type { Claimant, Lease, NotificationStore } from '../stores/store.js';

/** Leases entries from the store, and runs their handlers. */
export class Worker {
  readonly #store: NotificationStore;
  readonly #pollMs: number;
  readonly #claimant: Claimant;
  readonly #runner: Runner;
  readonly #runs: Runs;
  readonly #requests = new GroupRequests();
  readonly #poller: Poller;
  readonly #idle: (() => void)[] = [];
  #isClosed = false;
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  constructor(store: NotificationStore, dispatcher: Dispatcher, options: ResolvedReceiverOptions, reporter: Reporter) {
    this.#store = store;
    this.#pollMs = options.pollMs;
    this.#claimant = { workerId: crypto.randomUUID(), leaseMs: options.leaseMs };
    this.#runner = new Runner(store, dispatcher, options, reporter, () => this.#poller.polling);
    const [onEnd, onRenewed] = [(run: Run, result: RunResult) => this.#onEnd(run, result), () => this.wake()];
    this.#runs = new Runs(store, this.#runner, options, reporter, onEnd, onRenewed);
    const onEmpty = (): void => this.#resolveIdle();
    this.#poller = new Poller(store, this.#claimant, options, reporter, this.#runs, this.#requests, onEmpty);
  }

  /** Polls the store now. */
  wake(): void {
    this.#poller.wake();
  }

  #onEnd({ isFollowed }: Run, { handled }: RunResult): void {
    const isAwaited = this.#requests.size > 0 || this.#idle.length > 0;
    if (!handled || isFollowed || isAwaited || this.#poller.mayBeDue) this.wake();
    else this.#poller.pollSoon();
  }

  /** Stores an entry, and returns its state. Its handler starts at once if the store leases it in the same step. */
  async add(entry: QueuedNotification): Promise<unknown> {
    const claimant = this.#requests.size === 0 && this.#runs.hasCapacityForAdded() ? this.#claimant : undefined;
    const asked = claimant ? 1 : 0;
    const added: unknown = await this.#runs.capacity.ask(asked, () => this.#store.add(entry, claimant));
    if (isLease(added)) {
      await this.#runs.admit([added], asked);
      return 'added';
    }
    this.#runs.capacity.admitNone(asked);
    const run = this.#runs.get(entry.groupId);
    if (run) run.isFollowed = true;
    this.wake();
    return added;
  }

  /** Resolves once the store has no waiting entry and no handler is running here. Keeps the process alive meanwhile. */
  async idle(): Promise<void> {
    if (this.#isClosed) return;
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
      await endsWithin(abortGraceMs, this.#ended());
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
    while (!this.#isClosed) {
      const result = await this.#nextResult(groupId);
      if (result && (result.keys.includes(key) || !result.handled)) return result.handled;
      if (result) continue;
      // Another worker has the group, or has just handled the entry.
      if (await isProcessed()) return true;
      await new Promise((resolve) => setTimeout(resolve, this.#pollMs));
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

function isLease(added: unknown): added is Lease {
  return typeof (added as Partial<Lease> | null | undefined)?.token === 'string';
}
