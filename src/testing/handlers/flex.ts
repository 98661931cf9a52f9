import type { endpoints } from '../../endpoints.js';
import {
  alreadyInFlex,
  deliveryNotUpdated,
  driverNotFound,
  invalidJson,
  invalidService,
  invalidSite,
  invalidUser,
  itemDown,
  itemNotFound,
  noAccess,
  notInFlex,
  subscriptionNotFound,
  userNotFound,
} from '../../resources/flex/errors.js';
import type { SetDeliveryParams, FlexItemParams } from '../../resources/flex/schemas.js';
import { forbidden, bearerOrThrow, noContent, errorResponse } from '../http/handler.js';
import type { EndpointHandlers, HandlerInfo, ResourceConventions } from '../http/handler.js';
import { toConfigurationView, toSubscriptionView } from './flex-view.js';
import { kindsOfDays } from '../state/flex.js';
import type { FlexStore, StoredSubscription } from '../state/flex.js';
import type { Item } from '../state/items.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

/** Chooses the error for an invalid input: by the invalid field, where the endpoint documents that. */
export const flexConventions: ResourceConventions = {
  onInvalidInput: (endpoint, issues) => {
    const byField: Readonly<Record<string, typeof invalidSite>> = {
      site_id: invalidSite,
      user_id: invalidUser,
      service_id: invalidService,
    };
    const fieldError = byField[String(issues[0]?.path[0])];
    const documented = [fieldError, invalidJson].find((each) => each && endpoint.errors.includes(each));
    return documented && errorResponse(documented);
  },
};

/** Handles Flex. */
export function flexHandlers(
  store: FlexStore,
  { accounts, items }: MarketplaceState,
): EndpointHandlers<typeof endpoints.flex> {
  return {
    subscriptions: ({ site_id, user_id }, info) => {
      assertUser(site_id, Number(user_id), info);
      return store.subscriptionsOf(Number(user_id)).map(toSubscriptionView);
    },
    configuration: async ({ site_id, query }, info) => {
      assertSite(site_id);
      bearerOrThrow(info);
      // `graphql` is an optional part: it is loaded on first use, as in the client.
      const { executeQuery } = await import('./flex-query.js');
      return executeQuery(query, ({ user_id, service_id }) => {
        assertUser(site_id, user_id, info);
        const subscription = store.find(site_id, user_id, service_id);
        if (!subscription) throw errorResponse(subscriptionNotFound);
        return toConfigurationView(subscription, store.zonesOf(site_id));
      });
    },
    setDelivery: (input, info) => {
      const { id, delivery_ranges } = getSubscriptionOrThrow(input, info);
      const { delivery_window, delivery_ranges: ranges } = input;
      store.configure(id, {
        ...(delivery_window !== undefined && { delivery_window }),
        delivery_ranges: { ...delivery_ranges, ...rangesOf(ranges) },
      });
      return {};
    },
    addZones: (input, info) => {
      const subscription = getSubscriptionOrThrow(input, info);
      const known = store.zonesOf(input.site_id).map(({ id }) => id);
      const wanted = input.zones.map(({ id }) => String(id));
      const unknown = wanted.find((id) => !known.includes(id));
      if (unknown !== undefined) throw errorResponse({ status: 400, message: `zone ${unknown} does not exist` });
      store.configure(subscription.id, { zones: [...new Set([...subscription.zones, ...wanted])] });
      return {};
    },
    driver: ({ site_id, shipment_id }, info) => {
      bearerOrThrow(info);
      const driver_id = store.driverOf(site_id, Number(shipment_id));
      if (driver_id === undefined) throw errorResponse(driverNotFound);
      return { driver_id };
    },
    items: {
      isEnabled: (input, info) => {
        if (!store.isEnabled(getItemOrThrow(input, info))) throw errorResponse(itemNotFound);
        return noContent;
      },
      enable: (input, info) => {
        const item = getItemOrThrow(input, info);
        // Spec: Flex delivery, item status.
        if (item.status !== 'active') throw errorResponse(itemDown);
        if (store.isEnabled(item)) throw errorResponse(alreadyInFlex);
        store.setEnabled(item, true);
        return noContent;
      },
      disable: (input, info) => {
        const item = getItemOrThrow(input, info);
        if (!store.isEnabled(item)) throw errorResponse(notInFlex);
        store.setEnabled(item, false);
        return noContent;
      },
    },
  };

  function assertSite(site_id: string): void {
    if (!store.covers(site_id)) throw errorResponse(invalidSite);
  }

  function assertUser(site_id: string, user_id: number, info: HandlerInfo): void {
    assertSite(site_id);
    if (accounts.get(user_id)?.site_id !== site_id) throw errorResponse(userNotFound);
    if (bearerOrThrow(info).user_id !== user_id) throw errorResponse(noAccess);
  }

  /** Returns a subscription whose settings can change: one that is not `out`. */
  function getSubscriptionOrThrow(
    { site_id, user_id, service_id }: Pick<SetDeliveryParams, 'site_id' | 'user_id' | 'service_id'>,
    info: HandlerInfo,
  ): StoredSubscription {
    if (bearerOrThrow(info).user_id !== Number(user_id)) throw forbidden('The subscription belongs to another seller');
    const subscription = store.find(site_id, Number(user_id), Number(service_id));
    if (!subscription || subscription.status === 'out') throw errorResponse(deliveryNotUpdated);
    return subscription;
  }

  function getItemOrThrow({ site_id, item_id }: FlexItemParams, info: HandlerInfo): Item {
    const { user_id } = bearerOrThrow(info);
    const item = items.get(String(item_id));
    if (!store.covers(site_id) || item?.site_id !== site_id) throw errorResponse(itemNotFound);
    if (item.seller_id !== user_id) throw forbidden('The item belongs to another seller');
    if (store.isDown(item)) throw errorResponse(itemDown);
    return item;
  }
}

function rangesOf(ranges: SetDeliveryParams['delivery_ranges']): StoredSubscription['delivery_ranges'] {
  const given = kindsOfDays.flatMap((kind) => {
    const list = ranges?.[kind];
    return list ? [[kind, list] as const] : [];
  });
  return Object.fromEntries(given);
}
