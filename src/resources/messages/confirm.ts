import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext } from '../../core/operation/endpoint.js';
import { compareText, confirmByList } from '../../core/recover/confirm-by-list.js';
import { readEnds } from '../../core/recover/shown-list.js';
import type { ShownPage } from '../../core/recover/shown-list.js';
import type { Message, SentMessage } from '../post-sale/message.js';
import { conversation } from './reads.js';
import type { SendMessageParams } from './schemas.js';

/** The default length of a page of a conversation. */
const conversationPage = 10;

/** Looks for a message at both ends of its conversation. */
export async function confirmSent(
  input: SendMessageParams,
  context: ConfirmContext,
): Promise<Confirmation<SentMessage | undefined>> {
  const shown = await readEnds((offset) => messagesFrom(offset, input, context), conversationPage);
  const own = shown.entries.filter(({ from }) => isFrom(from?.user_id, input));
  const entries = own.map((entry) => ({
    entry,
    name: messageEntry(entry),
    compare: (sent: SendMessageParams) => contentOf(entry, sent),
    date: entry.message_date?.created ?? entry.message_date?.received,
  }));
  return confirmByList<SentMessage | undefined, SendMessageParams>({ ...shown, entries }, input, context);
}

/** The name of a message in the book of writes. */
export function messageEntry(sent: SentMessage | undefined): string | undefined {
  return typeof sent?.id === 'string' ? `message ${sent.id}` : undefined;
}

/** Reads a page of a conversation, and marks nothing as read. */
async function messagesFrom(
  offset: number | undefined,
  { pack_id, user_id }: SendMessageParams,
  context: ConfirmContext,
): Promise<ShownPage<Message>> {
  const page = { pack_id, user_id, limit: 50, mark_as_read: false, ...(offset !== undefined && { offset }) };
  const reading = await context.read(conversation, page);
  const { messages: entries, paging } = reading.data;
  return { reading, entries, total: paging?.total };
}

/** A message without a sender counts as the seller's, because either side may have sent it. */
function isFrom(user_id: number | null | undefined, input: SendMessageParams): boolean {
  return user_id === null || user_id === undefined || String(user_id) === String(input.from?.user_id ?? input.user_id);
}

/**
 * Compares text and files. The same text with other files is `similar`: another message, or this one without its files.
 */
function contentOf({ text, message_attachments }: Message, sent: SendMessageParams): ReturnType<typeof compareText> {
  const content = compareText(text, sent.text);
  const files = (message_attachments ?? []).map(({ filename }) => filename);
  const sentFiles = sent.attachments ?? [];
  const isSame = files.length === sentFiles.length && sentFiles.every((id) => files.includes(String(id)));
  return content === 'same' && !isSame ? 'similar' : content;
}
