import { integer, looseObject } from '../../core/schema/define.js';
import { pageOf } from '../http/conventions.js';
import { bearerOrThrow, forbidden, foundOrThrow } from '../http/handler.js';
import { queryList, queryPage, scrollOf } from '../http/read-request.js';
import type { Account } from '../state/accounts.js';
import type { Item } from '../state/items.js';
import type { Pack } from '../state/packs.js';
import { nothing, reading } from './neighbour.js';
import type { Neighbour, ReadMarketplace } from './neighbour.js';
import { isCancelled } from './orders.js';

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

const get: Neighbour<{ user_id: number }> = {
  endpoint: reading('users.get', '/users/{user_id}', looseObject({ user_id: integer })),
  handle: ({ input: { user_id } }, marketplace) =>
    publicView(foundOrThrow(marketplace.accounts.get(user_id), `User ${user_id}`), marketplace),
};

const items: Neighbour<{ user_id: number }> = {
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
export const users = [me, get, items];
