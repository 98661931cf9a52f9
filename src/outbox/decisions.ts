import { ClosedError, InvalidInputError } from '../core/errors/errors.js';
import type { Shelf } from '../work/store.js';
import { endsWithin } from '../work/timers.js';
import type { JobStatus } from './options.js';
import { findStored, jobStatusOf } from './open-outbox.js';

/** How often it is looked for a job that another process may have decided or removed, in milliseconds. */
const lookEveryMs = 1_000;

/** Waits until jobs are decided. Of a run in this process it is told at once. */
export class JobDecisions {
  readonly #store: Shelf;
  /** Those who wait, by the key of the job. */
  readonly #waiting = new Map<string, PromiseWithResolvers<undefined>>();
  #isClosed = false;

  constructor(store: Shelf) {
    this.#store = store;
  }

  /** Resolves once a job is accepted, rejected or dead. @param wait Called before it is waited for */
  async of(key: string, wait: () => void): Promise<JobStatus> {
    for (;;) {
      // What happens while it is read is not missed.
      const { promise } = this.#expected(key);
      const found = await findStored(this.#store, key);
      const status = found && jobStatusOf(found);
      if (status?.state === 'waiting' || status?.state === 'running') {
        if (this.#isClosed) throw new ClosedError(`The outbox was closed before the job ${key} was decided`);
        wait();
        if (!(await endsWithin(lookEveryMs, promise))) this.told(key);
        continue;
      }
      this.told(key);
      if (status) return status;
      const message = `no job has the key ${key}: it was not added, or it was removed`;
      throw new InvalidInputError([{ path: ['key'], message }], 'Not waited for: ');
    }
  }

  #expected(key: string): PromiseWithResolvers<undefined> {
    const expected = this.#waiting.get(key) ?? Promise.withResolvers<undefined>();
    this.#waiting.set(key, expected);
    return expected;
  }

  /** A run of a job has ended. */
  told(key: string): void {
    this.#waiting.get(key)?.resolve(undefined);
    this.#waiting.delete(key);
  }

  /** Nobody tells any more. */
  close(): void {
    this.#isClosed = true;
    for (const key of this.#waiting.keys()) this.told(key);
  }
}
