import type { Ledger } from '../../work/ledger.js';

const name = 'arrivals';
/** How long the arrivals are kept after the last one, in milliseconds. */
const keptMs = 30 * 86_400_000;
/** How exactly they are kept: each topic at most once in this time, in milliseconds. */
const exactMs = 1_000;
/** Strangers can invent any number of topics. */
const maxTopics = 100;

/** When the last notification of each topic was added, in milliseconds since 1970. */
export type Arrivals = Readonly<Record<string, number>>;

/** Remembers in a ledger when notifications of each topic came: a queue forgets it with its jobs. */
export class TopicArrivals {
  readonly #ledger: Ledger;
  readonly #kept = new Map<string, number>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** A notification was added. Never rejects: to miss one changes only a figure. */
  async note(topic: string): Promise<void> {
    const now = Date.now();
    if (now - (this.#kept.get(topic) ?? 0) < exactMs) return;
    if (!this.#kept.has(topic) && this.#kept.size >= maxTopics) return;
    this.#kept.set(topic, now);
    try {
      const value = await this.#ledger.get(name);
      const arrivals = parsed(value);
      if (!(topic in arrivals) && Object.keys(arrivals).length >= maxTopics) return;
      await this.#ledger.replace(name, value, JSON.stringify({ ...arrivals, [topic]: now }), keptMs);
    } catch {
      this.#kept.delete(topic);
    }
  }

  async read(): Promise<Arrivals> {
    return parsed(await this.#ledger.get(name));
  }
}

function parsed(value: string | undefined): Arrivals {
  return value === undefined ? {} : (JSON.parse(value) as Arrivals);
}
