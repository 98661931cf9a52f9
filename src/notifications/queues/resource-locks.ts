import { leads } from '../../work/ledger.js';
import type { Outcome } from '../handling/outcome.js';
import type { Inbox } from '../inbox.js';
import type { QueuedNotification } from '../queued-notification.js';

/** How soon a job is offered again while another one of its resource runs, in milliseconds: half of it, up to this. */
const againMs = 1_000;

/**
 * Keeps the jobs of one resource apart, in the ledger of their queue. What a queue does by itself does not cover jobs that were
 * replayed, which all become due at once.
 *
 * The holder is the job: when its process was killed, its next run need not wait.
 */
export class ResourceLocks {
  readonly #inbox: Inbox;

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
  }

  /** Runs a job, unless another one of its resource runs. */
  async run(entry: QueuedNotification, run: () => Promise<Outcome>): Promise<Outcome> {
    if (!this.#inbox.ledger) return run();
    try {
      if (!(await this.#take(entry)))
        return later(new ResourceBusyError(`Another notification of ${entry.groupId} runs`));
    } catch (error) {
      return later(error);
    }
    const renewal = setInterval(() => void this.#take(entry).catch(() => false), this.#inbox.options.leaseMs / 3);
    // A handler that ignores the end of `close()` does not keep the process alive.
    (renewal as Partial<NodeJS.Timeout>).unref?.();
    try {
      return await run();
    } finally {
      clearInterval(renewal);
      await this.#end(entry);
    }
  }

  async #take({ groupId, key }: QueuedNotification): Promise<boolean> {
    const { ledger, options } = this.#inbox;
    return ledger === undefined || leads(ledger, nameOf(groupId), key, options.leaseMs);
  }

  async #end({ groupId, key }: QueuedNotification): Promise<void> {
    try {
      await this.#inbox.ledger?.replace(nameOf(groupId), key, '', 0);
    } catch {
      // It ends by itself, after `leaseMs`.
    }
  }
}

const nameOf = (groupId: string): string => `running ${groupId}`;

function later(error: unknown): Outcome {
  return { kind: 'release', inMs: againMs * (0.5 + Math.random() / 2), error };
}

/** Another job of the resource runs. */
class ResourceBusyError extends Error {
  override readonly name = 'ResourceBusyError';
}
