import type { endpoints } from '../../endpoints.js';
import { pageOf } from '../http/conventions.js';
import type { EndpointHandlers, HandlerInfo } from '../http/handler.js';
import { pathText, queryId, queryPage } from '../http/read-request.js';
import type { Item } from '../state/items.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

const sorts = [
  { id: 'relevance', name: 'Relevance' },
  { id: 'title_asc', name: 'Title' },
] as const;

/** Handles the site search: active items whose title contains every word. */
export function siteHandlers({ items, settings }: MarketplaceState): EndpointHandlers<typeof endpoints.sites> {
  return {
    search: (info) => {
      const { query } = info;
      const seller_id = queryId(info, 'seller_id');
      const sort = sorts.find(({ id }) => id === query.get('sort')) ?? sorts[0];
      const found = items.all.filter((item) => matchesSearch(item, info, seller_id));
      if (sort.id === 'title_asc') found.sort((a, b) => (a.title < b.title ? -1 : 1));
      const { items: results, paging } = pageOf(found, queryPage(info, 50, settings.maxPageSize));
      return {
        site_id: pathText(info, 'site_id'),
        query: query.get('q') ?? '',
        paging,
        results: results.map((item) => ({ id: item.item_id, title: item.title, seller: { id: item.seller_id } })),
        sort,
        available_sorts: sorts.filter((each) => each !== sort),
        filters: seller_id === undefined ? [] : [{ id: 'seller_id', values: [{ id: String(seller_id) }] }],
        available_filters: seller_id === undefined ? [{ id: 'seller_id', type: 'text' }] : [],
      };
    },
  };
}

function matchesSearch(item: Item, info: HandlerInfo, seller_id: number | undefined): boolean {
  if (item.site_id !== pathText(info, 'site_id') || item.status !== 'active') return false;
  if (seller_id !== undefined && item.seller_id !== seller_id) return false;
  const title = item.title.toLowerCase();
  return (info.query.get('q') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .every((word) => title.includes(word));
}
