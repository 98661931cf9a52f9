import { ClosedError } from '../core/errors/errors.js';
import { FifoMap } from '../work/fifo-map.js';
import { Log } from '../work/log.js';
import { Observer } from '../work/observer.js';
import type { ServiceOfStore } from '../work/service.js';
import { factKeyOf, type InnerEngine, type InnerStore } from '../work/store.js';
import { Rounds } from '../work/timers.js';
import { StoreFullError } from './errors.js';
import { kindsOf } from './handling/handler.js';
import { inboxKinds, workOf, type InboxEntry, type InboxKind } from './notification.js';
import type { HandlingSuccess, ResolvedInboxOptions } from './options.js';

/** What every part of an inbox works with. */
export interface InboxContext {
  readonly store: InnerStore | InnerEngine;
  readonly options: ResolvedInboxOptions;
  readonly reporter: Reporter;
  /** Of which service the store is. `handleNow` has a store for each. */
  readonly service?: ServiceOfStore | undefined;
  /** What this process has handlers for. */
  readonly kinds: readonly InboxKind[];
  /** Whether `close()` was not called. */
  isOpen: boolean;
}

export function inboxContext(
  options: ResolvedInboxOptions,
  store: InnerStore | InnerEngine,
  reporter = new Reporter(options),
): InboxContext {
  const kinds = options.handle ? kindsOf(options) : [];
  return { store, options, reporter, kinds, isOpen: true };
}

const mostSaid = 100;
/** How often it is said of a seller that something was not shown, in milliseconds. */
const sayAgainMs = 3_600_000;
/** For this many sellers it is known when that was said. */
const maxSellers = 10_000;

/** Reports to the logger and to the callbacks of the user. */
export class Reporter {
  readonly log: Log;
  /** Who is told what has become of a notification. */
  readonly observer: Observer<HandlingSuccess>;
  /** What this process has acknowledged and dropped. */
  readonly counts = { dropped: 0, unreadable: 0, expired: 0 };
  readonly #options: ResolvedInboxOptions;
  readonly #said = new Set<string>();
  /** By seller, on the monotonic clock. */
  readonly #saidAt = new FifoMap<number>(maxSellers);

  constructor(options: ResolvedInboxOptions) {
    this.log = new Log(options.logger);
    this.observer = new Observer(this.log, options);
    this.#options = options;
  }

  /** The inbox itself failed, such as its store. Without a logger, it is printed with `console.error`. */
  failed(message: string, ...error: readonly [unknown?]): void {
    if (error.length > 0) void this.log.writeRarely(message, error[0]);
    else void this.log.write('error', message);
  }

  /** The inbox works, but probably not as it is meant to. Without a logger, it is printed with `console.error`. */
  warned(message: string): void {
    void this.log.write('warn', message);
  }

  /** Says something once, and at most a hundred such things: strangers can cause them. */
  warnedOnce(message: string): void {
    if (this.#said.has(message) || this.#said.size >= mostSaid) return;
    this.#said.add(message);
    this.warned(message);
  }

  /** Says something that is no fault once, to a given logger. */
  informedOnce(message: string): void {
    if (this.#said.has(message) || !this.#options.logger) return;
    this.#said.add(message);
    void this.log.write('info', message);
  }

  /** A JSON object was acknowledged that is not a notification. */
  unreadable(reason: string): void {
    this.counts.unreadable += 1;
    this.warnedOnce(
      `A delivery was acknowledged and dropped: ${reason}. More of them are only counted, in stats().unreadable`,
    );
  }

  /** A notification was acknowledged, and is not handled. */
  dropped(reason: string): void {
    this.counts.dropped += 1;
    this.warnedOnce(`A notification was dropped: ${reason}. More of them are only counted, in stats().dropped`);
  }

  /** A notification was acknowledged, and the service does not show what it is about: said once per seller and hour. */
  notShown(user_id: number): void {
    this.counts.dropped += 1;
    const now = performance.now();
    if (now - (this.#saidAt.get(String(user_id)) ?? -Infinity) < sayAgainMs) return;
    this.#saidAt.set(String(user_id), now);
    this.warned(
      `A notification of user ${user_id} was dropped: the service does not show what it is about. More of them within an hour are only counted, in stats().dropped`,
    );
  }

  /** Notifications were deleted that nobody handles. */
  expired(count: number): void {
    this.counts.expired += count;
    if (count > 0)
      this.failed(`${count} notifications were deleted: no process has had a handler for their topic in time`);
  }

  /** A delivery was rejected. Strangers can cause this, so it is only logged to a given logger. */
  rejected(message: string): void {
    if (this.#options.logger) void this.log.write('info', message);
  }
}

/** Stores an entry, and returns whether it is new. @throws {StoreFullError} when its seller has too much that waits */
export async function addEntry({ store, options, isOpen, service }: InboxContext, entry: InboxEntry): Promise<boolean> {
  if (!isOpen) throw new ClosedError('Not added: the inbox is closed');
  await service?.look(entry.notification.user_id);
  const state = await store.add(workOf(entry), options.maxWaiting);
  if (state === 'full') throw new StoreFullError(entry.notification, options.maxWaiting);
  return state === 'added';
}

/** Stores what was found without a notification, unless it waits or was handled. Returns whether it is new. */
export async function addFound(context: InboxContext, entry: InboxEntry): Promise<boolean> {
  const fact = await context.store.ledger.get(factKeyOf(entry.groupId));
  return fact === undefined && (await addEntry(context, entry));
}

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
  readonly #rounds: Rounds;

  constructor(context: InboxContext) {
    this.#context = context;
    this.#rounds = new Rounds((error) => context.reporter.failed('What nobody handles was not looked for', error));
  }

  start(): void {
    if (this.#rounds.areStarted || !this.#context.store.durable) return;
    this.#rounds.start(everyMs, async () => {
      await this.#claim();
      await this.#delete();
    });
    // Other processes may be starting too: they say first what they handle.
    this.#rounds.begin(() => this.#claim());
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
    void this.#rounds.stop();
  }
}
