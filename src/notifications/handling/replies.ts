import { SellerError } from '../../core/errors/seller-error.js';
import type { WriteRecord } from '../../core/recover/write-hook.js';
import { moderationOf, moderationReasonOf } from '../../resources/post-sale/moderation.js';
import type { SentMessage } from '../../resources/post-sale/message.js';
import type { NotificationClient } from './read-notification.js';

/** The endpoints that send messages, which moderation decides about. */
const sending = ['messages.send', 'actionGuide.send'];

/** What moderation has decided about the messages of a handler. */
export type RepliesDecision =
  | { readonly state: 'accepted' | 'pending' }
  /** `reason` is that of moderation. */
  | { readonly state: 'rejected'; readonly reason: string };

/** What the responses say about the messages that a handler has sent. */
export function decisionOf(writes: readonly WriteRecord[] = []): RepliesDecision {
  return together(messagesOf(writes));
}

/** Reads the messages that moderation has not decided about. What cannot be read now is read later. */
export async function readDecision(
  writes: readonly WriteRecord[] = [],
  { messages }: Partial<NotificationClient>,
  signal: AbortSignal,
): Promise<RepliesDecision> {
  const read = async (sent: SentMessage): Promise<SentMessage> => {
    if (moderationOf(sent) !== 'pending' || !sent.id || !messages) return sent;
    try {
      return await messages.get({ message_id: sent.id }, { signal });
    } catch (error) {
      if (error instanceof SellerError) return sent;
      throw error;
    }
  };
  return together(await Promise.all(messagesOf(writes).map(read)));
}

/** One that has no id cannot be read, so it is not followed. */
function messagesOf(writes: readonly WriteRecord[]): readonly SentMessage[] {
  const sent = writes.filter(
    ({ state, target }) => state === 'done' && sending.includes(target.split(' ', 1)[0] ?? ''),
  );
  return sent.flatMap(({ output }) => {
    const message = output as SentMessage | null | undefined;
    return message && (message.id || moderationOf(message) === 'rejected') ? [message] : [];
  });
}

function together(messages: readonly SentMessage[]): RepliesDecision {
  const rejected = messages.find((message) => moderationOf(message) === 'rejected');
  if (rejected) return { state: 'rejected', reason: moderationReasonOf(rejected) ?? 'moderation gave no reason' };
  return { state: messages.some((message) => moderationOf(message) === 'pending') ? 'pending' : 'accepted' };
}
