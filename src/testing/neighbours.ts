import type { Endpoint } from '../core/operation/endpoint.js';
import { int64, integer, looseObject, optional, string, unknown } from '../core/schema/define.js';
import { localInstant } from './clock.js';
import { listingOf, orderedIds, queryItemIds } from './handlers/items.js';
import { questionHandlers } from './handlers/questions.js';
import { badRequest, bearerOrThrow, forbidden, foundOrThrow, type Call } from './http/handler.js';
import { pageOf, queryDate, queryList, queryPage, scrollOf } from './http/read-request.js';
import type { Operation } from './operations/operation.js';
import type { MarketplaceSettings } from './settings.js';
import type { Account } from './state/accounts.js';
import type { Item } from './state/items.js';
import type { Pack, ShippingMode } from './state/packs.js';
import type { Stores } from './state/stores.js';
import type { NotificationService } from './webhooks/notification-service.js';

/** The part of `FakeMarketplace` that these operations read. The class itself must not be imported here. */
interface ReadMarketplace extends Stores {
  readonly notifications: NotificationService;
}

/** An operation outside of the specification, which programs call beside it. It only reads. */
type Neighbour<In> = Operation<In, ReadMarketplace>;

/** Input without fields of its own. */
const nothing = looseObject({});

/** Describes the endpoint of such an operation. */
function reading<In>(name: string, path: `/${string}`, input: Endpoint<In>['input']): Endpoint<In> {
  return { name, method: 'GET', path, input, output: unknown, retry: 'safe', errors: [] };
}

const getItem: Neighbour<{ item_id: string }> = {
  endpoint: reading('items.get', '/items/{item_id}', looseObject({ item_id: string })),
  handle: ({ input: { item_id } }, { items }) => toItemView(foundOrThrow(items.get(item_id), `Item ${item_id}`)),
};

/** The text below the photos. The fake has none of its own. */
const description: Neighbour<{ item_id: string }> = {
  endpoint: reading('items.description', '/items/{item_id}/description', looseObject({ item_id: string })),
  public: true,
  handle: ({ input: { item_id } }, { items }) => {
    const { title } = foundOrThrow(items.get(item_id), `Item ${item_id}`);
    return { text: '', plain_text: `${title}. New, in its box.`, date_created: null, last_updated: null };
  },
};

/** What replaces `/items` for reading several items. */
const bulkItems: Neighbour<object> = {
  endpoint: reading('items.bulk', '/items/bulk', nothing),
  public: true,
  handle: ({ query }, { items, settings }) => {
    const ids = queryItemIds(query, settings);
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
    if (repeated !== undefined) throw badRequest(`ids has ${repeated} twice`);
    const attributes = queryList({ query }, 'attributes');
    const entries = orderedIds(ids, { items, settings }).map((id) =>
      bulkEntry(id, items.get(id), attributes, settings),
    );
    // One team saw what could not be read behind what was found.
    const isLast = (entry: object): boolean => settings.bulkEntries === 'selected' && !('body' in entry);
    return Response.json(entries.sort((a, b) => Number(isLast(a)) - Number(isLast(b))));
  },
};

/** Without `attributes`, an entry names itself. With them, it has the fields of its body that they name, and no `id`. */
function bulkEntry(
  id: string,
  item: Item | undefined,
  attributes: readonly string[],
  { bulkEntries }: MarketplaceSettings,
): object {
  const isSelected = bulkEntries === 'selected';
  const status_code = item ? 200 : 404;
  if (attributes.length === 0)
    return {
      id,
      status_code,
      ...(item ? { body: toItemView(item) } : { error: { message: `Item ${id} does not exist` } }),
    };
  // Two teams saw that such a name spoils each entry; another names `status_code` every day.
  if (!isSelected && attributes.some((name) => !/^body(\.|$)/.test(name))) return { status_code: 403 };
  const own = !isSelected || attributes.includes('status_code') ? { status_code } : {};
  const isNamed = ([name]: [string, unknown]): boolean =>
    attributes.includes('body') || attributes.includes(`body.${name}`);
  const body = Object.entries(item ? toItemView(item) : {}).filter(isNamed);
  return { ...own, ...(body.length > 0 && { body: Object.fromEntries(body) }) };
}

function toItemView({ item_id, ...item }: Item): object {
  return { id: item_id, ...item, condition: 'new', ...listingOf({ item_id, ...item }) };
}

/** Items, one at a time and several, and their descriptions. */
const items = [getItem, description, bulkItems];

const countries: Readonly<Record<string, string>> = {
  ...{ MBO: 'BO', MCO: 'CO', MCR: 'CR', MEC: 'EC', MGT: 'GT', MHN: 'HN', MLA: 'AR', MLB: 'BR', MLC: 'CL' },
  ...{ MLM: 'MX', MLU: 'UY', MLV: 'VE', MNI: 'NI', MPA: 'PA', MPE: 'PE', MPY: 'PY', MRD: 'DO', MSV: 'SV' },
};

