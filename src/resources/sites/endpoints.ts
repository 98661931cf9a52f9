import type { Endpoint } from '../../core/endpoint.js';
import { siteSearchParams, siteSearchResponse } from './schemas.js';
import type { SiteSearchParams, SiteSearchResponse } from './schemas.js';

export const search: Endpoint<SiteSearchParams, SiteSearchResponse> = {
  name: 'sites.search',
  method: 'GET',
  path: '/sites/{site_id}/search',
  input: siteSearchParams,
  output: siteSearchResponse,
  retry: 'safe',
  errors: [],
};
