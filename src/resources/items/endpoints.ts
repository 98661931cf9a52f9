import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { itemStatusParams, itemStatuses } from './schemas.js';
import type { ItemStatusParams, ItemStatus } from './schemas.js';

const status: DescribedEndpoint<ItemStatusParams, ItemStatus[]> = {
  name: 'items.status',
  summary: 'Reads several items by id',
  method: 'GET',
  path: '/items',
  query: { attributes: 'status' },
  input: itemStatusParams,
  example: { ids: ['MLA100', 'MLA200'] },
  output: itemStatuses,
  identity: { ids: '*.id' },
  retry: 'safe',
  errors: [],
};

/** The endpoints of items, as `endpoints` has them. */
export const itemEndpoints = { status };
