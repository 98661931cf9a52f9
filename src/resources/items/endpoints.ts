import type { Endpoint } from '../../core/endpoint.js';
import { itemStatusParams, itemStatuses } from './schemas.js';
import type { ItemStatusParams, ItemStatus } from './schemas.js';

const status: Endpoint<ItemStatusParams, ItemStatus[]> = {
  name: 'items.status',
  method: 'GET',
  path: '/items',
  query: { attributes: 'status' },
  input: itemStatusParams,
  output: itemStatuses,
  retry: 'safe',
  errors: [],
};

/** The endpoints of items, as `endpoints` has them. */
export const itemEndpoints = { status };
