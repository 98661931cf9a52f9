import { FifoMap } from '../../work/fifo-map.js';

/** What reading a conversation with unread messages has shown. */
interface ConversationReading {
  /** The count of the list before it was read. */
  readonly count: number | undefined;
  /** How many of its messages the seller has not answered. */
  readonly found: number;
  /** On the monotonic clock. */
  readonly readAt: number;
  /** How long it is not read again unless the count changes, in milliseconds. */
  readonly againMs: number;
}

/** For this many sellers it is remembered what was read. Of one that is forgotten, all is read once more. */
const maxSellers = 20_000;

/** When a conversation that has shown as many unread messages as the list counts is read again, in milliseconds. */
const firstAgainMs = 3_600_000;
/** When one that has shown fewer is read again after the next round, in milliseconds. */
const leastAgainMs = 900_000;
/** The delay doubles up to this one, in milliseconds. */
const mostAgainMs = 8 * 3_600_000;

/**
 * What the rounds of `catchUp` have read of the conversations of each seller: a message may stay unread for ever, and its
 * conversation need not be read in each round.
 *
 * A new message changes the count of the list, or puts the conversation back into it, so that the next round reads it. The
 * count stays the same only where the seller has read as many messages between two rounds as have come, or where moderation
 * shows a message that was counted before. Hence a conversation that has shown fewer than are counted is read in the next round
 * too, and every one again after a delay that doubles, which stays far below the age of the messages that are looked for.
 */
export class ReadConversations {
  readonly #bySeller = new FifoMap<Map<string, ConversationReading>>(maxSellers);

  /** Forgets the conversations of a seller that the list does not name: what makes them unread again is new. */
  keep(user_id: number, pack_ids: readonly string[]): void {
    const readings = this.#of(user_id);
    const listed = new Set(pack_ids);
    for (const pack_id of readings.keys()) if (!listed.has(pack_id)) readings.delete(pack_id);
  }

  /** How many unanswered messages a conversation has, if it need not be read now. */
  found(user_id: number, pack_id: string, count: number | undefined): number | undefined {
    const last = this.#of(user_id).get(pack_id);
    if (!last || last.count !== count || performance.now() - last.readAt >= last.againMs) return undefined;
    return last.found;
  }

  /** A conversation was read, and what was found is stored. `shown` is the number of its unread messages. */
  add(
    user_id: number,
    pack_id: string,
    count: number | undefined,
    { found, shown }: { readonly found: number; readonly shown: number },
  ): void {
    const readings = this.#of(user_id);
    const last = readings.get(pack_id);
    const firstMs = count === undefined || shown >= count ? firstAgainMs : 0;
    const againMs =
      last?.count === count && last ? Math.min(Math.max(last.againMs * 2, leastAgainMs), mostAgainMs) : firstMs;
    readings.set(pack_id, { count, found, readAt: performance.now(), againMs });
  }

  #of(user_id: number): Map<string, ConversationReading> {
    const key = String(user_id);
    let readings = this.#bySeller.get(key);
    if (!readings) this.#bySeller.set(key, (readings = new Map<string, ConversationReading>()));
    return readings;
  }
}
