import type { Requester } from '../../core/operation/requester.js';
import { pagedCalls } from '../../core/paging/paged.js';
import type { Paged } from '../../core/paging/paged.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { siteEndpoints } from './endpoints.js';
import type { Listing, SiteSearchParams, SiteSearchExtra } from './schemas.js';

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
  search(input: SiteSearchParams, options?: CallOptions): Paged<Listing, SiteSearchExtra> {
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
