import type { endpoints } from '../../endpoints.js';
import * as errors from '../../resources/flex-items/errors.js';
import type { Call } from '../http/call.js';
import { bearerOrThrow, errorResponse, forbidden, noContent } from '../http/handler.js';
import type { EndpointHandlers } from '../http/handler.js';
import { pathText } from '../http/read-request.js';
import type { Item } from '../state/items.js';
import type { Stores } from '../state/stores.js';

/** Handles which items are in Flex. Spec: Flex delivery. */
export function flexItemHandlers({ flex, items }: Stores): EndpointHandlers<typeof endpoints.flex.items> {
  return {
    isEnabled: (call) => {
      if (!flex.isEnabled(getItemOrThrow(call))) throw errorResponse(errors.itemNotFound);
      return noContent;
    },

    enable: (call) => {
      const item = getItemOrThrow(call);
      // Spec: Flex delivery, item status.
      if (item.status !== 'active' || !isSubscribed(item)) throw errorResponse(errors.itemDown);
      if (flex.isEnabled(item)) throw errorResponse(errors.alreadyInFlex);
      flex.setEnabled(item, true);
      return noContent;
    },

    disable: (call) => {
      const item = getItemOrThrow(call);
      if (!flex.isEnabled(item)) throw errorResponse(errors.notInFlex);
      flex.setEnabled(item, false);
      return noContent;
    },
  };

  function getItemOrThrow(call: Call): Item {
    const { user_id } = bearerOrThrow(call);
    const site_id = pathText(call, 'site_id');
    const item = items.get(pathText(call, 'item_id'));
    if (!flex.covers(site_id) || item?.site_id !== site_id) throw errorResponse(errors.itemNotFound);
    if (item.seller_id !== user_id) throw forbidden('The item belongs to another seller');
    if (flex.isDown(item)) throw errorResponse(errors.itemDown);
    return item;
  }

  function isSubscribed({ seller_id }: Item): boolean {
    return flex.subscriptionsOf(seller_id).some(({ status }) => status !== 'out');
  }
}
