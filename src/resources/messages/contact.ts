import { InvalidInputError } from '../../core/errors/errors.js';
import { NotFoundError } from '../../core/errors/response-errors.js';
import type { Requester } from '../../core/operation/api-promise.js';
import { pagedCalls, type Paged } from '../../core/paging/paged.js';
import { millisecondsOf } from '../../core/schema/define.js';
import { checkFields } from '../../core/request/build-request.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { Deadline } from '../../core/scope/cancel-scope.js';
import type { ActionGuide } from '../action-guide/action-guide.js';
import { CapExhaustedError, OptionNotOfferedError } from '../action-guide/errors.js';
import { isWord } from '../fields.js';
import { packOf, resourceOf } from '../post-sale/conversation.js';
import { ConversationBlockedError, ExceptedCaseError } from '../post-sale/errors.js';
import { messageTextLimit, type SentMessage } from '../post-sale/message.js';
import { correspondence, messageEndpoints } from './endpoints.js';
import { MediationInProcessError, NoChannelError, NotYetDeliveredError, type NoChannelReason } from './errors.js';
import { attachmentsLimit, channelMessageParams } from './schemas.js';
import type {
  MessageInputs,
  ChannelMessageParams,
  ConversationExtra,
  ConversationStatus,
  Recipient,
} from './schemas.js';

