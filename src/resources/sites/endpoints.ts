import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { siteSearchParams, siteSearchResponse } from './schemas.js';
import type { SiteSearchParams, SiteSearchResponse } from './schemas.js';

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
