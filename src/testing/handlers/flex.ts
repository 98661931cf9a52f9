import { inspect } from '../../core/schema/schema.js';
import type { endpoints } from '../../endpoints.js';
import * as itemErrors from '../../resources/flex-items/flex-items.js';
import * as errors from '../../resources/flex/errors.js';
import { flexConfiguration } from '../../resources/flex/schemas.js';
import { lasting } from '../clock.js';
import { badRequest, bearerOrThrow, errorResponse, forbidden, noContent } from '../http/handler.js';
import type { Call, EndpointHandlers, HandlerResponse } from '../http/handler.js';
import { pathId, pathText } from '../http/read-request.js';
import { lockMsInProcess } from '../settings.js';
import type { StoredFlexSubscription } from '../state/flex.js';
import type { Item } from '../state/items.js';
import type { Stores } from '../state/stores.js';
import {
  readDelivery,
  readPathIds,
  readQuery,
  readZones,
  toConfigurationView,
  toSubscriptionView,
} from './flex-view.js';

/** Handles Flex. Spec: Flex delivery. */
export function flexHandlers(stores: Stores): EndpointHandlers<typeof endpoints.flex> {
  const { accounts, settings, flex: store } = stores;
  return {
    subscriptions: (call) => {
      bearerOrThrow(call);
      const site_id = siteOrThrow(call);
      const user_id = pathId(call, 'user_id');
      assertUser(call, site_id, user_id);
      return store.subscriptionsOf(user_id).map((each) => toSubscriptionView(each, store.zonesOf(site_id), settings));
    },

    configuration: async (call) => {
      bearerOrThrow(call);
      const site_id = siteOrThrow(call);
      const query = await readQuery(call);
      // `graphql` is an optional part: it is loaded on first use, as in the client.
      const { executeQuery } = await import('./flex-query.js');
      return executeQuery(query, {
        configuration: flexConfiguration,
        inspect,
        resolve: ({ user_id, service_id }) => {
          assertUser(call, site_id, user_id);
          const subscription = store.find(site_id, user_id, service_id);
          if (!subscription) throw errorResponse(errors.subscriptionNotFound);
          return toConfigurationView(subscription, store.zonesOf(site_id), settings);
        },
        invalid: (reason) => errorResponse(errors.invalidQuery, { message: `invalid query: ${reason}` }),
      });
    },

    setDelivery: async (call) => {
      bearerOrThrow(call);
      const ids = readPathIds(call);
      const { delivery_window, delivery_ranges } = await readDelivery(call);
      const subscription = getSubscriptionOrThrow(call, ids);
      if (subscription.mode === 'TURBO') throw badRequest('the delivery of this subscription is accurate, not custom');
      if (subscription.extendedRange)
        throw errorResponse({ status: 422, message: 'An extended delivery range is active' });
      store.configure(subscription.id, {
        delivery_window,
        delivery_ranges: { ...keptOf(subscription.delivery_ranges), ...delivery_ranges },
      });
      return {};
    },

    addZones: async (call) => {
      bearerOrThrow(call);
      const ids = readPathIds(call);
      const zones = await readZones(call);
      const subscription = getSubscriptionOrThrow(call, ids);
      if (subscription.mode === 'TURBO') throw badRequest('the coverage of this subscription is a radius, not zones');
      const known = store.zonesOf(subscription.site_id).map(({ id }) => id);
      const unknown = zones.find(({ id }) => !known.includes(id));
      if (unknown) throw badRequest(`zone ${unknown.id} does not exist`);
      const cutoffs = Object.fromEntries(zones.flatMap(({ id, cutoff }) => (cutoff ? [[id, cutoff] as const] : [])));
      store.configure(subscription.id, {
        zones: [...new Set([...(isKept() ? subscription.zones : []), ...zones.map(({ id }) => id)])],
        zoneCutoffs: isKept() ? { ...subscription.zoneCutoffs, ...cutoffs } : cutoffs,
      });
      return {};
    },

    driver: (call) => {
      const { user_id } = bearerOrThrow(call);
      const shipment_id = pathId(call, 'shipment_id', errorResponse(errors.driverNotFound));
      const shipment = store.shipmentOf(pathText(call, 'site_id'), shipment_id);
      if (!shipment) throw errorResponse(errors.driverNotFound);
      if (shipment.user_id !== user_id) throw forbidden('The shipment belongs to another seller');
      if (shipment.driver_id === undefined) throw errorResponse(errors.driverNotFound);
      return { driver_id: shipment.driver_id };
    },

    items: flexItemHandlers(stores).v1,
  };

  /** Whether a change keeps what it leaves out. Wire notes 23. */
  function isKept(): boolean {
    return settings.omittedFlexSettings === 'kept';
  }

  function keptOf<T extends object>(whole: T): Partial<T> {
    return isKept() ? whole : {};
  }

  /** Returns the site in the path. @throws {ErrorResponse} 400 when it is empty or has no Flex */
  function siteOrThrow(call: Call): string {
    const site_id = pathText(call, 'site_id');
    if (site_id.trim() === '') throw errorResponse(errors.emptySite);
    if (!store.covers(site_id)) throw errorResponse(errors.invalidSite);
    return site_id;
  }

  function assertUser(call: Call, site_id: string, user_id: number): void {
    if (accounts.get(user_id)?.site_id !== site_id) throw errorResponse(errors.userNotFound);
    if (bearerOrThrow(call).user_id !== user_id) throw errorResponse(errors.noAccess);
  }

  /** Returns a subscription of the caller whose settings can change: one that is not `out`. */
  function getSubscriptionOrThrow(
    call: Call,
    { user_id, service_id }: ReturnType<typeof readPathIds>,
  ): StoredFlexSubscription {
    if (bearerOrThrow(call).user_id !== user_id) throw forbidden('The subscription belongs to another seller');
    const subscription = store.find(pathText(call, 'site_id'), user_id, service_id);
    if (!subscription || subscription.status === 'out') throw errorResponse(errors.deliveryNotUpdated);
    return subscription;
  }
}

