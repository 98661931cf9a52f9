import type { endpoints } from '../../endpoints.js';
import type { SiteSearchParams } from '../../resources/sites/schemas.js';
import type { Handlers } from '../http/handler.js';
import { pageOf } from '../http/conventions.js';
import type { Item, ItemStore } from '../state/items.js';

/** How items are read: each by itself, so that one that is not there does not keep the others. */
export function itemHandlers(items: ItemStore): Handlers<typeof endpoints.items> {
  return {
    status: ({ ids }) =>
      ids.map((id) => {
        const item = items.get(String(id));
        if (item) return { code: 200, body: { id: item.item_id, status: item.status } };
        return { code: 404, body: { message: `There is no item ${id}`, error: 'not_found', status: 404, cause: [] } };
      }),
  };
}

const sorts = [
  { id: 'relevance', name: 'Relevance' },
  { id: 'title_asc', name: 'Title' },
] as const;

/** How a site is searched: by words of the title, among its active items. */
export function siteHandlers(items: ItemStore): Handlers<typeof endpoints.sites> {
  return {
    search: (input) => {
      const { site_id, q = '', filters = {} } = input;
      const sort = sorts.find(({ id }) => id === filters.sort) ?? sorts[0];
      const found = items.all.filter((item) => isFound(item, input));
      if (sort.id === 'title_asc') found.sort((a, b) => (a.title < b.title ? -1 : 1));
      const { items: results, paging } = pageOf(found, input);
      return {
        site_id,
        query: q,
        paging,
        results: results.map(({ item_id, title, seller_id }) => ({ id: item_id, title, seller: { id: seller_id } })),
        sort,
        available_sorts: sorts.filter((each) => each !== sort),
        filters: filters.seller_id === undefined ? [] : [{ id: 'seller_id', values: [{ id: filters.seller_id }] }],
        available_filters: filters.seller_id === undefined ? [{ id: 'seller_id', type: 'text' }] : [],
      };
    },
  };
}

function isFound(item: Item, { site_id, q = '', filters = {} }: SiteSearchParams): boolean {
  if (item.site_id !== site_id || item.status !== 'active') return false;
  if (filters.seller_id !== undefined && item.seller_id !== Number(filters.seller_id)) return false;
  const title = item.title.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => title.includes(word));
}
