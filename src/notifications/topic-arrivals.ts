import { FifoMap } from '../work/fifo-map.js';
import type { Ledger } from '../work/ledger.js';
import type { TopicStats } from './stores/store.js';

const name = 'arrivals';
/** How long the arrivals are kept after the last one, in milliseconds. */
const keptMs = 30 * 86_400_000;
/** How exactly they are kept: each topic at most once in this time, in milliseconds. */
const exactMs = 1_000;
/** Strangers can invent any number of topics: those that came last are kept. */
const maxTopics = 100;

/** When the last notification of each topic was added, in milliseconds since 1970. */
export type Arrivals = Readonly<Record<string, number>>;

/** Remembers in a ledger when notifications of each topic came, where it is forgotten with what was handled. */
export class TopicArrivals {
  readonly #ledger: Ledger;
  readonly #noted = new FifoMap<number>(maxTopics);

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** A notification was added. Never rejects: to miss one changes only a figure. */
  async note(topic: string): Promise<void> {
    const now = Date.now();
    if (now - (this.#noted.get(topic) ?? 0) < exactMs) return;
    this.#noted.delete(topic);
    this.#noted.set(topic, now);
    try {
      const value = await this.#ledger.get(name);
      const arrivals = Object.entries({ ...parsed(value), [topic]: now }).toSorted(([, a], [, b]) => b - a);
      const kept = JSON.stringify(Object.fromEntries(arrivals.slice(0, maxTopics)));
      await this.#ledger.replace(name, value, kept, keptMs);
    } catch {
      this.#noted.delete(topic);
    }
  }

  async read(): Promise<Arrivals> {
    return parsed(await this.#ledger.get(name));
  }
}

function parsed(value: string | undefined): Arrivals {
  return value === undefined ? {} : (JSON.parse(value) as Arrivals);
}

/** What is known of each topic: what waits of it, and its last arrival. */
export function topicsWith(
  arrivals: Arrivals,
  waiting: Iterable<readonly [string, TopicStats]>,
): Record<string, TopicStats> {
  const topics = new Map(Object.entries(arrivals).map(([topic, at]) => [topic, { waiting: 0, lastArrivalAt: at }]));
  for (const [topic, stats] of waiting) {
    const lastArrivalAt = Math.max(stats.lastArrivalAt, topics.get(topic)?.lastArrivalAt ?? 0);
    topics.set(topic, { ...stats, lastArrivalAt });
  }
  return Object.fromEntries(topics);
}
