import { millisecondsOf } from '../../core/schema/define.js';
import type { Message } from '../../resources/post-sale/message.js';
import { isAnswerable } from '../../resources/questions/question-facts.js';
import { FifoMap } from '../../work/fifo-map.js';
import type { NotificationClient } from './read-notification.js';

/** How old a missed message may be, in milliseconds. What was handled is remembered for longer than that. */
const maxAgeMs = 7 * 86_400_000;
/** How long it is remembered that a message was handled, in milliseconds: it may stay unread for ever. */
export const messageRememberedMs = maxAgeMs + 86_400_000;

/** How many messages of a conversation are read at most. */
const maxRead = 200;

type MessagesOfClient = NonNullable<NotificationClient['messages']>;

/** The messages of one conversation that a seller has neither read nor answered. */
interface UnansweredMessages {
  readonly pack_id: string;
  readonly found: number;
  /** The oldest first; none if nothing is new since the conversation was read before. */
  readonly ids: readonly string[];
}

/** The buyers' messages that a seller has neither read nor answered, conversation by conversation. */
export async function* unreadMessages(
  { messages }: NotificationClient,
  user_id: number,
  conversations: ReadConversations,
): AsyncGenerator<UnansweredMessages> {
  if (!messages) return;
  const listed = (await messages.unread()).results;
  const pack_ids = listed.map(({ pack_id }) => String(pack_id));
  conversations.keep(user_id, pack_ids);
  for (const { pack_id: id, count } of listed) {
    if (id === undefined || id === null) continue;
    const pack_id = String(id);
    const place = [user_id, pack_id, count ?? undefined] as const;
    const found = conversations.found(...place);
    if (found !== undefined) {
      yield { pack_id, found, ids: [] };
      continue;
    }
    const read = await newestOf(messages, id, user_id);
    const ids = unansweredOf(read, user_id);
    yield { pack_id, found: ids.length, ids };
    // Not when they were not added: then the next round reads it again.
    conversations.add(...place, { found: ids.length, shown: unreadOf(read, user_id).length });
  }
}

/** The messages of a conversation that a seller has not answered, the oldest first. Marks nothing as read. */
export async function unansweredIn(
  messages: MessagesOfClient,
  pack_id: string,
  user_id: number,
): Promise<readonly string[]> {
  return unansweredOf(await newestOf(messages, pack_id, user_id), user_id);
}

/** The newest messages of a conversation, up to the last one that the seller wrote. */
async function newestOf(
  messages: MessagesOfClient,
  pack_id: number | string,
  user_id: number,
): Promise<readonly Message[]> {
  const read: Message[] = [];
  for await (const { items } of messages.conversation({ pack_id, user_id, limit: 50, mark_as_read: false }).pages()) {
    read.push(...items);
    if (read.length >= maxRead || items.some((message) => isOf(message, user_id))) break;
  }
  return read;
}

function unansweredOf(read: readonly Message[], user_id: number): readonly string[] {
  const answeredAt = Math.max(Date.now() - maxAgeMs, ...read.filter((each) => isOf(each, user_id)).map(timeOf));
  return read
    .filter((each) => !isOf(each, user_id) && timeOf(each) > answeredAt)
    .toSorted((a, b) => timeOf(a) - timeOf(b))
    .map(({ id }) => id);
}

function unreadOf(read: readonly Message[], user_id: number): readonly Message[] {
  return read.filter((each) => !isOf(each, user_id) && !each.message_date?.read);
}

/** Only what names a buyer or an agent as its sender is not the seller's. */
function isOf({ from }: Message, user_id: number): boolean {
  const sender = from?.user_id ?? undefined;
  return sender === undefined || String(sender) === String(user_id);
}

function timeOf({ message_date }: Message): number {
  const written = message_date?.created ?? message_date?.received ?? message_date?.available;
  return written ? millisecondsOf(written) || 0 : 0;
}

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
const maxReadSellers = 20_000;

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
  readonly #bySeller = new FifoMap<Map<string, ConversationReading>>(maxReadSellers);

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

/** How often the unread list of a seller is asked, whatever the number of messages that are looked for, in milliseconds. */
const askAgainMs = 60_000;
/** For this many sellers it is remembered what their lists have shown. */
const maxAskedSellers = 10_000;

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
  readonly #bySeller = new FifoMap<UnreadList>(maxAskedSellers);
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
    const known = this.#bySeller.get(String(user_id));
    // The clock was set back: nobody knows which of the two times is later.
    const last = known && known.askedAt <= Date.now() ? known : undefined;
    const shownIn = (await last?.packs)?.get(message_id);
    if (shownIn !== undefined) return { shownIn };
    const waitedMs = last ? Math.max(0, Date.now() - last.askedAt) : Infinity;
    if (last && last.askedAt > missingAt && !last.failure) return { shownIn: undefined };
    if (waitedMs < askAgainMs) return { againInMs: askAgainMs - waitedMs };
    // Another one may have asked meanwhile.
    const current = this.#bySeller.get(String(user_id));
    const asked = current === undefined || current === known ? this.#ask(client, user_id) : current;
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

/** The ids of the questions to a seller that take an answer, the newest first, page by page. */
export async function* unansweredQuestions(
  client: NotificationClient,
  seller_id: number,
): AsyncGenerator<readonly number[]> {
  const filters = { status: 'UNANSWERED' } as const;
  const search = client.questions.search({ seller_id, sort_fields: ['date_created'], sort_types: ['DESC'], filters });
  for await (const { items } of search.pages()) {
    // The specification does not name the filters, so the service may ignore one.
    yield items.filter(isAnswerable).map(({ id }) => id);
  }
}
