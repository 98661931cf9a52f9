import type { ConfirmContext, DescribedEndpoint } from '../../core/endpoint.js';
import { unknown } from '../../core/schema/schema.js';
import { alreadyInFlex, itemDown, itemLocked, itemNotFound, meansNotInFlex, notInFlex } from './errors.js';
import { flexItemParams } from './schemas.js';
import type { FlexItemParams } from './schemas.js';

const path = '/sites/{site_id}/shipping/selfservice/items/{item_id}';

const isEnabled: DescribedEndpoint<FlexItemParams> = {
  name: 'flex.items.isEnabled',
  summary: 'Tells whether Flex is enabled on an item',
  method: 'GET',
  path,
  input: flexItemParams,
  example: { site_id: 'MLA', item_id: 'MLA100' },
  output: unknown,
  retry: 'safe',
  errors: [itemDown, itemNotFound],
};

const enable: DescribedEndpoint<FlexItemParams> = {
  name: 'flex.items.enable',
  summary: 'Enables Flex on an item',
  method: 'POST',
  path,
  input: flexItemParams,
  example: { site_id: 'MLA', item_id: 'MLA100' },
  output: unknown,
  retry: 'idempotent',
  errors: [alreadyInFlex, itemDown, itemNotFound, itemLocked],
  async confirm(input, context) {
    return (await isInFlex(input, context)) ? { done: true, output: undefined } : { done: false };
  },
};

const disable: DescribedEndpoint<FlexItemParams> = {
  name: 'flex.items.disable',
  summary: 'Disables Flex on an item',
  method: 'DELETE',
  path,
  input: flexItemParams,
  example: { site_id: 'MLA', item_id: 'MLA100' },
  output: unknown,
  retry: 'idempotent',
  errors: [notInFlex, itemDown, itemNotFound, itemLocked],
  async confirm(input, context) {
    return !(await isInFlex(input, context)) ? { done: true, output: undefined } : { done: false };
  },
};

async function isInFlex(input: FlexItemParams, context: ConfirmContext): Promise<boolean> {
  try {
    await context.read(isEnabled, input, 204);
    return true;
  } catch (error) {
    if (meansNotInFlex(error)) return false;
    throw error;
  }
}

/** The endpoints of items in Flex, as `endpoints` has them. */
export const flexItemEndpoints = { isEnabled, enable, disable };
