import {
  anything,
  entity,
  integer,
  map,
  maybe,
  number,
  optional,
  read,
  request,
  text,
} from '../../core/schema/schema.js';
import type { Input, Output } from '../../core/schema/schema.js';
import { limit, nullishArray, offset, paging, siteId } from '../../core/schema/fields.js';
import type { Paging } from '../../core/schema/fields.js';

/** An item that a search found. The specification does not name its fields; these are the usual ones. */
export const listing = entity({
  id: read(text, (value) => (typeof value === 'number' ? String(value) : value)),
  title: maybe(text),
  price: maybe(number),
  currency_id: maybe(text),
  available_quantity: maybe(integer),
  permalink: maybe(text),
});
export interface Listing extends Output<typeof listing> {}

/** The answer of a site's search. Spec: Common resources, site search. */
export const siteSearchResponse = entity({
  site_id: maybe(text),
  query: maybe(text),
  paging: maybe<Paging>(paging),
  results: nullishArray<Listing>(listing),
  sort: maybe(anything),
  available_sorts: maybe(anything),
  filters: maybe(anything),
  available_filters: maybe(anything),
});
export interface SiteSearchResponse extends Output<typeof siteSearchResponse> {}

/** What a page of a site's search holds beside its results. */
export interface SiteSearchExtra {
  readonly site_id?: string | null | undefined;
  readonly query?: string | null | undefined;
  /** How the results are sorted. */
  readonly sort?: unknown;
  readonly available_sorts?: unknown;
  /** The filters that are in force. */
  readonly filters?: unknown;
  readonly available_filters?: unknown;
}

export const siteSearchParams = request({
  site_id: siteId,
  /** What to look for. */
  q: optional(text),
  limit,
  offset,
  /** Passed through as query parameters, e.g. the ids of `available_filters` and `sort`. */
  filters: optional(map),
});
export interface SiteSearchParams extends Input<typeof siteSearchParams> {}
