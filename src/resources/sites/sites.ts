import type { Requester } from '../../core/operation/api-promise.js';
import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { pagedCalls, type Paged } from '../../core/paging/paged.js';
import * as s from '../../core/schema/define.js';
import type { Input, Output } from '../../core/schema/schema.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { keyOf, limit, listIn, nullishArray, offset, paging, searchOptionOrId, siteId } from '../fields.js';
import type { Paging, SearchOption } from '../fields.js';

/** The marketplace's countries. */
export class Sites {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /**
   * Iterates over the items that a site search finds. Its pages also have the filters and sorts.
   * Request: GET /sites/{site_id}/search.
   *
   * @example
   * for await (const { id, title } of seller.sites.search({ site_id: 'MLB', q: 'chair' })) console.log(id, title);
   */
  search(input: Input<typeof siteSchemas.siteSearchParams>, options?: CallOptions): Paged<Listing, SiteSearchExtra> {
    return pagedCalls(this.#requester, siteEndpoints.search, input, options, {
      key: (item) => item.id,
      read: ({ results, paging, ...extra }) => ({
        items: results,
        total: paging?.total,
        limit: paging?.limit,
        extra,
      }),
    });
  }
}

export const listing = s.looseObject({
  id: keyOf,
  title: s.nullish(s.string),
  price: s.nullish(s.number),
  currency_id: s.nullish(s.string),
  available_quantity: s.nullish(s.integer),
  permalink: s.nullish(s.string),
});
/** An item that a search found. The specification does not name its fields; these are the common ones. */
export interface Listing extends Output<typeof siteSchemas.listing> {}

/** The response to a site search. */
const siteSearchPage = s.looseObject({
  site_id: s.nullish(s.string),
  query: s.nullish(s.string),
  paging: s.nullish<Paging>(paging),
  results: nullishArray(s.named<Listing>(listing), 'main'),
  sort: s.nullish<SearchOption | string>(searchOptionOrId),
  available_sorts: nullishArray(searchOptionOrId),
  filters: nullishArray(searchOptionOrId),
  available_filters: nullishArray(searchOptionOrId),
});
export const siteSearchResponse = s.preprocess<Output<typeof siteSearchPage>>(siteSearchPage, listIn('results'));
/** The same, in every known shape of its list. */
export type SiteSearchResponse = Output<typeof siteSearchResponse>;

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

const siteSearchParams = s.strictObject({
  site_id: siteId,
  /** The search text. */
  q: s.optional(s.string),
  limit,
  offset,
  /** Sent as query parameters, e.g. the ids of `available_filters` and `sort`. */
  filters: s.optional(s.record),
});
/** The input of `sites.search`. */
export type SiteSearchParams = Input<typeof siteSchemas.siteSearchParams>;

const search: DescribedEndpoint<SiteSearchParams, SiteSearchResponse> = {
  name: 'sites.search',
  summary: 'Searches the items of a site',
  method: 'GET',
  path: '/sites/{site_id}/search',
  input: siteSearchParams,
  example: { site_id: 'MLA', q: 'silla', limit: 20, offset: 40, filters: { condition: 'new' } },
  output: siteSearchResponse,
  retry: 'safe',
  errors: [],
};

/** The endpoints of sites, as `endpoints` has them. */
export const siteEndpoints = { search };

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const siteSchemas = { listing, siteSearchParams };