/** What everybody sees of a user. */
function publicView({ user_id, nickname, site_id }: Account, { packs }: ReadMarketplace): object {
  return {
    id: user_id,
    ...{ nickname, site_id, country_id: countries[site_id], user_type: 'normal', tags: ['normal'] },
    ...{ permalink: `https://marketplace.test/users/${user_id}`, status: { site_status: 'active' } },
    seller_reputation: reputationOf(packs.all.filter(({ seller_id }) => seller_id === user_id)),
  };
}

/** A seller without sales has no level yet. Nobody rates a sale here. */
function reputationOf(sales: readonly Pack[]): object {
  const [total, canceled] = [sales.length, sales.filter(isCancelled).length];
  return {
    level_id: total === 0 ? null : '5_green',
    power_seller_status: null,
    transactions: {
      ...{ period: 'historic', total, completed: total - canceled, canceled },
      ratings: { positive: 0, neutral: 0, negative: 0 },
    },
  };
}

/** The user of the token, with what only the user sees. */
const me: Neighbour<object> = {
  endpoint: reading('users.me', '/users/me', nothing),
  handle: (call, marketplace) => {
    const user = marketplace.accounts.getOrThrow(bearerOrThrow(call).user_id);
    return { ...publicView(user, marketplace), email: `${user.nickname.toLowerCase()}@example.com` };
  },
};

const getUser: Neighbour<{ user_id: number }> = {
  endpoint: reading('users.get', '/users/{user_id}', looseObject({ user_id: integer })),
  handle: ({ input: { user_id } }, marketplace) =>
    publicView(foundOrThrow(marketplace.accounts.get(user_id), `User ${user_id}`), marketplace),
};

const itemsOfUser: Neighbour<{ user_id: number }> = {
  endpoint: reading('users.items', '/users/{user_id}/items/search', looseObject({ user_id: integer })),
  handle: (call, marketplace) => {
    const { user_id } = call.input;
    if (user_id !== bearerOrThrow(call).user_id) throw forbidden('Only the seller can search these items');
    const { query } = call;
    const title = query.get('q')?.toLowerCase() ?? '';
    const statuses = queryList(call, 'status');
    // No item of the fake has a SKU.
    const isFound = (item: Item): boolean =>
      item.seller_id === user_id &&
      (statuses.length === 0 || statuses.includes(item.status)) &&
      item.title.toLowerCase().includes(title) &&
      !query.has('sku') &&
      !query.has('seller_sku');
    const ids = marketplace.items.all.filter(isFound).map(({ item_id }) => item_id);
    const { items: results, paging } = pageOf(ids, queryPage(call, 50, marketplace.settings.maxPageSize));
    return { seller_id: String(user_id), results, paging, ...scrollOf(call, paging) };
  },
};

/** The users of the marketplace, and the items of a seller. */
const users = [me, getUser, itemsOfUser];

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

