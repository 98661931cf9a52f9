import { ClosedError, ConfigurationError, InvalidInputError } from '../core/errors/errors.js';
import { checkConfiguration, notNegative, oneOf } from '../core/options/rules.js';
import { assertKey, listRules, StoredLists, type ListOptions, type StoredEntries } from '../work/lists.js';
import { isSameData, type Status, type Works } from '../work/store.js';
import { leaveStoreInTime, openStore, useStore, usersOf, worksOn } from '../work/worker.js';
import { checkJob } from './check-job.js';
import { JobDecisions } from './decisions.js';
import type { Job, JobState, JobStatus, OutboxStats, StoredJob, OutboxContext, OutboxOptions } from './options.js';
import { jobTask } from './run-job.js';
import { outboxContext } from './options.js';
import {
  OldJobs,
  acceptedJobs,
  countJobs,
  findStored,
  jobKinds,
  jobStatusOf,
  shownJobs,
  storedKey,
  workOf,
} from './open-outbox.js';
import type { Accepted } from './open-outbox.js';
import { assertSent, beginSending, ForgottenStart, wakeSenders } from './senders.js';

const states: readonly JobState[] = ['waiting', 'running', 'accepted', 'rejected', 'dead'];

/**
 * Creates an outbox: it stores what is to be written, and sends each job once, also when responses are lost and processes are
 * killed. What may have been sent is read back; what the service does not show goes to a person, as a dead letter.
 *
 * @example
 * const outbox = createOutbox({ store: sqliteStore(path), clientFor: () => seller });
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
 * const outbox = createOutbox({ store: memoryStore(), clientFor: () => seller });
 * outbox.start();
 * const contact = { pack_id, user_id: 7, text: 'Your parcel leaves today.' };
 * await outbox.add({ key: `leaves-${pack_id}`, user_id: 7, contact });
 * await outbox.idle();
 * console.log(await outbox.stats());
 * await outbox.close();
 */
