import type { Endpoint } from '../../core/endpoint.js';
import { itemIds, itemStatuses } from './schemas.js';
import type { ItemIds, ItemStatus } from './schemas.js';

export const status: Endpoint<ItemIds, ItemStatus[]> = {
  name: 'items.status',
  method: 'GET',
  path: '/items',
  query: { attributes: 'status' },
  input: itemIds,
  output: itemStatuses,
  retry: 'read',
  errors: [],
};
