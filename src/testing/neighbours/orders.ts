import { integer, looseObject, optional, string } from '../../core/schema/define.js';
import { listingOf } from '../handlers/listing.js';
import { pageOf } from '../http/conventions.js';
import { badRequest, bearerOrThrow, forbidden, foundOrThrow } from '../http/handler.js';
import type { Call } from '../http/call.js';
import { queryDate, queryList, queryPage } from '../http/read-request.js';
import { localInstant } from '../local-time.js';
import type { Pack } from '../state/packs.js';
import { reading } from './neighbour.js';
import type { Neighbour, ReadMarketplace } from './neighbour.js';

/** An order, which the fake keeps as part of its pack. What it lacks, such as the item that was sold, is made up. */
function toOrderView(order_id: number, pack: Pack, { accounts, items }: ReadMarketplace): object {
  const { pack_id, seller_id, buyer_id, site_id, shipping_id, createdAt, changedAt } = pack;
  const item = items.all.find((each) => each.seller_id === seller_id);
  const { price, currency_id } = listingOf(item ?? { item_id: '', site_id });
  const sold = item && { item: { id: item.item_id, title: item.title }, quantity: 1, unit_price: price, currency_id };
  const partyOf = (id: number): object => ({ id, nickname: accounts.getOrThrow(id).nickname });
  return {
    ...{ id: order_id, pack_id, status: statusOf(pack), date_created: localInstant(createdAt, site_id) },
    ...{ last_updated: localInstant(changedAt, site_id), total_amount: price, currency_id },
    ...{ buyer: partyOf(buyer_id), seller: partyOf(seller_id), order_items: sold ? [sold] : [] },
    shipping: { id: shipping_id },
    tags: tagsOf(pack),
  };
}

export function isCancelled({ blockedBy }: Pack): boolean {
  return blockedBy === 'blocked_by_cancelled_order';
}

function statusOf(pack: Pack): string {
  return isCancelled(pack) ? 'cancelled' : 'paid';
}

function tagsOf({ pack_id, delivered }: Pack): string[] {
  return [...(pack_id === null ? [] : ['pack_order']), delivered ? 'delivered' : 'not_delivered', 'paid'];
}

/** Finds the sales that the filters of a search leave. @throws {ErrorResponse} 400 when a date is invalid */
function filterOf(call: Pick<Call, 'query'>): (pack: Pack) => boolean {
  const [statuses, tags, number] = [queryList(call, 'order.status'), queryList(call, 'tags'), call.query.get('q')];
  const isWithin = (name: string, at: number): boolean =>
    at >= (queryDate(call, `order.${name}.from`)?.ms ?? -Infinity) &&
    at <= (queryDate(call, `order.${name}.to`)?.endMs ?? Infinity);
  return (pack) =>
    (statuses.length === 0 || statuses.includes(statusOf(pack))) &&
    tags.every((tag) => tagsOf(pack).includes(tag)) &&
    (number === null || [pack.pack_id, ...pack.order_ids].map(String).includes(number)) &&
    isWithin('date_created', pack.createdAt) &&
    isWithin('date_closed', pack.createdAt) &&
    isWithin('date_last_updated', pack.changedAt);
}

const byOrder = looseObject({ order_id: integer });
type OfOrder = Neighbour<{ order_id: number }>;

/** Returns the sale of an order. @throws {ErrorResponse} when it is none of the caller's */
export function saleOf(call: Parameters<OfOrder['handle']>[0], { packs }: ReadMarketplace): Pack {
  const { order_id } = call.input;
  const found = packs.all.find(({ order_ids }) => order_ids.includes(order_id));
  const pack = foundOrThrow(found, `Order ${order_id}`);
  const { user_id } = bearerOrThrow(call);
  if (user_id !== pack.seller_id && user_id !== pack.buyer_id) throw forbidden('The order is of other users');
  return pack;
}

const get: OfOrder = {
  endpoint: reading('orders.get', '/orders/{order_id}', byOrder),
  handle: (call, marketplace) => toOrderView(call.input.order_id, saleOf(call, marketplace), marketplace),
};

/** What seller and buyer say of each other. Nobody has said anything here. */
const feedback: OfOrder = {
  endpoint: reading('orders.feedback', '/orders/{order_id}/feedback', byOrder),
  handle: (call, marketplace) => {
    saleOf(call, marketplace);
    return { sale: null, purchase: null };
  },
};

interface OrderSearch {
  readonly seller?: number | undefined;
  readonly buyer?: number | undefined;
  readonly sort?: string | undefined;
}

const search: Neighbour<OrderSearch> = {
  endpoint: reading(
    'orders.search',
    '/orders/search',
    looseObject({ seller: optional(integer), buyer: optional(integer), sort: optional(string) }),
  ),
  handle: (call, marketplace) => {
    const { seller, buyer, sort = 'date_asc' } = call.input;
    if (seller === undefined && buyer === undefined) throw badRequest('search by seller or by buyer');
    if (![seller, buyer].includes(bearerOrThrow(call).user_id)) throw forbidden('Only own orders can be searched');
    const isParty = ({ seller_id, buyer_id }: Pack): boolean =>
      seller_id === (seller ?? seller_id) && buyer_id === (buyer ?? buyer_id);
    const sales = marketplace.packs.all.filter(isParty).filter(filterOf(call));
    sales.sort((a, b) => (sort === 'date_desc' ? b.createdAt - a.createdAt : a.createdAt - b.createdAt));
    const orders = sales.flatMap((pack) => pack.order_ids.map((id) => ({ id, pack })));
    const { items: found, paging } = pageOf(orders, queryPage(call, 50, marketplace.settings.maxPageSize));
    return { results: found.map(({ id, pack }) => toOrderView(id, pack, marketplace)), paging, sort: { id: sort } };
  },
};

/** Orders: the sales of a seller, and what a buyer bought. */
export const orders = [get, feedback, search];