export class Outbox extends StoredLists<StoredJob> {
  /** What was carried out, as long as it keeps its data (`keep.dataMs`): list or remove it. */
  readonly accepted: StoredEntries<Accepted>;
  readonly #context: OutboxContext;
  readonly #works: Works;
  readonly #old: OldJobs;
  readonly #decisions: JobDecisions;
  readonly #forgotten: ForgottenStart;
  #started: Promise<void> | undefined;
  #endSending: (() => void) | undefined;
  #isStarted = false;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(context: OutboxContext) {
    const { store, log } = context;
    const { concurrency, leaseMs, keep } = context.options;
    const shown = shownJobs(store, keep.keysMs, () => wakeSenders(store));
    super(shown);
    this.accepted = acceptedJobs(shown);
    this.#context = context;
    this.#old = new OldJobs(context);
    this.#decisions = new JobDecisions(store);
    this.#forgotten = new ForgottenStart(context);
    useStore(store);
    // Nothing more is sent.
    if (context.service) context.service.onOther = () => void this.#works.close(0);
    this.#works = worksOn(store, {
      name: 'outbox',
      kinds: jobKinds,
      taskOf: (lease, run) => {
        this.#old.look();
        return jobTask(lease, run, context);
      },
      onStored: (key) => this.#decisions.told(key.slice(storedKey('').length)),
      concurrency,
      leaseMs,
      log,
    });
  }

  /**
   * Starts to send what the store has, and what is added. Keeps the process alive until `close`. Without it, another process on the
   * store has to send: if none does for longer than `leaseMs` while a job is due, that is logged once.
   *
   * Resolves once the store is open. Nobody needs to await it: if it rejects, Node.js ends the process with the error. A database that
   * is away is waited for.
   *
   * With `movedFrom`, the base URL that the service had before, the store of a service that has moved is accepted, from now on also without it.
   *
   * @throws {ConfigurationError} when the store belongs to another program, another version of this package, or another service, or an option is wrong.
   */
  start(options: { readonly movedFrom?: string | undefined } = {}): PromiseLike<void> {
    this.#context.service?.accept(options);
    if (!this.#closed)
      this.#endSending ??= beginSending(this.#context.store, () => {
        if (this.#isStarted) this.#works.wake();
      });
    return (this.#started = this.#start());
  }

  async #start(): Promise<void> {
    const { store, service } = this.#context;
    void this.#forgotten.stop();
    if (!this.#closed && store.open) await openStore(store);
    if (!this.#closed && (store.durable || usersOf(store) > 1)) await service?.start();
    if (this.#closed) return;
    this.#isStarted = true;
    this.#works.start();
    this.#old.start();
  }

  /**
   * Adds a job, unless its key is known. Resolves once it is stored. Jobs are independent of each other: put what has an order
   * into the steps of one job.
   *
   * @example
   * const outbox = createOutbox({ store: memoryStore(), clientFor: () => seller });
   * outbox.start();
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
   * @throws {ConfigurationError} when an endpoint is wrong, only reads, or is not known, or without `start()` on a store that no other
   * process has.
   * @throws {ClosedError} when the outbox is closed.
   */
  async add<In, const Ins extends readonly unknown[]>(job: Job<In, Ins>): Promise<JobStatus> {
    if (this.#closed) throw new ClosedError('Not added: the outbox is closed');
    const entry = checkJob(job, this.#context.known);
    assertSent(this.#context.store, 'Not added');
    await this.#context.service?.look(entry.user_id);
    const found = await this.#added(entry);
    const status = jobStatusOf(found);
    if (!(await isSameData(found.data, entry))) {
      const message = `the key ${entry.key} was added before with another input, and is ${status.state}; use another key for another job`;
      throw new InvalidInputError([{ path: ['key'], message }], 'Not added: ');
    }
    wakeSenders(this.#context.store);
    if (!this.#started) this.#forgotten.added(entry);
    return status;
  }

  /** A job that is known may be removed before it is read: then it is added. */
  async #added(entry: StoredJob): Promise<Status> {
    for (;;) {
      await this.#context.store.add(workOf(entry));
      const found = await findStored(this.#context.store, entry.key);
      if (found) return found;
    }
  }

  /**
   * Returns a job, and what has become of it; `undefined` if no job has this key. Of one that ended long ago, only that is left.
   *
   * @example
   * const outbox = createOutbox({ store: memoryStore(), clientFor: () => seller });
   * const job = await outbox.get('invoice-42');
   * if (job?.state === 'rejected') console.log(job.reason);
   * await outbox.close();
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async get(key: string): Promise<JobStatus | undefined> {
    assertKey(key);
    const found = await findStored(this.#context.store, key);
    return found && jobStatusOf(found);
  }

  /**
   * Lists jobs: those that are open in the order in which they were added, the others in the order in which they ended, as long as they
   * keep their data.
   *
   * @example
   * const outbox = createOutbox({ store: memoryStore(), clientFor: () => seller });
   * for (const { entry, outputs } of await outbox.list({ state: 'accepted' })) console.log(entry.key, outputs);
   * await outbox.close();
   * @throws {ConfigurationError} when an option is unknown or wrong.
   */
  async list(
    options: ListOptions &
      Readonly<{
        /**
         * The state of the jobs.
         *
         * @default all states
         */
        state?: JobState | undefined;
      }> = {},
  ): Promise<readonly JobStatus[]> {
    checkConfiguration('list', options, { state: oneOf(...states), ...listRules });
    const { state, limit = 100, after = 0 } = options;
    const query = { kinds: jobKinds, states: state === undefined ? states : [state], limit, after };
    return (await this.#context.store.list(query)).map(jobStatusOf);
  }

  /** Counts the jobs: those that wait, run, were given up, and have ended, and the age of the oldest that is open. */
  stats(): Promise<OutboxStats> {
    return countJobs(this.#context.store);
  }

  /**
   * Waits until no job is due and none is running here: what is due later, such as a retry or moderation, is left. Keeps the process
   * alive meanwhile. Calls may overlap.
   *
   * @example
   * const outbox = createOutbox({ store: memoryStore(), clientFor: () => seller });
   * outbox.start();
   * await outbox.idle();
   * await outbox.close();
   * @throws {ConfigurationError} when the outbox was not started.
   */
  async idle(): Promise<void> {
    if (!this.#started)
      throw new ConfigurationError(
        'idle() waits for what the outbox sends, and it was not started; call start() first',
      );
    await this.#started;
    await this.#works.idle();
  }

  /**
   * Waits until a job is decided: it is accepted, rejected or dead, whatever retries and moderation it takes. Keeps the process alive
   * meanwhile. What another process decides is known within a second.
   *
   * @example
   * const outbox = createOutbox({ store: memoryStore(), clientFor: () => seller });
   * outbox.start();
   * const contact = { pack_id, user_id: 7, text: 'Your parcel leaves today.' };
   * await outbox.add({ key: 'leaves', user_id: 7, contact });
   * console.log((await outbox.settled('leaves')).state);
   * await outbox.close();
   * @throws {InvalidInputError} when no job has this key, or it is removed meanwhile.
   * @throws {ConfigurationError} when `key` is not a string, or without `start()` on a store that no other process has.
   * @throws {ClosedError} when the outbox is closed before that.
   */
  async settled(key: string): Promise<JobStatus> {
    assertKey(key);
    return this.#decisions.of(key, () => assertSent(this.#context.store, 'Not waited for'));
  }

  /**
   * Closes the outbox: claims nothing more, waits for running jobs for up to `graceMs`, then aborts their calls, and closes the
   * store, unless an inbox or another outbox of this process still uses it. Nothing is lost: the next process goes on.
   *
   * @throws {ConfigurationError} when an option is unknown or wrong. The outbox is not closed then.
   */
  async close(
    options: {
      /**
       * How long running jobs may take to end, in milliseconds. After that their calls are aborted; the next process reads back
       * what they sent.
       *
       * @default 5000
       */
      readonly graceMs?: number | undefined;
    } = {},
  ): Promise<void> {
    checkConfiguration('close', options, { graceMs: notNegative });
    await (this.#closed ??= this.#close(options.graceMs ?? 5_000));
  }

  async #close(graceMs: number): Promise<void> {
    const endsAt = performance.now() + graceMs;
    await Promise.all([this.#works.close(graceMs), this.#old.stop(), this.#forgotten.stop()]);
    this.#decisions.close();
    this.#endSending?.();
    await leaveStoreInTime(this.#context.store, endsAt, this.#context.log);
  }
}
