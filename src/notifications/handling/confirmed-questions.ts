import { FifoMap } from '../../work/fifo-map.js';
import type { NotificationClient } from './read-notification.js';
import { unansweredQuestions } from './unanswered.js';

/** How often the questions of one seller are searched at most, in milliseconds. */
const searchEveryMs = 500;
const maxSellers = 1_000;

interface Search {
  /** In milliseconds since 1970. What arrived before it, and is not among its ids, is not confirmed. */
  readonly startsAt: number;
  readonly ids: Promise<ReadonlySet<number>>;
}

/** Which questions a search confirms, while the breaker of their seller is open: true ones do not wait for the forged ones. */
export class ConfirmedQuestions {
  readonly #searches = new FifoMap<Search>(maxSellers);

  /** Whether a question is among those of the last search, or of a new one if it arrived after that. */
  async has(client: NotificationClient, seller_id: number, question_id: number, arrivedAt = 0): Promise<boolean> {
    const last = this.#searches.get(String(seller_id));
    if (last && (await last.ids).has(question_id)) return true;
    const latest = this.#searches.get(String(seller_id));
    // Those that wait at the same time share one search.
    const next = latest && arrivedAt < latest.startsAt ? latest : this.#search(client, seller_id, latest);
    return (await next.ids).has(question_id);
  }

  #search(client: NotificationClient, seller_id: number, last: Search | undefined): Search {
    const now = Date.now();
    const waitMs = Math.min(Math.max(0, (last?.startsAt ?? 0) + searchEveryMs - now), searchEveryMs);
    const ids = new Promise((resolve) => setTimeout(resolve, waitMs)).then(() => newestOf(client, seller_id));
    const search = { startsAt: now + waitMs, ids };
    this.#searches.set(String(seller_id), search);
    return search;
  }
}

/** The newest page of unanswered questions. A search that fails confirms nothing. */
async function newestOf(client: NotificationClient, seller_id: number): Promise<ReadonlySet<number>> {
  try {
    for await (const page of unansweredQuestions(client, seller_id)) return new Set(page);
  } catch {
    // What is not confirmed is tried again later.
  }
  return new Set();
}
