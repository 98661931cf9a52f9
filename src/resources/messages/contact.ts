import { InvalidInputError } from '../../core/errors/errors.js';
import type { CallOptions } from '../../core/options/call-options.js';
import { Deadline } from '../../core/scope/deadline.js';
import type { ActionGuide } from '../action-guide/action-guide.js';
import { ExceptedCaseError } from '../post-sale/errors.js';
import type { Message } from '../post-sale/message.js';
import { isFromBuyer } from './channel.js';
import { closedBy } from './closed-channel.js';
import { NoChannelError } from './no-channel-error.js';
import { sendMessageParams } from './schemas.js';
import type { ConversationParams, SendMessageParams } from './schemas.js';

/** A message that is sent to a buyer through the open channel. It has the fields of `messages.send`. */
export interface ContactParams extends SendMessageParams {}

/** The result of a contact. */
export interface ContactResult {
  /** `option`: the option OTHER of the action guide. `conversation`: a message of the conversation. */
  readonly channel: 'option' | 'conversation';
  /** The message that the service returned. Check it with `isModerated(message)`. */
  readonly message: Message | undefined;
}

/** The methods of `Messages` that `contact` needs. */
interface Correspondence {
  conversation(input: ConversationParams, options?: CallOptions): AsyncIterable<Message>;
  send(input: SendMessageParams, options?: CallOptions): PromiseLike<Message | undefined>;
}
type FirstContact = Pick<ActionGuide, 'options' | 'send'>;

/** Sends a message through the open channel. `options.deadlineMs` limits all its calls together. */
export async function contact(
  messages: Correspondence,
  actionGuide: FirstContact,
  input: ContactParams,
  options: CallOptions = {},
): Promise<ContactResult> {
  const checked = sendMessageParams.safeParse(input);
  // Checked first, so that wrong input is reported at once, whichever channel is open.
  if (!checked.success) throw new InvalidInputError(checked.error.issues);
  const deadline = new Deadline('contact()', options.deadlineMs);
  const replyInTime = (): Promise<ContactResult> =>
    deadline.within(options, (limited) => reply(messages, input, limited));
  try {
    if (await deadline.within(options, (limited) => hasBuyerWritten(messages, input, limited)))
      return await replyInTime();
    return await deadline.within(options, (limited) => first(actionGuide, input, limited));
  } catch (error) {
    if (!(error instanceof ExceptedCaseError)) throw closedBy(error) ?? error;
  }
  try {
    return await replyInTime();
  } catch (error) {
    throw closedBy(error) ?? error;
  }
}

async function hasBuyerWritten(messages: Correspondence, input: ContactParams, options: CallOptions): Promise<boolean> {
  const { pack_id, user_id } = input;
  for await (const message of messages.conversation({ pack_id, user_id, mark_as_read: false }, options)) {
    if (isFromBuyer(message, input)) return true;
  }
  return false;
}

async function reply(messages: Correspondence, input: ContactParams, options: CallOptions): Promise<ContactResult> {
  return { channel: 'conversation', message: await messages.send(input, options) };
}

async function first(
  actionGuide: FirstContact,
  { pack_id, text, attachments = [] }: ContactParams,
  options: CallOptions,
) {
  if (attachments.length > 0) {
    // If the pack is an excepted case, this throws, and `contact` sends the files through the conversation.
    await actionGuide.options({ pack_id }, options);
    throw new NoChannelError(
      'The message was not sent: the buyer has not written yet, and a first message carries no attachments. Send the text alone, and the files after the reply.',
      { reason: 'attachments' },
    );
  }
  return {
    channel: 'option' as const,
    message: await actionGuide.send({ pack_id, option_id: 'OTHER', text }, options),
  };
}
