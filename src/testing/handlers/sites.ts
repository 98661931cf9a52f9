import type { endpoints } from '../../endpoints.js';
import { listingOf } from './items.js';
import { pageOf, pathText, queryId, queryPage } from '../http/read-request.js';
import type { EndpointHandlers, Call } from '../http/handler.js';
import type { Item } from '../state/items.js';
import type { Stores } from '../state/stores.js';

const sorts = [
  { id: 'relevance', name: 'Relevance' },
  { id: 'title_asc', name: 'Title' },
] as const;

/** Handles the site search: active items whose title contains every word. */
export function siteHandlers({ accounts, items, settings }: Stores): EndpointHandlers<typeof endpoints.sites> {
  return {
    search: (call) => {
      const { query } = call;
      const seller_id = queryId(call, 'seller_id');
      const sort = sorts.find(({ id }) => id === query.get('sort')) ?? sorts[0];
      const found = items.all.filter((item) => matchesSearch(item, call, seller_id));
      if (sort.id === 'title_asc') found.sort((a, b) => (a.title < b.title ? -1 : 1));
      const { items: results, paging } = pageOf(found, queryPage(call, 50, settings.maxPageSize));
      return {
        site_id: pathText(call, 'site_id'),
        query: query.get('q') ?? '',
        ...(settings.liveFields && { country_default_time_zone: 'GMT-03:00' }),
        paging,
        results: results.map((item) => toHit(item, accounts.getOrThrow(item.seller_id).nickname, settings.liveFields)),
        sort,
        available_sorts: sorts.filter((each) => each !== sort),
        ...filtersOf(found, seller_id),
      };
    },
  };

  /** The filters that apply, and those that are available: the sellers of what was found. */
  function filtersOf(found: readonly Item[], seller_id: number | undefined): object {
    if (!settings.liveFields) {
      const filter = { id: 'seller_id', name: 'Seller', type: 'text' };
      const isGiven = seller_id !== undefined;
      return {
        filters: isGiven ? [{ ...filter, values: [{ id: String(seller_id) }] }] : [],
        available_filters: isGiven ? [] : [{ ...filter, values: [] }],
      };
    }
    const bySeller = Map.groupBy(found, (item) => item.seller_id);
    const values = Array.from(bySeller, ([id, { length: results }]) => {
      return { id: String(id), name: accounts.getOrThrow(id).nickname, results };
    });
    const seller = { id: 'seller_id', name: 'Seller', type: 'text', values };
    const condition = { id: 'ITEM_CONDITION', name: 'Condition', type: 'STRING' };
    const isNew = { ...condition, values: [{ id: '2230284', name: 'New', results: found.length }] };
    return seller_id === undefined
      ? { filters: [isNew], available_filters: [seller] }
      : { filters: [seller, isNew], available_filters: [] };
  }
}

function toHit({ item_id, title, seller_id, site_id }: Item, nickname: string, liveFields: boolean): object {
  const hit = { id: item_id, title, seller: { id: seller_id } };
  if (!liveFields) return hit;
  const listing = listingOf({ item_id, site_id });
  return {
    ...hit,
    site_id,
    seller: { id: seller_id, nickname },
    ...{ condition: 'new', buying_mode: 'buy_it_now', listing_type_id: 'gold_special', category_id: `${site_id}1055` },
    ...listing,
    ...{ thumbnail_id: item_id, use_thumbnail_id: true, catalog_product_id: null, official_store_id: null },
    ...{ domain_id: `${site_id}-ITEMS`, order_backend: 1, original_price: null, sale_price: null },
    stop_time: '2046-01-01T04:00:00.000Z',
    shipping: {
      ...{ store_pick_up: false, free_shipping: false, logistic_type: 'self_service', mode: 'me2' },
      ...{ tags: [], benefits: null, promise: null, shipping_score: -1 },
    },
    address: { state_id: `${site_id}-S1`, state_name: null, city_id: `${site_id}-C1`, city_name: null },
    installments: { quantity: 1, amount: listing.price, rate: 0, currency_id: listing.currency_id },
    ...{
      attributes: [{ id: 'BRAND', name: 'Brand', value_id: null, value_name: 'Generic' }],
      inventory_id: null,
      variation_filters: [],
      winner_item_id: null,
      catalog_listing: false,
      discounts: null,
      promotions: [],
    },
  };
}

function matchesSearch(item: Item, call: Call, seller_id: number | undefined): boolean {
  if (item.site_id !== pathText(call, 'site_id') || item.status !== 'active') return false;
  if (seller_id !== undefined && item.seller_id !== seller_id) return false;
  const title = item.title.toLowerCase();
  return (call.query.get('q') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .every((word) => title.includes(word));
}
