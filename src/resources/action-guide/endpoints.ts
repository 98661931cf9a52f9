import type { Confirmation } from '../../core/errors/seller-error.js';
import type { ConfirmContext, DescribedEndpoint } from '../../core/operation/endpoint.js';
import { ageOf, compareText, confirmByList, type ShownList } from '../confirm-by-list.js';
import {
  dateOf,
  isFrom,
  messageEntry,
  messageSending,
  postSaleTag,
  readConversation,
} from '../post-sale/conversation.js';
import * as postSale from '../post-sale/errors.js';
import { exceptedCase, noAccessToPack, optionConversationBlocked } from '../post-sale/errors.js';
import { sentMessage, type Message, type SentMessage } from '../post-sale/message.js';
import * as errors from './errors.js';
import * as schemas from './schemas.js';
import type { SendOptionParams } from './schemas.js';

const options: DescribedEndpoint<schemas.PackParams, schemas.ActionGuideResponse> = {
  name: 'actionGuide.options',
  summary: 'Lists the reasons for which a seller can write first',
  method: 'GET',
  path: '/messages/action_guide/packs/{pack_id}',
  input: schemas.packParams,
  example: { pack_id: 2000000012345678 },
  output: schemas.actionGuideResponse,
  retry: 'safe',
  query: postSaleTag,
  errors: [exceptedCase, optionConversationBlocked, noAccessToPack, errors.guideFailed],
};

const caps: DescribedEndpoint<schemas.PackParams, schemas.OptionCap[]> = {
  name: 'actionGuide.caps',
  summary: 'Lists how many messages each option still allows',
  method: 'GET',
  path: '/messages/action_guide/packs/{pack_id}/caps_available',
  input: schemas.packParams,
  example: { pack_id: 2000000012345678 },
  output: schemas.optionCaps,
  retry: 'safe',
  query: postSaleTag,
  errors: [exceptedCase, optionConversationBlocked, noAccessToPack, errors.guideFailed],
  supportsAttributes: true,
};

/** The endpoints of the action guide that only read. */
const actionGuideReads = { options, caps };

/** Reads how many messages the option allows before the message is sent; `undefined` if the service does not say. */
function capBefore(input: SendOptionParams, context: Pick<ConfirmContext, 'read'>): Promise<number | undefined> {
  // The message can be sent without it.
  return readCap(input, context).catch(() => undefined);
}

/**
 * Looks for a message at both ends of its conversation. Where the text proves nothing, because it is that of a template or may
 * have been changed, the option's cap does, if it was read before the message was sent.
 */
async function confirmOption(
  input: SendOptionParams,
  context: ConfirmContext,
): Promise<Confirmation<SentMessage | undefined>> {
  const { userId } = context;
  if (userId === undefined) return { unknown: 'the access token does not name the seller whose conversation to read' };
  const conversation = { pack_id: input.pack_id, user_id: userId };
  const shown = await readConversation(conversation, context);
  const own = shown.entries.filter((entry) => isFrom(entry, userId));
  const entries = own.map((entry) => ({
    entry,
    name: messageEntry(entry),
    date: dateOf(entry),
    compare: ({ text }: SendOptionParams) => (typeof text === 'string' ? compareText(entry.text, text) : 'similar'),
  }));
  const byText = await confirmByList<SentMessage | undefined, SendOptionParams>(
    { ...shown, entries, beside: [{ endpoint: messageSending, input: conversation }] },
    input,
    context,
  );
  if (byText.unknown === undefined || typeof context.before !== 'number') return byText;
  if (mayHaveReply(shown, userId)) return byText;
  const usedCaps = context.before - ((await readCap(input, context)) ?? Number.NaN);
  if (usedCaps === 0) {
    // The buyer may have replied after the conversation was read, and before the cap was.
    const later = await readConversation(conversation, context);
    return mayHaveReply(later, userId) ? byText : { done: false };
  }
  const [entry, ...more] = recentIn(shown);
  if (!entry || more.length > 0 || usedCaps !== 1) return byText;
  // Whatever the clocks say, an entry with this text is the one that has used the cap.
  const isNew = hasText(entry, input) || ageOf(dateOf(entry), shown.sent) === 'newer';
  return (isNew ? await claimed(entry, context) : undefined) ?? byText;
}

function recentIn({ entries, sent }: ShownList<Message>): Message[] {
  return entries.filter((entry) => ageOf(dateOf(entry), sent) !== 'older');
}

/** Whether the buyer may have replied since the message was sent. A reply resets the cap, so that it proves nothing. */
function mayHaveReply(shown: ShownList<Message>, userId: number | string): boolean {
  return !shown.isComplete || recentIn(shown).some((entry) => !isFrom(entry, userId));
}

function hasText({ text }: Message, sent: SendOptionParams): boolean {
  return typeof sent.text === 'string' && compareText(text, sent.text) === 'same';
}

/** Takes a message as the proof, if no other write can have used the cap. */
async function claimed(entry: Message, context: ConfirmContext): Promise<Confirmation<SentMessage> | undefined> {
  const name = messageEntry(entry);
  if (name === undefined) return undefined;
  const { others } = await context.look([name]);
  return others.length === 0 && (await context.claim(name)) ? { done: true, output: entry } : undefined;
}

async function readCap(
  { pack_id, option_id }: SendOptionParams,
  context: Pick<ConfirmContext, 'read'>,
): Promise<number | undefined> {
  const { data } = await context.read(caps, { pack_id });
  return data.find((cap) => cap.option_id === option_id)?.cap_available ?? undefined;
}

const send: DescribedEndpoint<schemas.SendOptionParams, SentMessage | undefined> = {
  name: 'actionGuide.send',
  summary: 'Sends a message through an option',
  method: 'POST',
  path: '/messages/action_guide/packs/{pack_id}/option',
  input: schemas.sendOptionParams,
  example: {
    pack_id: 2000000012345678,
    option_id: 'DELIVERY_PROMISE',
    template_id: 'TEMPLATE___DELIVERY_PROMISE___1',
    vars: [
      { id: 'TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT', value: 9 },
      { id: 'TEMPLATE___DELIVERY_PROMISE___1___VAR___LIMIT', value: 13 },
    ],
  },
  output: sentMessage,
  retry: 'unsafe',
  content: ['text', 'template_id', 'vars'],
  entryOf: messageEntry,
  readBefore: capBefore,
  confirm: confirmOption,
  query: postSaleTag,
  errors: [
    postSale.exceptedCase,
    errors.invalidText,
    errors.invalidTemplate,
    errors.capExhausted,
    errors.optionNotOffered,
    errors.actionGuideLocked,
    postSale.optionConversationBlocked,
    postSale.noAccessToPack,
    postSale.accessTokenRequired,
    postSale.applicationIdRequired,
    errors.guideFailed,
  ],
};

/** The endpoints of the action guide, as `endpoints` has them. */
export const actionGuideEndpoints = { ...actionGuideReads, send };
