import type { Requester } from '../../core/endpoint.js';
import { Paged, withLimits, withPage } from '../../core/pagination/paged.js';
import type { PaginationOptions } from '../../core/pagination/paged.js';
import * as endpoints from './endpoints.js';
import type { Listing, SiteSearchParams, SiteSearchExtra } from './schemas.js';

/** The marketplace's countries. Spec: Common resources. */
export class Sites {
  readonly #caller: Requester;

  constructor(caller: Requester) {
    this.#caller = caller;
  }

  /**
   * Iterates over the items that a site search finds. Its pages also have the filters and sorts.
   * Spec: GET /sites/{site_id}/search.
   *
   * @example
   * for await (const { id, title } of seller.sites.search({ site_id: 'MLB', q: 'chair' })) console.log(id, title);
   */
  search(input: SiteSearchParams, options: PaginationOptions = {}): Paged<Listing, SiteSearchExtra> {
    const { prefetch = 0, ...callOptions } = options;
    return new Paged<Listing, SiteSearchExtra>({
      offset: input.offset ?? 0,
      limit: input.limit,
      prefetch,
      signal: options.signal,
      deadlineMs: options.deadlineMs ?? this.#caller.deadlineMs,
      key: (item) => item.id,
      fetch: async (place, limits) => {
        const { results, paging, ...extra } = await this.#caller.call(
          endpoints.search,
          withPage(input, place),
          withLimits(callOptions, limits),
        );
        return { items: results, total: paging?.total, limit: paging?.limit, extra };
      },
    });
  }
}