function isCancelled({ blockedBy }: Pack): boolean {
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
function saleOf(call: Parameters<OfOrder['handle']>[0], { packs }: ReadMarketplace): Pack {
  const { order_id } = call.input;
  const found = packs.all.find(({ order_ids }) => order_ids.includes(order_id));
  const pack = foundOrThrow(found, `Order ${order_id}`);
  const { user_id } = bearerOrThrow(call);
  if (user_id !== pack.seller_id && user_id !== pack.buyer_id) throw forbidden('The order is of other users');
  return pack;
}

const getOrder: OfOrder = {
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

const searchOrders: Neighbour<OrderSearch> = {
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
    sales.sort((a, b) => a.createdAt - b.createdAt);
    // Reversed, so that of two sales of the same millisecond the later one is first as well.
    if (sort === 'date_desc') sales.reverse();
    const orders = sales.flatMap((pack) => pack.order_ids.map((id) => ({ id, pack })));
    const { items: found, paging } = pageOf(orders, queryPage(call, 50, marketplace.settings.maxPageSize));
    return { results: found.map(({ id, pack }) => toOrderView(id, pack, marketplace)), paging, sort: { id: sort } };
  },
};

/** Orders: the sales of a seller, and what a buyer bought. */
const orders = [getOrder, feedback, searchOrders];

const logisticTypes: Readonly<Record<ShippingMode, string>> = {
  flex: 'self_service',
  cross_docking: 'cross_docking',
  drop_off: 'drop_off',
  fulfilment: 'fulfillment',
  custom: 'default',
};

interface Shipment {
  readonly users: readonly number[];
  readonly shipping: ShippingMode;
  readonly delivered: boolean;
  readonly order_id: number | null;
}

/** Finds the shipment of a sale, or a delivery order of Flex. */
function findShipment(id: number, { packs, flex }: ReadMarketplace): Shipment | undefined {
  const pack = packs.all.find(({ shipping_id }) => shipping_id === id);
  if (pack) {
    const { seller_id, buyer_id, shipping, delivered, order_ids } = pack;
    return { users: [seller_id, buyer_id], shipping, delivered, order_id: order_ids[0] ?? null };
  }
  const order = flex.shipments.find(({ shipment_id }) => shipment_id === id);
  return order && { users: [order.user_id], shipping: 'flex', delivered: false, order_id: null };
}

const getShipment: Neighbour<{ shipment_id: number }> = {
  endpoint: reading('shipments.get', '/shipments/{shipment_id}', looseObject({ shipment_id: integer })),
  handle: (call, marketplace) => {
    const id = call.input.shipment_id;
    const found = foundOrThrow(findShipment(id, marketplace), `Shipment ${id}`);
    if (!found.users.includes(bearerOrThrow(call).user_id)) throw forbidden('The shipment is of other users');
    return toShipmentView(id, found);
  },
};

/** The shipment of an order. */
const ofOrder: Neighbour<{ order_id: number }> = {
  endpoint: reading('orders.shipments', '/orders/{order_id}/shipments', looseObject({ order_id: integer })),
  handle: (call, marketplace) => {
    const { shipping_id } = saleOf(call, marketplace);
    const id = foundOrThrow(shipping_id ?? undefined, `A shipment of order ${call.input.order_id}`);
    return toShipmentView(id, foundOrThrow(findShipment(id, marketplace), `Shipment ${id}`));
  },
};

function toShipmentView(id: number, { shipping, delivered, order_id }: Shipment): object {
  return {
    ...{ id, status: delivered ? 'delivered' : 'ready_to_ship', substatus: delivered ? null : 'ready_to_print' },
    ...{ order_id, mode: shipping === 'custom' ? 'custom' : 'me2', logistic_type: logisticTypes[shipping] },
    // The fake has no addresses.
    receiver_address: { city: { id: null, name: `City ${(id % 9) + 1}` } },
  };
}

/** The shipments of sales, and the delivery orders of Flex. */
const shipments = [getShipment, ofOrder];

/** The older path of the question search: that of the user of the token. */
const search: Neighbour<object> = {
  endpoint: reading('questions.received', '/my/received_questions/search', nothing),
  handle: (call, marketplace) => {
    const query = new URLSearchParams(call.query);
    query.set('seller_id', String(bearerOrThrow(call).user_id));
    // A search reads only the query and the bearer of a call.
    return questionHandlers(marketplace).search({ ...call, query } as unknown as Call);
  },
};

/** How many messages of one conversation are unread; the client reads those of all. */
const unread: Neighbour<{ pack_id: number | string; user_id: number }> = {
  endpoint: {
    ...reading(
      'messages.unreadOf',
      '/messages/unread/packs/{pack_id}/sellers/{user_id}',
      looseObject({ pack_id: int64, user_id: integer }),
    ),
    query: { tag: 'post_sale' },
  },
  handle: (call, { messages, packs }) => {
    const { pack_id, user_id } = call.input;
    if (user_id !== bearerOrThrow(call).user_id) throw forbidden('The conversation is of another seller');
    const pack = packs.get(pack_id);
    foundOrThrow(pack?.seller_id === user_id ? pack : undefined, `The conversation of pack ${pack_id}`);
    const resource = `/packs/${pack_id}/sellers/${user_id}`;
    return { user_id, results: pack ? [{ resource, count: messages.unreadCount(user_id, pack) }] : [] };
  },
};

/** What a seller has received: questions, by an older path, and messages that nobody has read. */
const received = [search, unread];

/** The service keeps what could not be delivered for two days. */
const keptMs = 2 * 86_400_000;
const pageSize = 10;

interface MissedFeeds {
  readonly app_id: number;
  readonly topic?: string | undefined;
  readonly site_id?: string | undefined;
}

const listMissed: Neighbour<MissedFeeds> = {
  endpoint: reading(
    'missedFeeds.list',
    '/missed_feeds',
    looseObject({ app_id: integer, topic: optional(string), site_id: optional(string) }),
  ),
  handle: (call, { accounts, clock, notifications, settings }) => {
    const { app_id, topic, site_id } = call.input;
    const { application_id, user_id } = bearerOrThrow(call);
    if (app_id !== application_id) throw forbidden('The application is not that of the token');
    if (user_id !== (settings.missedFeedsOwner ?? user_id)) throw forbidden('The token is not that of the owner');
    if (topic === 'items' && site_id === undefined) throw badRequest('the topic items needs a site_id');
    const missed = notifications.missed.filter(
      ({ application_id: to, event, at }) =>
        to === app_id &&
        event.topic === (topic ?? event.topic) &&
        (site_id === undefined || accounts.get(event.user_id)?.site_id === site_id) &&
        clock.ms - at < keptMs,
    );
    const { items } = pageOf(missed, queryPage(call, pageSize, settings.maxPageSize));
    return {
      messages: items.map(({ body, attempts, url, outcome }) => ({ ...body, attempts, ...exchangeOf(url, outcome) })),
    };
  },
};

/** What the service has sent last, and received. */
function exchangeOf(url: string | null, outcome: unknown): object {
  const http_code = typeof outcome === 'number' ? outcome : 0;
  return { request: { url }, response: { req_time: 500, http_code } };
}

/** The notifications that could not be delivered. */
const missedFeeds = [listMissed];

/**
 * What programs call beside the operations of the specification, from the state that is there. Nothing of it is specified,
 * and the client has no methods for it. An operation of the user with the same path or name takes the place of one.
 */
export const neighbours: readonly Operation[] = [...[users, items, orders, received, missedFeeds, shipments].flat()];
