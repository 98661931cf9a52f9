import { endsWithin } from '../../work/ends-within.js';
import { isSuspect } from '../handling/failure-policy.js';
import type { Outcome } from '../handling/outcome.js';
import type { Inbox } from '../inbox.js';
import type { QueuedNotification } from '../queued-notification.js';

/** How long it is kept that a process ended while a job ran alone, in milliseconds. */
const keptMs = 86_400_000;

/** Runs a handler. It gets how many processes in a row have ended while the job ran alone. */
type CountedRun = (endings: number) => Promise<Outcome>;

/**
 * Finds the job that ends its process, in the ledger of the queue. That a job has stalled proves nothing: its process was killed
 * for another reason, or was too busy to keep the lock.
 *
 * A job that has stalled twice is a suspect. It waits until the other handlers of this process have ended, and runs alone. A
 * process that ends then counts, and any result of the job clears the count.
 */
export class SuspectRuns {
  readonly #inbox: Inbox;
  readonly #running = new Set<Promise<unknown>>();
  /** Ends when others may start. Never rejects. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
  }

  /** @param stalledCount How often the job has stalled. */
  async run(entry: QueuedNotification, stalledCount: number, run: CountedRun): Promise<Outcome> {
    if (this.#inbox.ledger && isSuspect({ stalledCount })) return this.#runSuspect(entry, run);
    await this.#turn;
    return this.#track(run(0));
  }

  async #runSuspect(entry: QueuedNotification, run: CountedRun): Promise<Outcome> {
    const before = this.#turn;
    const { promise, resolve: endTurn } = Promise.withResolvers<undefined>();
    this.#turn = promise;
    try {
      await before;
      // A handler that takes minutes does not stop the others.
      const patienceMs = this.#inbox.options.leaseMs / 3;
      const isAlone = await endsWithin(patienceMs, Promise.allSettled(this.#running));
      const endings = await this.#endings(entry);
      if (isAlone) await this.#count(entry, endings, endings + 1);
      const handling = this.#track(run(endings));
      if (isAlone && !(await endsWithin(patienceMs, Promise.allSettled([handling]))))
        await this.#count(entry, endings + 1, endings);
      endTurn(undefined);
      const outcome = await handling;
      await this.#count(entry, await this.#endings(entry), 0);
      return outcome;
    } finally {
      endTurn(undefined);
    }
  }

  #track(run: Promise<Outcome>): Promise<Outcome> {
    this.#running.add(run);
    return run.finally(() => this.#running.delete(run));
  }

  /** What the ledger does not tell blames nobody. */
  async #endings({ key }: QueuedNotification): Promise<number> {
    const value = await this.#inbox.ledger?.get(nameOf(key)).catch(() => undefined);
    return Number(value ?? 0);
  }

  async #count({ key }: QueuedNotification, before: number, endings: number): Promise<void> {
    const expected = before === 0 ? undefined : String(before);
    if (before === endings) return;
    const ms = endings === 0 ? 0 : keptMs;
    await this.#inbox.ledger?.replace(nameOf(key), expected, String(endings), ms).catch(() => false);
  }
}

const nameOf = (key: string): string => `endings ${key}`;
