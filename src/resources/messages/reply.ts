import type { Requester } from '../../core/operation/requester.js';
import { InvalidInputError } from '../../core/errors/errors.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { Deadline } from '../../core/scope/deadline.js';
import type { SentMessage } from '../post-sale/message.js';
import { packOf, resourceOf } from '../post-sale/pack.js';
import { answer } from './contact.js';
import { readCorrespondence } from './correspondence.js';
import { contactParams } from './schemas.js';
import type { ContactParams } from './schemas.js';

/** What a reply contains: its text, or its text and the ids of uploaded files. */
export type ReplyContent = string | Pick<ContactParams, 'text' | 'attachments'>;

/** Replies to a message, to whom its conversation shows. `options.deadlineMs` limits all its calls together. */
export async function reply(
  requester: Requester,
  message: SentMessage,
  content: ReplyContent,
  options: CallOptions = {},
): Promise<SentMessage | undefined> {
  const given = typeof content === 'string' ? { text: content } : { ...content };
  const input = { pack_id: packOf(message), user_id: sellerOf(message), ...given };
  const checked = contactParams.safeParse(input);
  if (!checked.success) throw new InvalidInputError(checked.error.issues);
  const deadline = new Deadline('reply()', options.deadlineMs);
  const found = await deadline.within(options, (limited) => readCorrespondence(requester, input, limited));
  const { from } = message;
  // A message that the conversation does not show yet is shown by itself.
  const counterpart =
    found.counterpart ??
    (typeof from?.user_id === 'number' && String(from.user_id) !== String(input.user_id)
      ? { user_id: from.user_id }
      : undefined);
  return deadline.within(options, (limited) => answer(requester, { ...found, counterpart }, input, limited));
}

/** The seller of a message's conversation: the resource that it names, otherwise its receiver. */
function sellerOf(message: SentMessage): number | string {
  const seller = resourceOf(message, 'sellers') ?? message.to?.user_id ?? undefined;
  if (seller !== undefined) return seller;
  const issue = { path: ['to', 'user_id'], message: 'the message names no seller to reply as; use `messages.contact`' };
  throw new InvalidInputError([issue]);
}
