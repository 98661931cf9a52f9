import {
  integer,
  nullish,
  number,
  optional,
  strictObject,
  preprocess,
  record,
  looseObject,
  string,
} from '../../core/schema/schema.js';
import type { Input, Output } from '../../core/schema/schema.js';
import {
  keyOf,
  limit,
  listIn,
  mainList,
  nullishArray,
  offset,
  paging,
  searchOptionOrId,
  siteId,
} from '../../core/schema/fields.js';
import type { Paging, SearchOption } from '../../core/schema/fields.js';

/** An item that a search found. The specification does not name its fields; these are the common ones. */
export const listing = looseObject({
  id: keyOf,
  title: nullish(string),
  price: nullish(number),
  currency_id: nullish(string),
  available_quantity: nullish(integer),
  permalink: nullish(string),
});
export interface Listing extends Output<typeof listing> {}

/** The response to a site search. */
const siteSearchPage = looseObject({
  site_id: nullish(string),
  query: nullish(string),
  paging: nullish<Paging>(paging),
  results: mainList<Listing>(listing),
  sort: nullish<SearchOption | string>(searchOptionOrId),
  available_sorts: nullishArray(searchOptionOrId),
  filters: nullishArray(searchOptionOrId),
  available_filters: nullishArray(searchOptionOrId),
});
/** The same, in every known shape of its list. */
export const siteSearchResponse = preprocess<Output<typeof siteSearchPage>>(siteSearchPage, listIn('results'));
export interface SiteSearchResponse extends Output<typeof siteSearchResponse> {}

/** What a page of a site search contains besides its results. */
export interface SiteSearchExtra {
  readonly site_id?: string | null | undefined;
  readonly query?: string | null | undefined;
  /** How the results are sorted. */
  readonly sort?: SearchOption | string | null | undefined;
  readonly available_sorts?: readonly (SearchOption | string)[] | null | undefined;
  /** The active filters. */
  readonly filters?: readonly (SearchOption | string)[] | null | undefined;
  readonly available_filters?: readonly (SearchOption | string)[] | null | undefined;
}

export const siteSearchParams = strictObject({
  site_id: siteId,
  /** The search text. */
  q: optional(string),
  limit,
  offset,
  /** Sent as query parameters, e.g. the ids of `available_filters` and `sort`. */
  filters: optional(record),
});
export interface SiteSearchParams extends Input<typeof siteSearchParams> {}
