import { InvalidInputError } from '../../core/errors/errors.js';
import { currentShape } from './legacy.js';
import type { SentMessage } from './message.js';

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
