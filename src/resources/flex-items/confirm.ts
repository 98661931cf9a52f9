import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext } from '../../core/operation/endpoint.js';
import { ItemNotFoundError } from './errors.js';
import { isEnabled } from './reads.js';
import type { FlexItemParams } from './schemas.js';

/** Reads back whether a write has put an item into Flex, or taken it out. */
export async function confirmInFlex(
  input: FlexItemParams,
  context: ConfirmContext,
  shouldBeIn: boolean,
): Promise<Confirmation> {
  const isIn = await context.read(isEnabled, input, 204).then(
    () => true,
    (error: unknown) => {
      // Any other 404 may be of a proxy, or of a path that is switched off.
      if (error instanceof ItemNotFoundError) return false;
      throw error;
    },
  );
  return isIn === shouldBeIn ? { done: true, output: undefined } : { done: false };
}
