import { ConfigurationError, InvalidInputError } from '../core/errors/errors.js';
import { checkConfiguration, notNegative, oneOf } from '../core/options/rules.js';
import { canonical } from '../core/recover/write-target.js';
import { DeadLetters } from '../work/dead-letters.js';
import { listRules } from '../work/pages.js';
import type { ListOptions } from '../work/pages.js';
import { WaitingEntries } from '../work/waiting-entries.js';
import { abortGraceMs, endsWithin } from '../work/ends-within.js';
import { checkJob } from './check-job.js';
import type { CallJob, ContactJob, JobState, JobStatus, StepsJob } from './job.js';
import { outboxContext } from './options.js';
import type { OutboxContext, OutboxOptions } from './options.js';
import type { JobDeadLetter, OutboxStats, WaitingJob } from './store.js';
import { OutboxWorker } from './worker.js';

/** Which jobs `list` returns. */
export interface JobListOptions extends ListOptions {
  /**
   * The state of the jobs.
   *
   * @default all states
   */
  readonly state?: JobState | undefined;
}

/** How an outbox closes. */
export interface OutboxCloseOptions {
  /**
   * How long running jobs may take to end, in milliseconds. After that their calls are aborted; the next process reads back
   * what they sent.
   *
   * @default 5000
   */
  readonly graceMs?: number | undefined;
}

/**
 * Creates an outbox: it stores what is to be written, and sends each job once, also when responses are lost and processes are
 * killed. What may have been sent is read back; what the service does not show goes to a person, as a dead letter.
 *
 * @example
 * const outbox = createOutbox({ store: sqliteOutbox(path), clientFor: () => seller });
 * outbox.start();
 * const input = { question_id, text: 'Yes, there is.' };
 * await outbox.add({ key: `answer-${question_id}`, user_id: 7, endpoint: endpoints.questions.answer, input });
 * await outbox.idle();
 * console.log((await outbox.get(`answer-${question_id}`))?.state);
 * await outbox.close();
 * @throws {ConfigurationError} when an option is missing, unknown or wrong.
 */
export function createOutbox(options: OutboxOptions): Outbox {
  return new Outbox(outboxContext(options));
}

/**
 * An outbox. Create one with `createOutbox`.
 *
 * @example
 * const outbox = createOutbox({ store: memoryOutbox(), clientFor: () => seller });
 * outbox.start();
 * const contact = { pack_id, user_id: 7, text: 'Your parcel leaves today.' };
 * await outbox.add({ key: `leaves-${pack_id}`, user_id: 7, contact });
 * await outbox.idle();
 * console.log(await outbox.stats());
 * await outbox.close();
 */
