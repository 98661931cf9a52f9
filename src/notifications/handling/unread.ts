import type { Message } from '../../resources/post-sale/message.js';
import { millisecondsOf } from '../../core/schema/dates.js';
import type { NotificationClient } from './read-notification.js';

/** How old a missed message may be, in milliseconds. What was handled is remembered for longer than that. */
const maxAgeMs = 7 * 86_400_000;
/** How long it is remembered that a message was handled, in milliseconds: it may stay unread for ever. */
export const messageRememberedMs = maxAgeMs + 86_400_000;

/** How many messages of a conversation are read at most. */
const maxRead = 200;

/** The ids of the buyers' messages that a seller has neither read nor answered, conversation by conversation, oldest first. */
export async function* unreadMessages(client: NotificationClient, user_id: number): AsyncGenerator<readonly string[]> {
  const { messages } = client;
  if (!messages) return;
  // A count may include messages that moderation hides, so it says nothing here.
  for (const { pack_id } of (await messages.unread()).results) {
    if (pack_id === undefined || pack_id === null) continue;
    yield unansweredOf(await conversationOf(messages, pack_id, user_id), user_id);
  }
}

/** The newest messages of a conversation, up to the last one that the seller wrote. Marks nothing as read. */
async function conversationOf(
  messages: NonNullable<NotificationClient['messages']>,
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

/** Only what names a buyer or an agent as its sender is not the seller's. */
function isOf({ from }: Message, user_id: number): boolean {
  const sender = from?.user_id ?? undefined;
  return sender === undefined || String(sender) === String(user_id);
}

function timeOf({ message_date }: Message): number {
  const written = message_date?.created ?? message_date?.received ?? message_date?.available;
  return written ? millisecondsOf(written) || 0 : 0;
}