type ItemHandlers = EndpointHandlers<typeof endpoints.flex.items>;

/** Handles which items are in Flex, in both generations of paths. Spec: Flex delivery. */
export function flexItemHandlers({ flex, items, settings }: Stores): {
  readonly v1: ItemHandlers;
  readonly v2: ItemHandlers;
} {
  const v1: ItemHandlers = {
    isEnabled: (call) => {
      if (!flex.isEnabled(getItemOrThrow(call))) throw errorResponse(itemErrors.itemNotFound);
      return noContent;
    },

    enable: (call) =>
      changing(getItemOrThrow(call), (item) => {
        // Spec: Flex delivery, item status.
        if (item.status !== 'active' || !isSubscribed(item)) throw errorResponse(itemErrors.itemDown);
        if (flex.isEnabled(item)) throw errorResponse(itemErrors.alreadyInFlex);
        flex.setEnabled(item, true);
      }),

    disable: (call) =>
      changing(getItemOrThrow(call), (item) => {
        if (!flex.isEnabled(item)) throw errorResponse(itemErrors.notInFlex);
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
          throw errorResponse(answer === 'down' ? itemErrors.itemDown : itemErrors.alreadyInFlex);
        flex.setEnabled(item, false);
      }),
  };
  return { v1, v2 };

  /** Changes an item. A concurrent change of the same item fails with 409 while this one is in progress. */
  async function changing(item: Item, change: (item: Item) => void): Promise<HandlerResponse> {
    const unlock = flex.lock(item);
    if (!unlock) throw errorResponse(itemErrors.itemLocked);
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
    if (!flex.covers(site_id) || item?.site_id !== site_id) throw errorResponse(itemErrors.itemNotFound);
    if (item.seller_id !== user_id) throw forbidden('The item belongs to another seller');
    if (flex.isDown(item)) throw errorResponse(itemErrors.itemDown);
    return item;
  }

  function isSubscribed({ seller_id }: Item): boolean {
    return flex.subscriptionsOf(seller_id).some(({ status }) => status !== 'out');
  }
}
