import { ConfigurationError } from '../core/errors/errors.js';
import { checkConfiguration, integerFrom } from '../core/options/rules.js';
import { endedStates, storeRule } from './store.js';
import type { Engine, EntryState, InnerEngine, InnerStore, RunNotes, Shelf, Status, Store } from './store.js';
import { leaveStore, useStore } from './worker.js';
import { withoutUnknown } from './writes.js';

/**
 * What a store holds of an inbox or an outbox: notifications, or jobs.
 *
 * @example
 * const [first] = await inbox.deadLetters.list({ limit: 1 });
 * if (first) await inbox.remove(first.entry.key); // its data: the key stays known
 * if (first) await inbox.forget(first.entry.key); // its key too: it may be handled again
 */
export class StoredLists<Entry extends { readonly key: string }> {
  /** What was given up: list, replay or remove it. What is replayed is handled, or sent, by a process that does so. */
  readonly deadLetters: DeadLetters<Entry>;
  /** What is not handled, or sent, yet: list, retry now or remove it. */
  readonly waiting: WaitingEntries<Entry>;
  /**
   * What has sent a message that moderation rejected, in the order in which that was decided: list or remove it. Notifications are kept
   * for 14 days.
   *
   * @example
   * const outbox = createOutbox({ store: memoryStore(), clientFor: () => seller });
   * for (const { entry, reason } of await outbox.rejected.list()) {
   *   console.log(entry.pack_id, reason);
   *   await outbox.rejected.remove(entry.key);
   * }
   * await outbox.close();
   */
  readonly rejected: StoredEntries<Rejected<Entry>>;

  readonly #shown: Shown<Entry>;

  /** @internal */
  constructor(shown: Shown<Entry>) {
    this.#shown = shown;
    this.deadLetters = new DeadLetters(shown);
    this.waiting = new WaitingEntries(shown);
    this.rejected = rejectedEntries(shown);
  }

  /**
   * Takes the data and notes of what has ended: of a dead letter, or of what was accepted or rejected. Its key stays known, so if it is
   * added again, it is neither handled nor sent. `false` if nothing has ended with this key, or its data is gone.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async remove(key: string): Promise<boolean> {
    assertKey(key);
    const { store, storedKey, keepKeysMs } = this.#shown;
    return store.reduce(storedKey(key), endedStates, keepKeysMs);
  }

  /**
   * Frees the key of what has ended: **if it is added again, it is handled, or sent, a second time**. `false` if nothing has ended with
   * this key.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async forget(key: string): Promise<boolean> {
    assertKey(key);
    const { store, storedKey } = this.#shown;
    return store.remove(storedKey(key), [...endedStates, 'done']);
  }
}

/** What the lists of an inbox or an outbox show of a store. */
export interface Shown<Entry> {
  readonly store: Pick<InnerStore, 'get' | 'list' | 'again' | 'remove' | 'reduce'>;
  /** Of which kinds they show entries. */
  readonly kinds: readonly string[];
  /** The key in the store of an entry with this key. */
  readonly storedKey: (key: string) => string;
  readonly entryOf: (status: Status) => Entry;
  /** How long the key of an ended entry is known, in milliseconds, if it was kept until now without end. */
  readonly keepKeysMs: number;
  /** Something may be due now. */
  readonly wake: () => void;
}

/**
 * Entries of a store that are in certain states: listed, and removed.
 *
 * @example
 * const [first] = await inbox.rejected.list({ limit: 1 });
 * if (first) await inbox.rejected.remove(first.entry.key);
 * await inbox.rejected.removeAll(({ reason }) => reason === 'PERSONAL_DATA');
 */
export class StoredEntries<Found extends { readonly entry: { readonly key: string }; readonly number: number }> {
  /** @internal */
  protected readonly shown: Omit<Shown<unknown>, 'entryOf'>;
  readonly #states: readonly EntryState[];
  readonly #rowOf: (status: Status) => Found;

  /** @internal */
  constructor(shown: Omit<Shown<unknown>, 'entryOf'>, states: readonly EntryState[], rowOf: (status: Status) => Found) {
    this.shown = shown;
    this.#states = states;
    this.#rowOf = rowOf;
  }

