import { currencyOf } from './currencies.js';
import type { Item } from '../state/items.js';

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
