import type { Requester } from '../../core/operation/requester.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { Deadline } from '../../core/scope/deadline.js';
import { isWord } from '../fields.js';
import type { ActionGuide } from '../action-guide/action-guide.js';
import { ExceptedCaseError } from '../post-sale/errors.js';
import { messageTextLimit } from '../post-sale/text.js';
import { closedBy } from './closed-channel.js';
import { readCorrespondence } from './correspondence.js';
import type { ChannelParams, Counterpart } from './correspondence.js';
import { NoChannelError } from './errors.js';
import { attachmentsLimit } from './limits.js';
import type { ConversationStatus } from './schemas.js';

/** An open channel to a buyer, and what a message may contain. */
export interface OpenChannel {
  /** `option`: the option OTHER of the action guide. `conversation`: a message of the conversation. */
  readonly channel: 'option' | 'conversation';
  /** The maximum length of the text, in characters. */
  readonly maxLength: number;
  /** The maximum number of attachments; 0 for an option. */
  readonly maxAttachments: number;
  /**
   * The user whom the conversation shows: the buyer, or an agent in the buyer's place. Use it as `to` of `send`. It is
   * `undefined` if nobody has written yet.
   */
  readonly counterpart: Counterpart | undefined;
}

/** Finds the open channel to a buyer without sending anything. */
export async function openChannel(
  requester: Requester,
  actionGuide: Pick<ActionGuide, 'options'>,
  input: ChannelParams,
  options: CallOptions = {},
): Promise<OpenChannel> {
  // Also without an input, so that the first call says what is missing.
  const { pack_id, user_id } = { ...input };
  const deadline = new Deadline('channel()', options.deadlineMs);
  const found = await deadline.within(options, (limited) =>
    readCorrespondence(requester, { pack_id, user_id }, limited),
  );
  const { status, maxLength, counterpart } = found;
  const viaConversation = (): OpenChannel => {
    throwIfBlocked(status);
    return { channel: 'conversation', maxLength, maxAttachments: attachmentsLimit, counterpart };
  };
  if (found.hasBuyerWritten) return viaConversation();
  try {
    const limits = await deadline.within(options, (limited) => viaOption(actionGuide, pack_id, limited));
    return { ...limits, counterpart };
  } catch (error) {
    if (error instanceof ExceptedCaseError) return viaConversation();
    throw closedBy(error) ?? error;
  }
}

async function viaOption(
  actionGuide: Pick<ActionGuide, 'options'>,
  pack_id: ChannelParams['pack_id'],
  options: CallOptions,
): Promise<Omit<OpenChannel, 'counterpart'>> {
  const offered = await actionGuide.options({ pack_id }, options);
  const other = offered.options.find(({ id }) => isWord(id, 'OTHER'));
  if (!other) throw closed('option_not_offered', 'the pack has no option OTHER');
  if (other.enabled === false || other.actionable === false)
    throw closed('option_not_offered', 'the option OTHER is not enabled for this pack');
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
