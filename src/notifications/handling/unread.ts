import type { Message } from '../../resources/post-sale/message.js';
import { millisecondsOf } from '../../core/schema/dates.js';
import type { ReadConversations } from './read-conversations.js';
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
