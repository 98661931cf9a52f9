import type { endpoints } from '../../endpoints.js';
import type { SiteSearchParams } from '../../resources/sites/schemas.js';
import { pageOf } from '../http/conventions.js';
import type { EndpointHandlers } from '../http/handler.js';
import type { Item, ItemStore } from '../state/items.js';

const sorts = [
  { id: 'relevance', name: 'Relevance' },
  { id: 'title_asc', name: 'Title' },
] as const;

/** Handles the site search: active items whose title contains every word. */
export function siteHandlers(items: ItemStore): EndpointHandlers<typeof endpoints.sites> {
  return {
    search: (input) => {
      const { site_id, q = '', filters = {} } = input;
      const sort = sorts.find(({ id }) => id === filters.sort) ?? sorts[0];
      const found = items.all.filter((item) => matchesSearch(item, input));
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

function matchesSearch(item: Item, { site_id, q = '', filters = {} }: SiteSearchParams): boolean {
  if (item.site_id !== site_id || item.status !== 'active') return false;
  if (filters.seller_id !== undefined && item.seller_id !== Number(filters.seller_id)) return false;
  const title = item.title.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => title.includes(word));
}
