import { FifoMap } from '../../work/fifo-map.js';
import { ReadConversations } from './read-conversations.js';
import type { NotificationClient } from './read-notification.js';
import { unreadMessages } from './unread.js';

/** How often the unread list of a seller is asked, whatever the number of messages that are looked for, in milliseconds. */
const askAgainMs = 60_000;
/** For this many sellers it is remembered what their lists have shown. */
const maxSellers = 10_000;

interface UnreadList {
  /** In milliseconds since 1970. */
  readonly askedAt: number;
  /** The pack of each message that the seller has neither read nor answered. */
  readonly packs: Promise<ReadonlyMap<string, string>>;
  /** Why it could not be read as a whole. */
  failure?: { readonly error: unknown };
}

/** The pack whose conversation shows a message; none if no list shows it; or when a list is asked that may. */
export type MessageShown = { readonly shownIn: string | undefined } | { readonly againInMs: number };

/**
 * Finds messages in the conversations of the unread list whose own path stays 404. What may be forged costs one list a minute, and each
 * conversation is read only when its count has changed.
 */
export class ShownMessages {
  readonly #bySeller = new FifoMap<UnreadList>(maxSellers);
  readonly #conversations = new ReadConversations();

  /**
   * Looks for a message that its own path did not show at a time, in milliseconds since 1970: only a list that was asked later tells.
   *
   * @throws what prevented the reading of that list; after a minute, it is asked again.
   */
  async find(
    client: NotificationClient,
    user_id: number,
    message_id: string,
    missingAt: number,
  ): Promise<MessageShown> {
    const last = this.#bySeller.get(String(user_id));
    const shownIn = (await last?.packs)?.get(message_id);
    if (shownIn !== undefined) return { shownIn };
    const waitedMs = last ? Math.max(0, Date.now() - last.askedAt) : Infinity;
    if (last && last.askedAt > missingAt && !last.failure) return { shownIn: undefined };
    if (waitedMs < askAgainMs) return { againInMs: askAgainMs - waitedMs };
    // Another one may have asked meanwhile.
    const current = this.#bySeller.get(String(user_id));
    const asked = current === undefined || current === last ? this.#ask(client, user_id) : current;
    const packs = await asked.packs;
    if (asked.failure && !packs.has(message_id)) throw asked.failure.error;
    return { shownIn: packs.get(message_id) };
  }

  #ask(client: NotificationClient, user_id: number): UnreadList {
    const before = this.#bySeller.get(String(user_id))?.packs;
    const packs = new Map<string, string>();
    const read = async (): Promise<ReadonlyMap<string, string>> => {
      const known = [...((await before) ?? [])];
      try {
        for await (const { pack_id, ids } of unreadMessages(client, user_id, this.#conversations)) {
          // Of a conversation that was not read again, what it has shown before.
          for (const [id, pack] of known) if (pack === pack_id) packs.set(id, pack);
          for (const id of ids) packs.set(id, pack_id);
        }
      } catch (error) {
        list.failure = { error };
      }
      return packs;
    };
    const list: UnreadList = { askedAt: Date.now(), packs: Promise.resolve().then(read) };
    this.#bySeller.set(String(user_id), list);
    return list;
  }
}
