import { FifoMap } from '../../work/fifo-map.js';
import type { QueuedNotification } from '../queued-notification.js';
import { MemoryRooms, roomOf } from './memory-rooms.js';
import { isOver, roomError } from './store-limits.js';
import type { ResolvedLimits } from './store-limits.js';
import type { StoreStats, TopicStats } from './store.js';
import type { WaitingNotification } from './waiting-list.js';

/** How many topics are remembered that nothing waits for. */
const maxIdleTopics = 1_000;
/** How many sellers and topics are remembered of which something was true. */
const maxKnown = 100_000;

/** What waits in memory: each with its place in a room, until when it is kept, and the counts of all. */
export class MemoryWaiting {
  readonly #limits: ResolvedLimits;
  readonly #all = new FifoMap<WaitingNotification>();
  readonly #rooms = new MemoryRooms();
  /** Those of which the service knows nothing. */
  readonly #unconfirmed = new MemoryRooms();
  /** What nothing has confirmed, in the order of arrival. */
  readonly #aging = new FifoMap<WaitingNotification>();
  readonly #known = new FifoMap<true>(maxKnown);
  readonly #topics = new FifoMap<Pick<TopicStats, 'waiting' | 'lastArrivalAt'>>();
  #added = 0;

  constructor(limits: ResolvedLimits) {
    this.#limits = limits;
  }

  get(key: string): WaitingNotification | undefined {
    return this.#all.get(key);
  }

  values(): Iterable<WaitingNotification> {
    return this.#all.values();
  }

  /** @throws {StoreFullError} when its user and topic have no room left. */
  assertRoom(entry: QueuedNotification, bytes: number): void {
    const [room, one, other] = [this.#rooms.of(entry), this.#rooms.total, this.#unconfirmed.total];
    const total = { entries: one.entries + other.entries, bytes: one.bytes + other.bytes };
    const isKnown = (): boolean => this.#known.has(roomOf(entry));
    const full = roomError(this.#limits, { room, total, isKnown }, bytes);
    if (full) throw full;
  }

  add(entry: QueuedNotification, bytes: number): WaitingNotification {
    const until = performance.now() + this.#limits.maxAgeMs;
    const waiting = { entry, bytes, number: ++this.#added, addedAt: Date.now(), until, failures: 0, stalls: 0 };
    this.#all.set(entry.key, waiting);
    this.#rooms.add(entry, bytes);
    // The service itself has named what `catchUp` found.
    if (!entry.caughtUp) this.#aging.set(entry.key, waiting);
    this.#arrived(entry.notification.topic);
    return waiting;
  }

  #arrived(topic: string): void {
    const waiting = (this.#topics.get(topic)?.waiting ?? 0) + 1;
    this.#topics.delete(topic);
    this.#topics.set(topic, { waiting, lastArrivalAt: Date.now() });
    const oldest = this.#topics.size > maxIdleTopics ? this.#topics.oldest() : undefined;
    if (oldest !== undefined && this.#topics.get(oldest)?.waiting === 0) this.#topics.delete(oldest);
  }

  delete({ entry }: WaitingNotification): void {
    this.#all.delete(entry.key);
    this.#aging.delete(entry.key);
    this.#rooms.delete(entry);
    this.#unconfirmed.delete(entry);
    const topic = this.#topics.get(entry.notification.topic);
    if (topic) this.#topics.set(entry.notification.topic, { ...topic, waiting: topic.waiting - 1 });
  }

  /** Moves an entry to the room that it belongs to, after the service was asked about it. */
  confirm(waiting: WaitingNotification, confirmed: boolean): void {
    const { entry, bytes } = waiting;
    waiting.confirmed = confirmed;
    this.#rooms.delete(entry);
    this.#unconfirmed.delete(entry);
    (confirmed ? this.#rooms : this.#unconfirmed).add(entry, bytes);
    if (confirmed) this.#aging.delete(entry.key);
    else this.#aging.set(entry.key, waiting);
    if (confirmed) this.#known.set(roomOf(entry), true);
  }

  /** The next one to delete because there are too many that nothing has confirmed. */
  excess(): WaitingNotification | undefined {
    return isOver(this.#limits, this.#unconfirmed.total)
      ? this.get(this.#unconfirmed.oldestOfLargest() ?? '')
      : undefined;
  }

  /** The next one to delete because nothing has confirmed it in time. */
  aged(): WaitingNotification | undefined {
    const oldest = this.#aging.get(this.#aging.oldest() ?? '');
    return oldest && oldest.until <= performance.now() ? oldest : undefined;
  }

  /** Counts what waits. */
  counts(): Pick<StoreStats, 'unconfirmed' | 'oldestAgeMs' | 'topics'> & { readonly all: number } {
    const oldest = this.#all.get(this.#all.oldest() ?? '');
    const unconfirmed = this.#unconfirmed.total.entries;
    return {
      all: this.#all.size,
      ...(unconfirmed > 0 && { unconfirmed }),
      ...(oldest && { oldestAgeMs: ageOf(oldest) }),
      topics: this.#topicStats(),
    };
  }

  #topicStats(): Record<string, TopicStats> {
    const oldest = new Map<string, WaitingNotification>();
    for (const each of this.#all.values()) {
      const { topic } = each.entry.notification;
      if (!oldest.has(topic)) oldest.set(topic, each);
    }
    const rows = [...this.#topics].map(([topic, counts]) => {
      const first = oldest.get(topic);
      return [topic, { ...counts, ...(first && { oldestAgeMs: ageOf(first) }) }] as const;
    });
    return Object.fromEntries(rows);
  }
}

function ageOf({ addedAt }: WaitingNotification): number {
  return Math.max(0, Date.now() - addedAt);
}
