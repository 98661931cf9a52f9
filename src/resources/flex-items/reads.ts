import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { unknown } from '../../core/schema/define.js';
import { hintToFlexV2, itemDown, itemNotFound } from './errors.js';
import { flexItemParams } from './schemas.js';
import type { FlexItemParams } from './schemas.js';

/** What the endpoints of an item have in common. */
export const ofItem = {
  path: '/sites/{site_id}/shipping/selfservice/items/{item_id}',
  input: flexItemParams,
  example: { site_id: 'MLA', item_id: 'MLA100' },
  output: unknown,
  hintAfter: hintToFlexV2,
} as const;

export const isEnabled: DescribedEndpoint<FlexItemParams> = {
  ...ofItem,
  name: 'flex.items.isEnabled',
  summary: 'Tells whether Flex is enabled on an item',
  method: 'GET',
  retry: 'safe',
  errors: [itemDown, itemNotFound],
};

/** The endpoints of items in Flex that only read. */
export const flexItemReads = { isEnabled };
