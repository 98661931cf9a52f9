import type { Requester } from '../../core/operation/requester.js';
import { InvalidInputError } from '../../core/errors/errors.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { Deadline } from '../../core/scope/deadline.js';
import type { ActionGuide } from '../action-guide/action-guide.js';
import { ExceptedCaseError } from '../post-sale/errors.js';
import type { SentMessage } from '../post-sale/message.js';
import { closedBy } from './closed-channel.js';
import { readCorrespondence, receiverOf, throwIfOther } from './correspondence.js';
import type { Correspondence } from './correspondence.js';
import { messageEndpoints } from './endpoints.js';
import { NoChannelError } from './errors.js';
import { contactParams } from './schemas.js';
import type { ContactParams } from './schemas.js';

/** The result of a contact. */
export interface ContactResult {
  /** `option`: the option OTHER of the action guide. `conversation`: a message of the conversation. */
  readonly channel: 'option' | 'conversation';
  /** The message that the service returned. Check it with `moderationOf(message)`. */
  readonly message: SentMessage | undefined;
}

type FirstContact = Pick<ActionGuide, 'options' | 'send'>;

/** Sends a message through the open channel. `options.deadlineMs` limits all its calls together. */
export async function contact(
  requester: Requester,
  actionGuide: FirstContact,
  input: ContactParams,
  options: CallOptions = {},
): Promise<ContactResult> {
  const checked = contactParams.safeParse(input);
  // Checked first, so that wrong input is reported at once, whichever channel is open.
  if (!checked.success) throw new InvalidInputError(checked.error.issues);
  const deadline = new Deadline('contact()', options.deadlineMs);
  try {
    const found = await deadline.within(options, (limited) => readCorrespondence(requester, input, limited));
    throwIfOther(found.counterpart, input.to);
    if (!found.hasBuyerWritten) {
      try {
        return await deadline.within(options, (limited) => first(actionGuide, input, limited));
      } catch (error) {
        if (!(error instanceof ExceptedCaseError)) throw error;
      }
    }
    const message = await deadline.within(options, (limited) => answer(requester, found, input, limited));
    return { channel: 'conversation', message };
  } catch (error) {
    throw closedBy(error) ?? error;
  }
}

/** Sends a message in a conversation that was read, to whom it shows. */
export function answer(
  requester: Requester,
  found: Correspondence,
  input: ContactParams,
  options: CallOptions,
): PromiseLike<SentMessage | undefined> {
  return requester.call(messageEndpoints.send, { ...input, to: receiverOf(found, input.to) }, options);
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
