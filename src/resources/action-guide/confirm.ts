import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext } from '../../core/operation/endpoint.js';
import { ageOf, compareText, confirmByList } from '../confirm-by-list.js';
import { dateOf, isFrom, messageEntry, messageSending, readConversation } from '../post-sale/conversation.js';
import type { Message, SentMessage } from '../post-sale/message.js';
import { caps } from './reads.js';
import type { ShownList } from '../shown-list.js';
import type { SendOptionParams } from './schemas.js';

/** Reads how many messages the option allows before the message is sent; `undefined` if the service does not say. */
export function capBefore(input: SendOptionParams, context: Pick<ConfirmContext, 'read'>): Promise<number | undefined> {
  // The message can be sent without it.
  return readCap(input, context).catch(() => undefined);
}

/**
 * Looks for a message at both ends of its conversation. Where the text proves nothing, because it is that of a template or may
 * have been changed, the option's cap does, if it was read before the message was sent.
 */
export async function confirmOption(
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
