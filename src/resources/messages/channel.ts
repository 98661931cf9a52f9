import type { CallOptions } from '../../core/options/call-options.js';
import { Deadline } from '../../core/scope/deadline.js';
import { isWord } from '../../core/schema/word.js';
import type { Paged } from '../../core/pagination/paged.js';
import type { ActionGuide } from '../action-guide/action-guide.js';
import { ExceptedCaseError } from '../post-sale/errors.js';
import type { Message } from '../post-sale/message.js';
import { messageTextLimit } from '../post-sale/text.js';
import { closedBy } from './closed-channel.js';
import { NoChannelError } from './no-channel-error.js';
import { attachmentsLimit } from './limits.js';
import type { ConversationExtra, ConversationParams, ConversationStatus } from './schemas.js';

/** The conversation with a buyer. */
export interface ChannelParams extends Pick<ConversationParams, 'pack_id' | 'user_id'> {}

/** An open channel to a buyer, and what a message may contain. */
export interface OpenChannel {
  /** `option`: the option OTHER of the action guide. `conversation`: a message of the conversation. */
  readonly channel: 'option' | 'conversation';
  /** The maximum length of the text, in characters. */
  readonly maxLength: number;
  /** The maximum number of attachments; 0 for an option. */
  readonly maxAttachments: number;
}

/** The methods of `Messages` that `openChannel` needs. */
interface Conversations {
  conversation(input: ConversationParams, options?: CallOptions): Paged<Message, ConversationExtra>;
}

/** Finds the open channel to a buyer without sending anything. */
export async function openChannel(
  messages: Conversations,
  actionGuide: Pick<ActionGuide, 'options'>,
  input: ChannelParams,
  options: CallOptions = {},
): Promise<OpenChannel> {
  // Also without an input, so that the first call says what is missing.
  const { pack_id, user_id } = { ...input };
  const deadline = new Deadline('channel()', options.deadlineMs);
  const { status, maxLength, hasBuyerWritten } = await deadline.within(options, (limited) =>
    readConversation(messages, { pack_id, user_id }, limited),
  );
  const viaConversation = (): OpenChannel => {
    throwIfBlocked(status);
    return { channel: 'conversation', maxLength, maxAttachments: attachmentsLimit };
  };
  if (hasBuyerWritten) return viaConversation();
  try {
    return await deadline.within(options, (limited) => viaOption(actionGuide, pack_id, limited));
  } catch (error) {
    if (error instanceof ExceptedCaseError) return viaConversation();
    throw closedBy(error) ?? error;
  }
}

async function readConversation(messages: Conversations, of: ChannelParams, options: CallOptions) {
  let status: ConversationStatus | null | undefined;
  let maxLength = messageTextLimit;
  for await (const page of messages.conversation({ ...of, mark_as_read: false }, options).pages()) {
    status ??= page.conversation_status;
    maxLength = page.seller_max_message_length ?? maxLength;
    if (page.items.some((message) => isFromBuyer(message, of))) return { status, maxLength, hasBuyerWritten: true };
  }
  return { status, maxLength, hasBuyerWritten: false };
}

/** Whether a message of the conversation is not from the seller. */
export function isFromBuyer({ from }: Message, { user_id }: ChannelParams): boolean {
  return String(from?.user_id ?? user_id) !== String(user_id);
}

async function viaOption(
  actionGuide: Pick<ActionGuide, 'options'>,
  pack_id: ChannelParams['pack_id'],
  options: CallOptions,
): Promise<OpenChannel> {
  const offered = await actionGuide.options({ pack_id }, options);
  const other = offered.options.find(({ id }) => isWord(id, 'OTHER'));
  if (!other) throw closed('option_not_offered', 'the pack has no option OTHER');
  if (other.cap_available === 0)
    throw closed('cap_exhausted', 'the option OTHER is used up; wait until the buyer replies');
  return { channel: 'option', maxLength: other.char_limit ?? messageTextLimit, maxAttachments: 0 };
}

function throwIfBlocked(status: ConversationStatus | null | undefined): void {
  if (!isWord(status?.status, 'blocked')) return;
  const reason = status?.substatus ?? 'blocked';
  throw closed(reason, `the conversation is blocked (${reason})`);
}

function closed(reason: NoChannelError['reason'], why: string): NoChannelError {
  return new NoChannelError(`No channel is open: ${why}`, { reason });
}
