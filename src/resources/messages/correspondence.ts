import type { Requester } from '../../core/operation/requester.js';
import { InvalidInputError } from '../../core/errors/errors.js';
import { NotFoundError } from '../../core/errors/status-errors.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { pagedCalls } from '../../core/paging/paged.js';
import type { Paged } from '../../core/paging/paged.js';
import { millisecondsOf } from '../../core/schema/dates.js';
import type { SentMessage } from '../post-sale/message.js';
import { messageTextLimit } from '../post-sale/text.js';
import { correspondence } from './reads.js';
import type { ConversationExtra, ConversationParams, ConversationStatus, Recipient } from './schemas.js';

/** The conversation with a buyer. */
export interface ChannelParams extends Pick<ConversationParams, 'pack_id' | 'user_id'> {}

/** The user to whom a seller's messages go: the buyer, or an agent whom the conversation shows in the buyer's place. */
export interface Counterpart {
  readonly user_id: number;
}

/** What a conversation shows of both sides. */
export interface Correspondence {
  readonly status: ConversationStatus | null | undefined;
  /** The maximum length of the seller's next message, in characters. */
  readonly maxLength: number;
  readonly hasBuyerWritten: boolean;
  /** `undefined` if the conversation shows nobody yet. */
  readonly counterpart: Counterpart | undefined;
}

/** Reads a whole conversation without marking it as read. A message counts also if it has no id. */
export async function readCorrespondence(
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
export function receiverOf({ counterpart }: Correspondence, to: Recipient | undefined): Recipient {
  throwIfOther(counterpart, to);
  const receiver = to ?? counterpart;
  if (receiver) return receiver;
  throw new InvalidInputError([{ path: ['to'], message: '`to` is missing, and the conversation shows nobody yet' }]);
}

/** @throws {InvalidInputError} when `to` is not the one that the conversation shows. */
export function throwIfOther(counterpart: Counterpart | undefined, to: Recipient | undefined): void {
  if (!to || !counterpart || String(to.user_id) === String(counterpart.user_id)) return;
  const message = `\`to.user_id\` is ${to.user_id}, but the conversation shows ${counterpart.user_id}; leave out \`to\``;
  throw new InvalidInputError([{ path: ['to', 'user_id'], message }]);
}
