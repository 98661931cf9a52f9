import type { Endpoint } from '../../core/endpoint.js';
import { siteSearchParams, siteSearchResponse } from './schemas.js';
import type { SiteSearchParams, SiteSearchResponse } from './schemas.js';

const search: Endpoint<SiteSearchParams, SiteSearchResponse> = {
  name: 'sites.search',
  method: 'GET',
  path: '/sites/{site_id}/search',
  input: siteSearchParams,
  output: siteSearchResponse,
  retry: 'safe',
  errors: [],
};

/** The endpoints of sites, as `endpoints` has them. */
export const siteEndpoints = { search };
