import type { endpoints } from '../../endpoints.js';
import type { Currency } from '../../resources/currencies/currencies.js';
import { badRequest, foundOrThrow, notFound, type EndpointHandlers } from '../http/handler.js';
import { queryList } from '../http/read-request.js';
import type { MarketplaceSettings } from '../settings.js';
import type { Item } from '../state/items.js';
import type { Stores } from '../state/stores.js';

/** Handles the multi-get of items: one result per id, each with its own code. Wire notes 18. */
export function itemHandlers({ items, settings }: Stores): EndpointHandlers<typeof endpoints.items> {
  return {
    status: ({ query }) => {
      const results = orderedIds(queryItemIds(query, settings), { items, settings }).map((id) => ({
        id,
        item: items.get(id),
      }));
      if (settings.itemStatusShape === 'bare')
        return results.flatMap(({ item }) => (item ? [toItemView(item, settings)] : []));
      return results.map(({ id, item }) =>
        item
          ? { code: 200, body: toItemView(item, settings) }
          : { code: 404, body: notFound(`Item ${id} does not exist`).body },
      );
    },
  };
}

/** Reads the ids of a multi-get. @throws {ErrorResponse} 400 when there are none, or too many */
export function queryItemIds(query: URLSearchParams, { maxItemIds }: MarketplaceSettings): string[] {
  const ids = queryList({ query }, 'ids');
  if (ids.length === 0) throw badRequest('ids is required');
  if (ids.length > maxItemIds) throw badRequest(`ids has more than ${maxItemIds} entries`);
  return ids;
}

/** The ids in the order of an answer. */
export function orderedIds(
  ids: readonly string[],
  { items, settings }: Pick<Stores, 'items' | 'settings'>,
): readonly string[] {
  const first = settings.itemOrder === 'any' ? items.nextPlace(ids.length) : 0;
  return [...ids.slice(first), ...ids.slice(0, first)];
}

/** The live service shows the whole listing. */
function toItemView({ item_id, ...item }: Item, { liveFields }: MarketplaceSettings): object {
  return { id: item_id, ...item, ...(liveFields && listingOf({ item_id, ...item })) };
}

/** What a listing shows and an item of the fake does not keep, made from its id. */
interface ShownListing {
  readonly price: number;
  readonly currency_id: string;
  readonly available_quantity: number;
  readonly permalink: string;
  readonly thumbnail: string;
}

/** Returns what the listing of an item shows: always the same for the same id. */
export function listingOf({ item_id, site_id }: Pick<Item, 'item_id' | 'site_id'>): ShownListing {
  const number = Number(item_id.replace(/\D/g, '').slice(-6));
  return {
    price: 1000 + (number % 90) * 100,
    currency_id: currencyOf(site_id).id,
    available_quantity: 1 + (number % 20),
    permalink: `https://marketplace.test/${item_id}`,
    thumbnail: `https://marketplace.test/${item_id}.jpg`,
  };
}

const currencies: readonly Currency[] = [
  { id: 'ARS', description: 'Peso argentino', symbol: '$', decimal_places: 2 },
  { id: 'BRL', description: 'Real', symbol: 'R$', decimal_places: 2 },
  { id: 'CLP', description: 'Peso chileno', symbol: '$', decimal_places: 0 },
  { id: 'COP', description: 'Peso colombiano', symbol: '$', decimal_places: 2 },
  { id: 'MXN', description: 'Peso mexicano', symbol: '$', decimal_places: 2 },
  { id: 'PEN', description: 'Sol', symbol: 'S/', decimal_places: 2 },
  { id: 'USD', description: 'Dólar', symbol: 'U$S', decimal_places: 2 },
  { id: 'UYU', description: 'Peso uruguayo', symbol: '$', decimal_places: 2 },
];

const bySite: Readonly<Record<string, string>> = {
  MLA: 'ARS',
  MLB: 'BRL',
  MLC: 'CLP',
  MCO: 'COP',
  MLM: 'MXN',
  MPE: 'PEN',
  MLU: 'UYU',
};

/** Returns the currency of a site. */
export function currencyOf(site_id: string): Pick<Currency, 'id' | 'symbol'> {
  return currencies.find(({ id }) => id === bySite[site_id]) ?? { id: 'USD', symbol: 'U$S' };
}

/** Handles currencies. */
export const currencyHandlers: EndpointHandlers<typeof endpoints.currencies> = {
  list: () => currencies,
  get: ({ params: { id = '' } }) =>
    foundOrThrow(
      currencies.find((each) => each.id === id.toUpperCase()),
      `Currency ${id}`,
    ),
};
