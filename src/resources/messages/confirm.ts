import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext } from '../../core/operation/endpoint.js';
import { actionGuideEndpoints } from '../action-guide/endpoints.js';
import { compareText, confirmByList } from '../confirm-by-list.js';
import type { Likeness } from '../confirm-by-list.js';
import { dateOf, isFrom, messageEntry, readConversation } from '../post-sale/conversation.js';
import type { Message, SentMessage } from '../post-sale/message.js';
import type { SendMessageParams } from './schemas.js';

/** Looks for a message at both ends of its conversation. */
export async function confirmSent(
  input: SendMessageParams,
  context: ConfirmContext,
): Promise<Confirmation<SentMessage | undefined>> {
  const shown = await readConversation(input, context);
  const own = shown.entries.filter((entry) => isFrom(entry, input.from?.user_id ?? input.user_id));
  const entries = own.map((entry) => ({
    entry,
    name: messageEntry(entry),
    date: dateOf(entry),
    compare: (sent: SendMessageParams) => likenessOf(entry, sent),
  }));
  const { pack_id } = input;
  const beside = [{ endpoint: actionGuideEndpoints.send, input: { pack_id, option_id: 'OTHER' } }];
  return confirmByList<SentMessage | undefined, SendMessageParams>({ ...shown, entries, beside }, input, context);
}

/**
 * Compares text and files. The same text with other files is `similar`: another message, or this one without its files.
 */
function likenessOf({ text, message_attachments }: Message, sent: SendMessageParams): Likeness {
  const likeness = compareText(text, sent.text);
  const files = (message_attachments ?? []).map(({ filename }) => filename);
  const sentFiles = sent.attachments ?? [];
  const isSame = files.length === sentFiles.length && sentFiles.every((id) => files.includes(String(id)));
  return likeness === 'same' && !isSame ? 'similar' : likeness;
}