/** The result of a contact. */
export interface ChannelMessage {
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
  input: ChannelMessageParams,
  options: CallOptions = {},
): Promise<ChannelMessage> {
  // Checked first, so that wrong input is reported at once, whichever channel is open.
  checkFields(channelMessageParams, input);
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
function answer(
  requester: Requester,
  found: Correspondence,
  input: ChannelMessageParams,
  options: CallOptions,
): PromiseLike<SentMessage | undefined> {
  return requester.call(messageEndpoints.send, { ...input, to: receiverOf(found, input.to) }, options);
}

async function first(
  actionGuide: FirstContact,
  { pack_id, text, attachments = [] }: ChannelMessageParams,
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

/** What a reply contains: its text, or its text and the ids of uploaded files. */
export type ReplyContent = string | Pick<MessageInputs['channelMessageParams'], 'text' | 'attachments'>;

/** Replies to a message, to whom its conversation shows. `options.deadlineMs` limits all its calls together. */
export async function reply(
  requester: Requester,
  message: SentMessage,
  content: ReplyContent,
  options: CallOptions = {},
): Promise<SentMessage | undefined> {
  const given = typeof content === 'string' ? { text: content } : { ...content };
  const input = { pack_id: packOfMessage(message), user_id: sellerOf(message), ...given };
  checkFields(channelMessageParams, input);
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

/** @throws {InvalidInputError} when the message names no pack, or is none. */
function packOfMessage(message: SentMessage): number | string {
  try {
    return packOf(message);
  } catch {
    const takes = '`reply` takes a message with its pack, as `messages.get` and a conversation return it, and a text';
    throw new InvalidInputError([{ path: [], message: takes }]);
  }
}

/** The seller of a message's conversation: the resource that it names, otherwise its receiver. */
function sellerOf(message: SentMessage): number | string {
  const seller = resourceOf(message, 'sellers') ?? message.to?.user_id ?? undefined;
  if (seller !== undefined) return seller;
  const issue = { path: ['to', 'user_id'], message: 'the message names no seller to reply as; use `messages.contact`' };
  throw new InvalidInputError([issue]);
}

/** The conversation with a buyer. */
export type ChannelParams = Pick<MessageInputs['conversationParams'], 'pack_id' | 'user_id'>;

/** The user to whom a seller's messages go: the buyer, or an agent whom the conversation shows in the buyer's place. */
export interface Counterpart {
  readonly user_id: number;
}

/** What a conversation shows of both sides. */
interface Correspondence {
  readonly status: ConversationStatus | null | undefined;
  /** The maximum length of the seller's next message, in characters. */
  readonly maxLength: number;
  readonly hasBuyerWritten: boolean;
  /** `undefined` if the conversation shows nobody yet. */
  readonly counterpart: Counterpart | undefined;
}

/** Reads a whole conversation without marking it as read. A message counts also if it has no id. */
async function readCorrespondence(
  requester: Requester,
  { pack_id, user_id }: ChannelParams,
  options: CallOptions,
): Promise<Correspondence> {
  const input = { pack_id, user_id, mark_as_read: false };
  const conversation: Paged<SentMessage, ConversationExtra> = pagedCalls(requester, correspondence, input, options, {
    key: (message) => message.id,
    read: ({ messages, paging, ...extra }) => ({ items: messages, total: paging?.total, limit: paging?.limit, extra }),
  });
  const messages: SentMessage[] = [];
  let status: Correspondence['status'];
  let maxLength = messageTextLimit;
  try {
    for await (const page of conversation.pages()) {
      status ??= page.conversation_status;
      maxLength = page.seller_max_message_length ?? maxLength;
      messages.push(...page.items);
    }
  } catch (error) {
    if (messages.length > 0 || !meansNothingWritten(error)) throw error;
  }
  const hasBuyerWritten = messages.some(({ from }) => isOther(from?.user_id, user_id));
  return { status, maxLength, hasBuyerWritten, counterpart: counterpartIn(messages, user_id) };
}

/** A conversation in which nobody has written may not exist yet. A page of a proxy proves nothing. */
function meansNothingWritten(error: unknown): boolean {
  return error instanceof NotFoundError && !(typeof error.body === 'string' && /^\s*</.test(error.body));
}

/** The other side of the newest message: its sender, or the receiver if the seller wrote it. */
function counterpartIn(messages: readonly SentMessage[], seller: ChannelParams['user_id']): Counterpart | undefined {
  const shown = messages.flatMap(({ from, to, message_date: date }) => {
    const user_id = [from?.user_id, to?.user_id].find((each) => isOther(each, seller));
    const at = millisecondsOf(date?.created ?? date?.received ?? '');
    return typeof user_id === 'number' ? [{ user_id, at: Number.isNaN(at) ? -Infinity : at }] : [];
  });
  // It is not documented which end of a conversation is newer. Of two with the same time, the first one counts.
  const [first, ...others] = shown;
  if (!first) return undefined;
  const { user_id } = others.reduce((newest, each) => (each.at > newest.at ? each : newest), first);
  return { user_id };
}

function isOther(user_id: number | null | undefined, seller: ChannelParams['user_id']): boolean {
  return user_id !== null && user_id !== undefined && String(user_id) !== String(seller);
}

/**
 * The receiver of a message: the one that the conversation shows. A message to anyone else is accepted, and not delivered.
 *
 * @throws {InvalidInputError} when `to` is someone else, or missing where the conversation shows nobody.
 */
function receiverOf({ counterpart }: Correspondence, to: Recipient | undefined): Recipient {
  throwIfOther(counterpart, to);
  const receiver = to ?? counterpart;
  if (receiver) return receiver;
  throw new InvalidInputError([{ path: ['to'], message: '`to` is missing, and the conversation shows nobody yet' }]);
}

/** @throws {InvalidInputError} when `to` is not the one that the conversation shows. */
function throwIfOther(counterpart: Counterpart | undefined, to: Recipient | undefined): void {
  if (!to || !counterpart || String(to.user_id) === String(counterpart.user_id)) return;
  const message = `\`to.user_id\` is ${to.user_id}, but the conversation shows ${counterpart.user_id}; leave out \`to\``;
  throw new InvalidInputError([{ path: ['to', 'user_id'], message }]);
}

/**
 * Converts the errors that mean "no message can be sent to the buyer now" to one error; `undefined` for other errors.
 */
function closedBy(error: unknown): NoChannelError | undefined {
  const found = closedReason(error);
  if (!found) return undefined;
  const [reason, remedy] = found;
  return new NoChannelError(`The message was not sent: ${remedy}`, { reason, cause: error });
}

function closedReason(error: unknown): [reason: NoChannelReason, remedy: string] | undefined {
  if (error instanceof ConversationBlockedError)
    return [error.reason ?? 'blocked', `the conversation is blocked (${error.reason ?? 'no reason given'})`];
  if (error instanceof MediationInProcessError)
    return ['mediation', 'a mediation is in process; write in the mediation, or when it is over'];
  if (error instanceof NotYetDeliveredError)
    return ['not_yet_delivered', 'the purchase is on its way by fulfilment; write when it is delivered'];
  if (error instanceof CapExhaustedError)
    return ['cap_exhausted', 'the option OTHER is used up; wait until the buyer replies'];
  if (error instanceof OptionNotOfferedError)
    return ['option_not_offered', 'the pack has no option OTHER; see actionGuide.options for those it has'];
  return undefined;
}
