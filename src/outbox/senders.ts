import { ConfigurationError } from '../core/errors/errors.js';
import { pagesOf, type PageOfList } from '../work/lists.js';
import type { Status } from '../work/store.js';
import { Rounds } from '../work/timers.js';
import { beginsAt, jobKinds } from './open-outbox.js';
import type { OutboxContext, StoredJob } from './options.js';

/** The outboxes of this process that send what a store has: how each is woken. */
const senders = new WeakMap<object, Set<() => void>>();

/** An outbox of this process begins to send what a store has. Returns a function that ends it. */
export function beginSending(store: object, wake: () => void): () => void {
  const wakes = senders.get(store) ?? new Set();
  senders.set(store, wakes.add(wake));
  return () => void wakes.delete(wake);
}

/** Something is due: a store that no other process has is not polled. */
export function wakeSenders(store: object): void {
  for (const wake of senders.get(store) ?? []) wake();
}

function isSending(store: object): boolean {
  return (senders.get(store)?.size ?? 0) > 0;
}

/** @throws {ConfigurationError} when no outbox was started that could send what this store gets */
export function assertSent(store: OutboxContext['store'], what: string): void {
  if (store.shared || isSending(store)) return;
  throw new ConfigurationError(
    `${what}: the outbox was not started, and no other process sends what is in this store; call outbox.start() first`,
  );
}

/** How many jobs are listed at a time. */
const listAtATime = 500;
/** How soon it is looked again at the latest, for what other processes add, in milliseconds. */
const listAgainMs = 60_000;

/** Says once of an outbox that was not started that its jobs are due, and that no other process sends them either. */
export class ForgottenStart {
  readonly #context: OutboxContext;
  // What the store rejects is said to those who add.
  readonly #rounds = new Rounds(() => undefined);
  /** The first job that is due, and all that changes when somebody works, since when that is so, on the monotonic clock. */
  #seen: { readonly what: string; readonly since: number } | undefined;
  /** Before that, no job is due, on the monotonic clock: many may wait for their time. */
  #looksAt = 0;

  constructor(context: OutboxContext) {
    this.#context = context;
    if (context.store.shared) this.#rounds.start(context.options.leaseMs / 3, () => this.#look());
  }

  /** A job was added. */
  added(job: StoredJob): void {
    this.#looksAt = Math.min(this.#looksAt, performance.now() + Math.max(0, beginsAt(job) - Date.now()));
    if (!this.#seen) this.#rounds.begin(() => this.#look());
  }

  async #look(): Promise<void> {
    if (performance.now() < this.#looksAt) return;
    const { leaseMs } = this.#context.options;
    const what = isSending(this.#context.store) ? undefined : await this.#untouched();
    const now = performance.now();
    if (what === undefined || what !== this.#seen?.what) this.#seen = what === undefined ? what : { what, since: now };
    if (!this.#rounds.areStarted || !this.#seen || now - this.#seen.since <= leaseMs) return;
    void this.#rounds.stop();
    await this.#context.log.write(
      'warn',
      `A job has been due for longer than ${leaseMs} ms, and nobody sends it: this outbox was not started; call outbox.start() here or in another process`,
    );
  }

  /** Describes the first job that is due, and what has ended; `undefined` when none is due, or some run. */
  async #untouched(): Promise<string | undefined> {
    const due = await this.#firstDue();
    if (!due) return undefined;
    const { running, accepted, rejected, dead } = await this.#context.store.counts(jobKinds);
    const { key, number, failures, stalls } = due;
    return running > 0 ? undefined : JSON.stringify([key, number, failures, stalls, accepted, rejected, dead]);
  }

  async #firstDue(): Promise<Status | undefined> {
    const now = performance.now();
    this.#looksAt = now + listAgainMs;
    const query = { kinds: jobKinds, states: ['waiting'] } as const;
    const list = (page: PageOfList): Promise<readonly Status[]> => this.#context.store.list({ ...query, ...page });
    for await (const page of pagesOf(list, { limit: listAtATime })) {
      this.#looksAt = Math.min(this.#looksAt, ...page.map(({ nextInMs = 0 }) => now + nextInMs));
      const due = page.find(({ nextInMs }) => nextInMs === 0);
      if (due) return due;
    }
    return undefined;
  }

  /** Somebody has started the outbox, or closes it. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }
}
