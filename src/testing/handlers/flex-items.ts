import { lasting } from '../clock.js';
import type { endpoints } from '../../endpoints.js';
import * as errors from '../../resources/flex-items/errors.js';
import type { Call } from '../http/call.js';
import { bearerOrThrow, errorResponse, forbidden, noContent } from '../http/handler.js';
import type { EndpointHandlers, HandlerResponse } from '../http/handler.js';
import { pathText } from '../http/read-request.js';
import { lockMsInProcess } from '../settings.js';
import type { Item } from '../state/items.js';
import type { Stores } from '../state/stores.js';

type ItemHandlers = EndpointHandlers<typeof endpoints.flex.items>;

/** Handles which items are in Flex, in both generations of paths. Spec: Flex delivery. */
export function flexItemHandlers({ flex, items, settings }: Stores): {
  readonly v1: ItemHandlers;
  readonly v2: ItemHandlers;
} {
  const v1: ItemHandlers = {
    isEnabled: (call) => {
      if (!flex.isEnabled(getItemOrThrow(call))) throw errorResponse(errors.itemNotFound);
      return noContent;
    },

    enable: (call) =>
      changing(getItemOrThrow(call), (item) => {
        // Spec: Flex delivery, item status.
        if (item.status !== 'active' || !isSubscribed(item)) throw errorResponse(errors.itemDown);
        if (flex.isEnabled(item)) throw errorResponse(errors.alreadyInFlex);
        flex.setEnabled(item, true);
      }),

    disable: (call) =>
      changing(getItemOrThrow(call), (item) => {
        if (!flex.isEnabled(item)) throw errorResponse(errors.notInFlex);
        flex.setEnabled(item, false);
      }),
  };
  const v2: ItemHandlers = {
    isEnabled: (call) => ({ has_flex: flex.isEnabled(getItemOrThrow(call)) }),
    enable: v1.enable,
    disable: (call) =>
      changing(getItemOrThrow(call), (item) => {
        const { flexRepeatedDelete: answer } = settings;
        if (!flex.isEnabled(item) && answer !== 'done')
          throw errorResponse(answer === 'down' ? errors.itemDown : errors.alreadyInFlex);
        flex.setEnabled(item, false);
      }),
  };
  return { v1, v2 };

  /** Changes an item. A concurrent change of the same item fails with 409 while this one is in progress. */
  async function changing(item: Item, change: (item: Item) => void): Promise<HandlerResponse> {
    const unlock = flex.lock(item);
    if (!unlock) throw errorResponse(errors.itemLocked);
    try {
      // Concurrent calls within a process arrive within a few turns; over HTTP they have longer gaps.
      if (settings.optionLockMs > lockMsInProcess) await lasting(settings.optionLockMs);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      change(item);
      return noContent;
    } finally {
      unlock();
    }
  }

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
