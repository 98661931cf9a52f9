import { InvalidInputError } from '../../core/errors/errors.js';
import type { ConfirmContext, Endpoint } from '../../core/operation/endpoint.js';
import { looseObject, nullish, unknown } from '../../core/schema/define.js';
import type { Output, Schema } from '../../core/schema/schema.js';
import { readEnds, type ShownList } from '../confirm-by-list.js';
import { nullishArray, paging, type Paging } from '../fields.js';
import { currentShape } from './legacy.js';
import { message, type Message, type SentMessage } from './message.js';

/** Without it, the service responds to every call of post-sale messaging with 404. */
export const postSaleTag = { tag: 'post_sale' };

/** The conversation of a pack, as its seller sees it. */
interface SellersPack {
  readonly pack_id: string | number;
  readonly user_id: string | number;
}

interface ConversationPage extends SellersPack {
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly mark_as_read: false;
}

const page = looseObject({ messages: nullishArray<Message>(message), paging: nullish<Paging>(paging) });

/** What reading back needs of `messages.conversation`, which is made of it: the action guide stands below `messages`. */
export const readableConversation: Endpoint<ConversationPage, Output<typeof page>> = {
  name: 'messages.conversation',
  method: 'GET',
  path: '/messages/packs/{pack_id}/sellers/{user_id}',
  input: unknown as Schema<ConversationPage>,
  output: page,
  retry: 'safe',
  query: postSaleTag,
  errors: [],
};

/** What the book of writes needs of `messages.send`. */
export const messageSending = { name: 'messages.send', path: readableConversation.path } as const;

/** The default length of a page of a conversation. */
const defaultLength = 10;

/** Reads both ends of a conversation, and marks nothing as read. */
export async function readConversation(
  { pack_id, user_id }: SellersPack,
  context: Pick<ConfirmContext, 'read'>,
): Promise<ShownList<Message>> {
  const shown = await readEnds(async (offset) => {
    const input = {
      pack_id,
      user_id,
      limit: 50,
      mark_as_read: false,
      ...(offset !== undefined && { offset }),
    } as const;
    const reading = await context.read(readableConversation, input);
    const { messages: entries, paging: shown } = reading.data;
    return { reading, entries, total: shown?.total };
  }, defaultLength);
  const packs = shown.entries.flatMap((entry) => resourceOf(entry, 'packs') ?? []);
  // Messages may name another pack than the path. If all do, it may be another conversation, and a message that is not in it
  // may have been sent.
  return { ...shown, isComplete: shown.isComplete && (packs.length === 0 || packs.includes(String(pack_id))) };
}

/** Whether a message is by a user. Without a sender it counts as theirs, because either side may have sent it. */
export function isFrom({ from }: Message, user_id: string | number): boolean {
  const sender = from?.user_id;
  return sender === null || sender === undefined || String(sender) === String(user_id);
}

/** When a message was sent, as the service states it. */
export function dateOf({ message_date }: Message): string | null | undefined {
  return message_date?.created ?? message_date?.received;
}

/** The name of a message in the book of writes. */
export function messageEntry(sent: SentMessage | undefined): string | undefined {
  return typeof sent?.id === 'string' ? `message ${sent.id}` : undefined;
}

/** What `packOf` needs of an order. Orders are not a resource of this package. */
export interface OrderOfPack {
  readonly id: number | string;
  readonly pack_id?: number | string | null | undefined;
}

/**
 * Returns the id of the pack of an order or of a message: the `pack_id` that messages and the action guide take. An order
 * that has no pack is one itself.
 *
 * @example
 * const message = await seller.messages.get({ message_id: '5f1b' });
 * const { channel } = await seller.messages.channel({ pack_id: packOf(message), user_id: 7 });
 * @throws {InvalidInputError} when the message names neither a pack nor an order.
 */
export function packOf(orderOrMessage: OrderOfPack | Pick<SentMessage, 'message_resources'>): number | string {
  const { pack_id, id } = { ...orderOrMessage } as Partial<OrderOfPack>;
  if (isId(pack_id)) return pack_id;
  const message = currentShape(orderOrMessage);
  const found = resourceOf(message, 'packs') ?? resourceOf(message, 'orders');
  if (found !== undefined) return found;
  // A message has an id of its own, which is no order.
  if (isId(id) && !isMessage(message)) return id;
  throw new InvalidInputError([{ path: [], message: 'there is no pack and no order in it' }], 'No pack: ');
}

/** The id of a resource to which a message belongs, e.g. of its `sellers`. */
export function resourceOf(message: unknown, name: string): string | undefined {
  const { message_resources } = (message ?? {}) as Pick<SentMessage, 'message_resources'>;
  const resources = Array.isArray(message_resources) ? message_resources : [];
  return resources.find((each) => each.name === name)?.id ?? undefined;
}

function isId(value: unknown): value is number | string {
  return Number.isSafeInteger(value) || (typeof value === 'string' && /^\d+$/.test(value));
}

function isMessage(value: unknown): boolean {
  return ['message_date', 'message_resources', 'message_moderation', 'text'].some((name) => name in (value as object));
}