export class Outbox {
  /** The jobs that were given up: list, replay or remove them. */
  readonly deadLetters: DeadLetters<JobDeadLetter>;
  /** The jobs that are open: list, retry now or remove them. */
  readonly waiting: WaitingEntries<WaitingJob>;
  readonly #context: OutboxContext;
  readonly #worker: OutboxWorker;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(context: OutboxContext) {
    this.#context = context;
    this.#worker = new OutboxWorker(context);
    const wake = (): void => this.#worker.wake();
    this.deadLetters = new DeadLetters(context.store, wake);
    this.waiting = new WaitingEntries(context.store, wake);
  }

  /** Starts to send what the store has, and what is added. Without it, another process on the store has to. */
  start(): void {
    this.#worker.start();
  }

  /**
   * Adds a job, unless its key is known. Resolves once it is stored. Jobs are independent of each other: put what has an order
   * into the steps of one job.
   *
   * @example
   * const outbox = createOutbox({ store: memoryOutbox(), clientFor: () => seller });
   * const message = { pack_id, user_id: 7, text: 'Here is your invoice.' };
   * await outbox.add({
   *   key: 'invoice-42',
   *   user_id: 7,
   *   steps: [
   *     { endpoint: endpoints.messages.upload, input: { site_id: 'MLA', file: path } },
   *     { contact: message }, // gets the file as its attachment
   *   ],
   * });
   * await outbox.close();
   * @returns the job as it is now: of a known key, the one that was added first.
   * @throws {InvalidInputError} when an input does not fit its endpoint, or the key is known with another input.
   * @throws {ConfigurationError} when an endpoint is wrong, only reads, or is not known.
   */
  add<In>(job: CallJob<In>): Promise<JobStatus>;
  add(job: ContactJob): Promise<JobStatus>;
  add<const Ins extends readonly unknown[]>(job: StepsJob<Ins>): Promise<JobStatus>;
  async add(job: object): Promise<JobStatus> {
    this.#assertOpen();
    const entry = checkJob(job, this.#context.known);
    const stored = await this.#context.store.add(entry);
    if (canonical(stored.entry) !== canonical(entry)) {
      const message = `the key ${entry.key} was added before with another input, and is ${stored.state}; use another key for another job`;
      throw new InvalidInputError([{ path: ['key'], message }], 'Not added: ');
    }
    this.#worker.wake();
    return stored;
  }

  /**
   * Returns a job, and what has become of it; `undefined` if no job has this key.
   *
   * @example
   * const outbox = createOutbox({ store: memoryOutbox(), clientFor: () => seller });
   * const job = await outbox.get('invoice-42');
   * if (job?.state === 'rejected') console.log(job.reason);
   * await outbox.close();
   */
  get(key: string): Promise<JobStatus | undefined> {
    return this.#context.store.get(key);
  }

  /**
   * Lists jobs in the order in which they were added.
   *
   * @example
   * const outbox = createOutbox({ store: memoryOutbox(), clientFor: () => seller });
   * for (const { entry, reason } of await outbox.list({ state: 'rejected' })) console.log(entry.key, reason);
   * await outbox.close();
   * @throws {ConfigurationError} when an option is unknown or wrong.
   */
  async list(options: JobListOptions = {}): Promise<readonly JobStatus[]> {
    const states = oneOf('waiting', 'running', 'accepted', 'rejected', 'dead');
    checkConfiguration('list', options, { state: states, ...listRules });
    const { state, limit = 100, after = 0 } = options;
    return this.#context.store.list({ state, limit, after });
  }

  /** Counts the jobs: those that wait, run, were given up, and have ended, and the age of the oldest that is open. */
  stats(): Promise<OutboxStats> {
    return this.#context.store.stats();
  }

  /**
   * Starts, and resolves once no job is due and none is running here: what waits for a retry or for moderation is left. Calls may
   * overlap.
   *
   * @example
   * const outbox = createOutbox({ store: memoryOutbox(), clientFor: () => seller });
   * await outbox.flush();
   * await outbox.close();
   */
  flush(): Promise<void> {
    return this.#worker.until('nothing due');
  }

  /** Starts, and resolves once no job is open any more. Keeps the process alive meanwhile. */
  idle(): Promise<void> {
    return this.#worker.until('nothing open');
  }

  /**
   * Closes the outbox: claims nothing more, waits for running jobs for up to `graceMs`, then aborts their calls, and closes the
   * store. Nothing is lost: the next process goes on.
   *
   * @throws {ConfigurationError} when an option is unknown or wrong. The outbox is not closed then.
   */
  async close(options: OutboxCloseOptions = {}): Promise<void> {
    checkConfiguration('close', options, { graceMs: notNegative });
    await (this.#closed ??= this.#close(options.graceMs ?? 5_000));
  }

  async #close(graceMs: number): Promise<void> {
    await this.#worker.close(graceMs);
    const { store, log } = this.#context;
    try {
      if (!(await endsWithin(Math.max(graceMs, abortGraceMs), Promise.resolve(store.close?.()))))
        throw new Error('it did not end in time');
    } catch (error) {
      await log.write('error', 'The store of the outbox was not closed', error);
    }
  }

  #assertOpen(): void {
    if (this.#worker.isClosed) throw new ConfigurationError('Not added: the outbox is closed');
  }
}
