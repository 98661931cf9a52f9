import type { Endpoint } from '../../core/endpoint.js';
import { siteSearch, siteSearchAnswer } from './schemas.js';
import type { SiteSearch, SiteSearchAnswer } from './schemas.js';

export const search: Endpoint<SiteSearch, SiteSearchAnswer> = {
  name: 'sites.search',
  method: 'GET',
  path: '/sites/{site_id}/search',
  input: siteSearch,
  output: siteSearchAnswer,
  retry: 'read',
  errors: [],
};
