import { integer, looseObject, optional, string } from '../../core/schema/define.js';
import { pageOf } from '../http/conventions.js';
import { bearerOrThrow, forbidden, notFound } from '../http/handler.js';
import { queryPage } from '../http/read-request.js';
import type { Account } from '../state/accounts.js';
import { nothing, reading } from './neighbour.js';
import type { Neighbour } from './neighbour.js';

const countries: Readonly<Record<string, string>> = {
  ...{ MBO: 'BO', MCO: 'CO', MCR: 'CR', MEC: 'EC', MGT: 'GT', MHN: 'HN', MLA: 'AR', MLB: 'BR', MLC: 'CL' },
  ...{ MLM: 'MX', MLU: 'UY', MLV: 'VE', MNI: 'NI', MPA: 'PA', MPE: 'PE', MPY: 'PY', MRD: 'DO', MSV: 'SV' },
};

/** What everybody sees of a user. */
function publicView({ user_id, nickname, site_id }: Account): object {
  return {
    id: user_id,
    ...{ nickname, site_id, country_id: countries[site_id], user_type: 'normal', tags: ['normal'] },
    ...{ permalink: `https://marketplace.test/users/${user_id}`, status: { site_status: 'active' } },
  };
}

/** The user of the token, with what only the user sees. */
const me: Neighbour<object> = {
  endpoint: reading('users.me', '/users/me', nothing),
  handle: (call, { accounts }) => {
    const user = accounts.getOrThrow(bearerOrThrow(call).user_id);
    return { ...publicView(user), email: `${user.nickname.toLowerCase()}@example.com` };
  },
};

const get: Neighbour<{ user_id: number }> = {
  endpoint: reading('users.get', '/users/{user_id}', looseObject({ user_id: integer })),
  handle: ({ input: { user_id } }, { accounts }) => {
    const user = accounts.get(user_id);
    if (!user) throw notFound(`User ${user_id} does not exist`);
    return publicView(user);
  },
};

const items: Neighbour<{ user_id: number; status?: string | undefined }> = {
  endpoint: reading(
    'users.items',
    '/users/{user_id}/items/search',
    looseObject({ user_id: integer, status: optional(string) }),
  ),
  handle: (call, marketplace) => {
    const { user_id, status } = call.input;
    if (user_id !== bearerOrThrow(call).user_id) throw forbidden('Only the seller can search these items');
    const own = marketplace.items.all.filter((item) => item.seller_id === user_id);
    const ids = own.filter((item) => status === undefined || item.status === status).map(({ item_id }) => item_id);
    const { items: results, paging } = pageOf(ids, queryPage(call, 50, marketplace.settings.maxPageSize));
    return { seller_id: String(user_id), results, paging };
  },
};

/** The users of the marketplace, and the items of a seller. */
export const users = [me, get, items];
