import type { InboxContext } from './context.js';
import { inboxKinds } from './entry.js';
import type { InboxKind } from './entry.js';

/** How long an entry waits for a process that has a handler for its topic, in milliseconds. */
export const unhandledMs = 3 * 86_400_000;
/** How long it is known that a process has had a handler for a topic, in milliseconds: it may be stopped for days. */
const handledMs = 30 * 86_400_000;
/** How often it is looked for entries that have waited too long, in milliseconds. */
const everyMs = 3_600_000;
/** How many entries are looked at at a time. */
const pageSize = 1_000;

const nameOf = (kind: InboxKind): string => `handles ${kind}`;

/** Deletes from a durable store what no process has had a handler for in time. Each process says for which topics it has one. */
export class UnhandledEntries {
  readonly #context: InboxContext;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(context: InboxContext) {
    this.#context = context;
  }

  start(): void {
    if (this.#timer !== undefined || !this.#context.store.durable) return;
    const round = async (): Promise<void> => {
      await this.#claim();
      await this.#delete();
    };
    this.#timer = setInterval(() => void this.#try(round), everyMs);
    (this.#timer as { unref?: () => void }).unref?.();
    // Other processes may be starting too: they say first what they handle.
    void this.#try(() => this.#claim());
  }

  async #try(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (this.#timer !== undefined) this.#context.reporter.failed('What nobody handles was not looked for', error);
    }
  }

  async #claim(): Promise<void> {
    const { kinds, store } = this.#context;
    for (const name of kinds.map(nameOf)) await store.ledger.replace(name, await store.ledger.get(name), '', handledMs);
  }

  async #delete(): Promise<void> {
    const { kinds, store, options } = this.#context;
    // A process that only accepts leaves the known topics to others.
    const others = inboxKinds.filter((kind) => !kinds.includes(kind) && (options.handle || kind === '*'));
    for (const kind of others) if ((await store.ledger.get(nameOf(kind))) === undefined) await this.#deleteOf(kind);
  }

  async #deleteOf(kind: InboxKind): Promise<void> {
    const { store, reporter } = this.#context;
    for (let count = pageSize; count === pageSize;) {
      const found = await store.list({ kinds: [kind], states: ['waiting'], limit: pageSize, after: 0 });
      const old = found.filter(({ addedAt }) => Date.now() - addedAt > unhandledMs);
      const removed = await Promise.all(old.map(({ key }) => store.remove(key, ['waiting'])));
      count = removed.filter(Boolean).length;
      reporter.expired(count);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
