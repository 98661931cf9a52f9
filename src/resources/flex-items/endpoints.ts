import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { confirmInFlex } from './confirm.js';
import { alreadyInFlex, itemDown, itemLocked, itemNotFound, notInFlex } from './errors.js';
import { flexItemReads, ofItem } from './reads.js';
import type { FlexItemParams } from './schemas.js';

const enable: DescribedEndpoint<FlexItemParams> = {
  ...ofItem,
  name: 'flex.items.enable',
  summary: 'Enables Flex on an item',
  method: 'POST',
  retry: 'idempotent',
  errors: [alreadyInFlex, itemDown, itemNotFound, itemLocked],
  confirm: (input, context) => confirmInFlex(input, context, true),
};

const disable: DescribedEndpoint<FlexItemParams> = {
  ...ofItem,
  name: 'flex.items.disable',
  summary: 'Disables Flex on an item',
  method: 'DELETE',
  retry: 'idempotent',
  errors: [notInFlex, itemDown, itemNotFound, itemLocked],
  confirm: (input, context) => confirmInFlex(input, context, false),
};

/** The endpoints of items in Flex, as `endpoints` has them. */
export const flexItemEndpoints = { ...flexItemReads, enable, disable };
