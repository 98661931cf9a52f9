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
import type { Handlers, HandlerContext, ResourceConventions } from '../http/handler.js';
import { toConfigurationView, toSubscriptionView } from './flex-view.js';
import { kindsOfDays } from '../state/flex.js';
import type { FlexStore, StoredSubscription } from '../state/flex.js';
import type { Item } from '../state/items.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

/** How Flex refuses what it does not understand: by the field that is wrong, where the endpoint documents that. */
export const flexConventions: ResourceConventions = {
  onInvalidInput: (endpoint, issues) => {
    const byField: Readonly<Record<string, typeof invalidSite>> = {
      site_id: invalidSite,
      user_id: invalidUser,
      service_id: invalidService,
    };
    const ofField = byField[String(issues[0]?.path[0])];
    const refusal = [ofField, invalidJson].find((each) => each && endpoint.errors.includes(each));
    return refusal && errorResponse(refusal);
  },
};

/** How Flex behaves. */
export function flexHandlers(desk: FlexStore, { accounts, items }: MarketplaceState): Handlers<typeof endpoints.flex> {
  return {
    subscriptions: ({ site_id, user_id }, context) => {
      needUser(site_id, Number(user_id), context);
      return desk.subscriptionsOf(Number(user_id)).map(toSubscriptionView);
    },
    configuration: async ({ site_id, query }, context) => {
      needSite(site_id);
      bearerOrThrow(context);
      // The executor is loaded on first use, as in the client.
      const { answerQuery } = await import('./flex-query.js');
      return answerQuery(query, ({ user_id, service_id }) => {
        needUser(site_id, user_id, context);
        const subscription = desk.find(site_id, user_id, service_id);
        if (!subscription) throw errorResponse(subscriptionNotFound);
        return toConfigurationView(subscription, desk.zonesOf(site_id));
      });
    },
    setDelivery: (input, context) => {
      const { id, delivery_ranges } = needSettings(input, context);
      const { delivery_window, delivery_ranges: ranges } = input;
      desk.configure(id, {
        ...(delivery_window !== undefined && { delivery_window }),
        delivery_ranges: { ...delivery_ranges, ...rangesOf(ranges) },
      });
      return {};
    },
    addZones: (input, context) => {
      const subscription = needSettings(input, context);
      const known = desk.zonesOf(input.site_id).map(({ id }) => id);
      const wanted = input.zones.map(({ id }) => String(id));
      const unknown = wanted.find((id) => !known.includes(id));
      if (unknown !== undefined) throw errorResponse({ status: 400, message: `there is no zone ${unknown}` });
      desk.configure(subscription.id, { zones: [...new Set([...subscription.zones, ...wanted])] });
      return {};
    },
    driver: ({ site_id, shipment_id }, context) => {
      bearerOrThrow(context);
      const driver_id = desk.driverOf(site_id, Number(shipment_id));
      if (driver_id === undefined) throw errorResponse(driverNotFound);
      return { driver_id };
    },
    items: {
      isEnabled: (input, context) => {
        if (!desk.isEnabled(needItem(input, context))) throw errorResponse(itemNotFound);
        return noContent;
      },
      enable: (input, context) => {
        const item = needItem(input, context);
        // Spec: before activating Flex on an item, its status must be active.
        if (item.status !== 'active') throw errorResponse(itemDown);
        if (desk.isEnabled(item)) throw errorResponse(alreadyInFlex);
        desk.setEnabled(item, true);
        return noContent;
      },
      disable: (input, context) => {
        const item = needItem(input, context);
        if (!desk.isEnabled(item)) throw errorResponse(notInFlex);
        desk.setEnabled(item, false);
        return noContent;
      },
    },
  };

  function needSite(site_id: string): void {
    if (!desk.covers(site_id)) throw errorResponse(invalidSite);
  }

  function needUser(site_id: string, user_id: number, context: HandlerContext): void {
    needSite(site_id);
    if (accounts.get(user_id)?.site_id !== site_id) throw errorResponse(userNotFound);
    if (bearerOrThrow(context).user_id !== user_id) throw errorResponse(noAccess);
  }

  /** A subscription whose settings may be changed: one that is not `out`. */
  function needSettings(
    { site_id, user_id, service_id }: Pick<SetDeliveryParams, 'site_id' | 'user_id' | 'service_id'>,
    context: HandlerContext,
  ): StoredSubscription {
    if (bearerOrThrow(context).user_id !== Number(user_id)) throw forbidden('The subscription is another seller’s');
    const subscription = desk.find(site_id, Number(user_id), Number(service_id));
    if (!subscription || subscription.status === 'out') throw errorResponse(deliveryNotUpdated);
    return subscription;
  }

  function needItem({ site_id, item_id }: FlexItemParams, context: HandlerContext): Item {
    const { user_id } = bearerOrThrow(context);
    const item = items.get(String(item_id));
    if (!desk.covers(site_id) || item?.site_id !== site_id) throw errorResponse(itemNotFound);
    if (item.seller_id !== user_id) throw forbidden('The item belongs to another seller');
    if (desk.isDown(item)) throw errorResponse(itemDown);
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
