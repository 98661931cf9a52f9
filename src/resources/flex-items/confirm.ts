import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext } from '../../core/operation/endpoint.js';
import { meansNotInFlex } from './errors.js';
import { isEnabled } from './reads.js';
import type { FlexItemParams } from './schemas.js';

/** Reads back whether Flex is enabled on an item. */
export function confirmEnabled(input: FlexItemParams, context: ConfirmContext): Promise<Confirmation> {
  return confirmInFlex(input, context, true);
}

/** Reads back whether Flex is disabled on an item. */
export function confirmDisabled(input: FlexItemParams, context: ConfirmContext): Promise<Confirmation> {
  return confirmInFlex(input, context, false);
}

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