  /**
   * Lists them: what waits in the order in which it was added, the others in the order in which they ended.
   *
   * @example
   * const first = await inbox.deadLetters.list({ limit: 20 });
   * const second = await inbox.deadLetters.list({ limit: 20, after: first.at(-1)?.number });
   * @throws {ConfigurationError} when an option is unknown or wrong.
   */
  async list(options: ListOptions = {}): Promise<readonly Found[]> {
    checkConfiguration('list', options, listRules);
    const { store, kinds } = this.shown;
    const { limit = 100, after = 0 } = options;
    const found = await store.list({ kinds, states: this.#states, limit, after });
    return found.map(this.#rowOf);
  }

  /**
   * Removes one. `false` if there is none with this key, or it is being handled. What waits is forgotten with its key: if it is added
   * again, it is handled, or sent. What has ended loses its data and notes, and its key stays known: see `forget`.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async remove(key: string): Promise<boolean> {
    assertKey(key);
    const { store, storedKey, keepKeysMs } = this.shown;
    if (this.#states.includes('waiting')) return store.remove(storedKey(key), ['waiting']);
    return store.reduce(
      storedKey(key),
      endedStates.filter((state) => this.#states.includes(state)),
      keepKeysMs,
    );
  }

  /**
   * Removes those for which `where` returns `true`. Returns how many they were.
   *
   * @throws {ConfigurationError} when `where` is not a function.
   */
  async removeAll(where: (found: Found) => boolean): Promise<number> {
    return this.forEach(where, (key) => this.remove(key));
  }

  /** Does something with those that are meant, page by page. Returns with how many it was done. @internal */
  protected async forEach(where: (found: Found) => boolean, run: (key: string) => Promise<boolean>): Promise<number> {
    assertFilter(where);
    let count = 0;
    for await (const page of pagesOf((each) => this.list(each))) {
      const results = await Promise.all(page.filter(where).map(({ entry }) => run(entry.key)));
      count += results.filter(Boolean).length;
    }
    return count;
  }
}

/** A notification or a job that is not handled yet. */
export interface WaitingEntry<Entry> {
  readonly entry: Entry;
  /** How many attempts have failed. */
  readonly attempts: number;
  /** The name and the message of the last error; absent before the first one. */
  readonly failure?: string | undefined;
  /** Whether a write of it may have been carried out: it is read back before anything is sent. */
  readonly isUnsure?: true | undefined;
  /** Whether it waits for moderation to decide about its message. */
  readonly isModerated?: true | undefined;
  /** When it is tried next, in milliseconds; 0 when it is due, absent while it runs. */
  readonly nextInMs?: number | undefined;
  /** When it was added, in milliseconds since 1970. */
  readonly addedAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/**
 * What is not handled yet: notifications of an inbox, or jobs of an outbox.
 *
 * @example
 * for (const { entry, attempts, failure } of await inbox.waiting.list({ limit: 20 })) {
 *   console.log(entry.notification.resource, attempts, failure);
 *   if (attempts < 3) await inbox.waiting.retryNow(entry.key);
 *   else await inbox.waiting.remove(entry.key);
 * }
 * await inbox.waiting.retryAll(({ failure }) => failure?.includes('TimeoutError') === true);
 * await inbox.waiting.removeAll(({ entry }) => entry.notification.topic === 'items');
 */
export class WaitingEntries<Entry extends { readonly key: string }> extends StoredEntries<WaitingEntry<Entry>> {
  /** @internal */
  constructor(shown: Shown<Entry>) {
    super(shown, ['waiting', 'running'], (status) => waitingOf(shown.entryOf(status), status));
  }

  /**
   * Has one handled now instead of after its delay. It has the attempts that it has. `false` if none waits with this key, or
   * its resource is being handled.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async retryNow(key: string): Promise<boolean> {
    assertKey(key);
    const { store, storedKey, wake } = this.shown;
    const found = await store.again(storedKey(key), 'open');
    if (found) wake();
    return found;
  }

  /**
   * Has all handled now, or those for which `where` returns `true`. Returns for how many that is so.
   *
   * @throws {ConfigurationError} when `where` is not a function.
   */
  async retryAll(where: (waiting: WaitingEntry<Entry>) => boolean = () => true): Promise<number> {
    return this.forEach(where, (key) => this.retryNow(key));
  }
}

function waitingOf<Entry>(entry: Entry, status: Status): WaitingEntry<Entry> {
  const { failures, failure, notes, nextInMs, addedAt, number } = status;
  return {
    entry,
    attempts: failures,
    ...(failure !== undefined && { failure }),
    ...unsure(status),
    ...((notes as RunNotes).followedSince !== undefined && { isModerated: true }),
    ...(nextInMs !== undefined && { nextInMs }),
    addedAt,
    number,
  };
}

/** A notification or a job that was given up. */
export interface DeadLetter<Entry> {
  readonly entry: Entry;
  readonly attempts: number;
  /** The name and the message of the last error. */
  readonly failure: string;
  /** Whether a write of it may have been carried out: look whether the buyer has it before you replay it. */
  readonly isUnsure?: true | undefined;
  /** When it was given up, in milliseconds since 1970. */
  readonly deadLetteredAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/**
 * What was given up after its last attempt: notifications of an inbox, or jobs of an outbox.
 *
 * @example
 * for (const { entry, failure } of await inbox.deadLetters.list({ limit: 20 })) {
 *   console.log(entry.key, failure);
 *   if (failure.includes('TimeoutError')) await inbox.deadLetters.replay(entry.key);
 *   else await inbox.deadLetters.remove(entry.key);
 * }
 * console.log(await inbox.deadLetters.replayAll(({ entry }) => entry.notification.topic === 'questions'));
 * console.log(await inbox.deadLetters.removeAll(({ failure }) => failure.includes('NotFoundError')));
 */
export class DeadLetters<Entry extends { readonly key: string }> extends StoredEntries<DeadLetter<Entry>> {
  /** @internal */
  constructor(shown: Shown<Entry>) {
    super(shown, ['dead'], (status) => deadLetterOf(shown.entryOf(status), status));
  }

  /**
   * Handles a dead letter again, starting at its first attempt. `false` if there is none with this key. Writes of which nobody
   * knows whether they were carried out are sent again: look first whether the buyer has them.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async replay(key: string): Promise<boolean> {
    assertKey(key);
    return this.#replay(key, withoutUnknown);
  }

  /**
   * Handles dead letters again, each once: all, or those for which `where` returns `true`. Returns how many they are.
   * Writes of which nobody knows whether they were carried out are read back once more, and not sent.
   *
   * @throws {ConfigurationError} when `where` is not a function.
   */
  async replayAll(where: (letter: DeadLetter<Entry>) => boolean = () => true): Promise<number> {
    // One that is replayed and fails again at once is a dead letter again, with a later number, at any time: clocks differ.
    const seen = new Set<string>();
    const isMeant = (each: DeadLetter<Entry>): boolean => seen.size < seen.add(each.entry.key).size && where(each);
    return this.forEach(typeof where === 'function' ? isMeant : where, (key) => this.#replay(key, (writes) => writes));
  }

  async #replay(key: string, writesOf: typeof withoutUnknown): Promise<boolean> {
    const { store, storedKey, wake } = this.shown;
    const found = await store.get(storedKey(key));
    if (found?.state !== 'dead') return false;
    // Earlier failures do not count.
    const { writes = [], unknowns, wasLasting, ...reached } = found.notes as RunNotes;
    const isReplayed = await store.again(found.key, 'dead', { ...reached, writes: writesOf(writes) });
    if (isReplayed) wake();
    return isReplayed;
  }
}

function deadLetterOf<Entry>(entry: Entry, status: Status): DeadLetter<Entry> {
  const { failures, failure = '', endedAt = 0, number } = status;
  return { entry, attempts: failures, failure, ...unsure(status), deadLetteredAt: endedAt, number };
}

/** Whether a write may have been carried out. */
function unsure({ notes }: Status): { readonly isUnsure?: true } {
  const { writes = [] } = notes as RunNotes;
  return writes.length > withoutUnknown(writes).length ? { isUnsure: true } : {};
}

/** A notification or a job with a message that moderation rejected. */
export interface Rejected<Entry> {
  readonly entry: Entry;
  /** The reason of moderation, e.g. `PERSONAL_DATA`. */
  readonly reason: string;
  /** When that was known, in milliseconds since 1970. */
  readonly rejectedAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/** What moderation rejected, in the order in which that was known. */
function rejectedEntries<Entry extends { readonly key: string }>(shown: Shown<Entry>): StoredEntries<Rejected<Entry>> {
  return new StoredEntries(shown, ['rejected'], (status) => {
    const { failure: reason = '', endedAt: rejectedAt = 0, number } = status;
    return { entry: shown.entryOf(status), reason, rejectedAt, number };
  });
}

/** Which page of what is stored to list. */
export interface ListOptions {
  /**
   * The most that are listed.
   *
   * @default 100
   */
  readonly limit?: number | undefined;
  /**
   * Begin after the one with this `number`: the last one of the page before.
   *
   * @default 0: at the oldest
   */
  readonly after?: number | undefined;
}

/** The rules of `ListOptions`. */
export const listRules = { limit: integerFrom(1), after: integerFrom(0) };

/** Which page to list, see `ListOptions`. */
export type PageOfList = Readonly<Record<keyof ListOptions, number>>;

/** All that a list has from a page on, page by page. A page that is not full is the last. */
export async function* pagesOf<Each extends { readonly number: number }>(
  list: (page: PageOfList) => Promise<readonly Each[]>,
  { limit = 100, after: begin = 0 }: Partial<PageOfList> = {},
): AsyncGenerator<readonly Each[], undefined> {
  for (let after = begin; ;) {
    const page = await list({ limit, after });
    yield page;
    const last = page.at(-1);
    if (page.length < limit || !last) return;
    after = last.number;
  }
}

/** Without types, a store could get `undefined` or the whole object. */
export function assertKey(key: unknown): void {
  if (typeof key !== 'string')
    throw new ConfigurationError('`key` must be a string: the `entry.key` of what is listed');
}

/** Without types, a filter could be an object: it would mean all. */
function assertFilter(where: unknown): void {
  if (typeof where !== 'function') throw new ConfigurationError('The filter must be a function that returns a boolean');
}

/** Begins to look at a store for `opener`, which changes nothing in its layout. Returns what ends that. @throws {ConfigurationError} when it is none */
export function lookAt(store: Store | Engine, opener: string): { inner: Shelf; close: () => Promise<void> } {
  const problem = storeRule(store);
  if (problem !== undefined) throw new ConfigurationError(`${opener} ${problem}`);
  const inner = store as InnerStore | InnerEngine;
  useStore(inner);
  inner.onlyOpen?.();
  let closed: Promise<void> | undefined;
  return { inner, close: () => (closed ??= leaveStore(inner)) };
}
