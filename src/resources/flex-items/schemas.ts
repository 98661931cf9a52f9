import { key, siteId } from '../fields.js';
import * as s from '../../core/schema/define.js';
import type { Input } from '../../core/schema/schema.js';

export const flexItemParams = s.strictObject({
  site_id: siteId,
  /** The item. */
  item_id: key,
});
/** The input of `flex.items.isEnabled`. */
export interface FlexItemParams extends Input<typeof flexItemParams> {}

/** An item to disable for Flex. */
export interface DisableItemParams extends FlexItemParams {
  /** With `true`, the call succeeds if the item is already disabled, instead of throwing `NotInFlexError`. */
  readonly idempotent?: boolean | undefined;
}

/** An item to enable for Flex. */
export interface EnableItemParams extends FlexItemParams {
  /** With `true`, the call succeeds if the item is already enabled, instead of throwing `AlreadyInFlexError`. */
  readonly idempotent?: boolean | undefined;
  /** With `true`, the call reads the item's status first, and changes nothing unless it is `active`. */
  readonly requireActive?: boolean | undefined;
}
