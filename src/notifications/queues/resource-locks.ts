import { leads } from '../../work/ledger.js';
import type { Outcome } from '../handling/outcome.js';
import type { Inbox } from '../inbox.js';
import type { QueuedNotification } from '../queued-notification.js';

/** How soon a job is offered again while another one of its resource runs, in milliseconds: half of it, up to this. */
const againMs = 1_000;
/** How long a job that has begun to write has its resource, after the delay of its next run: others follow once it has ended. */
const begunMs = 3_600_000;

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

  /** Runs a job, unless another one of its resource runs, or has begun to write. */
  async run(entry: QueuedNotification, run: () => Promise<Outcome>, hasWrites: () => boolean): Promise<Outcome> {
    if (!this.#inbox.ledger) return run();
    try {
      if (!(await this.#take(entry)))
        return later(new ResourceBusyError(`Another notification of ${entry.groupId} runs`));
    } catch (error) {
      return later(error);
    }
    const renew = (): void => void this.#take(entry, hasWrites() ? begunMs : undefined).catch(() => false);
    const renewal = setInterval(renew, this.#inbox.options.leaseMs / 3);
    // A handler that ignores the end of `close()` does not keep the process alive.
    (renewal as Partial<NodeJS.Timeout>).unref?.();
    let keptMs = 0;
    try {
      const outcome = await run();
      if ('inMs' in outcome && hasWrites()) keptMs = outcome.inMs + begunMs;
      return outcome;
    } finally {
      clearInterval(renewal);
      await this.#end(entry, keptMs);
    }
  }

  /** Keeps the resource of a job that is about to write, also when its process is killed. */
  hold(entry: QueuedNotification): Promise<boolean> {
    return this.#take(entry, begunMs);
  }

  async #take({ groupId, key }: QueuedNotification, ms = this.#inbox.options.leaseMs): Promise<boolean> {
    const { ledger } = this.#inbox;
    return ledger === undefined || leads(ledger, nameOf(groupId), key, ms);
  }

  async #end({ groupId, key }: QueuedNotification, keptMs: number): Promise<void> {
    try {
      await this.#inbox.ledger?.replace(nameOf(groupId), key, keptMs > 0 ? key : '', keptMs);
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
