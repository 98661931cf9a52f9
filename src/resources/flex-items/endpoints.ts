import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext, DescribedEndpoint } from '../../core/operation/endpoint.js';
import { unknown } from '../../core/schema/define.js';
import { alreadyInFlex, itemDown, itemLocked, itemNotFound, meansNotInFlex, notInFlex } from './errors.js';
import { flexItemParams } from './schemas.js';
import type { FlexItemParams } from './schemas.js';

/** What the endpoints have in common. */
const ofItem = {
  path: '/sites/{site_id}/shipping/selfservice/items/{item_id}',
  input: flexItemParams,
  example: { site_id: 'MLA', item_id: 'MLA100' },
  output: unknown,
} as const;

const isEnabled: DescribedEndpoint<FlexItemParams> = {
  ...ofItem,
  name: 'flex.items.isEnabled',
  summary: 'Tells whether Flex is enabled on an item',
  method: 'GET',
  retry: 'safe',
  errors: [itemDown, itemNotFound],
};

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

/** Finds out whether a write has put an item into Flex, or taken it out. */
async function confirmInFlex(
  input: FlexItemParams,
  context: ConfirmContext,
  shouldBeIn: boolean,
): Promise<Confirmation> {
  const isIn = await context.read(isEnabled, input, 204).then(
    () => true,
    (error: unknown) => {
      if (meansNotInFlex(error)) return false;
      throw error;
    },
  );
  return isIn === shouldBeIn ? { done: true, output: undefined } : { done: false };
}

/** The endpoints of items in Flex, as `endpoints` has them. */
export const flexItemEndpoints = { isEnabled, enable, disable };
