import { integer, looseObject } from '../../core/schema/define.js';
import { bearerOrThrow, forbidden, foundOrThrow } from '../http/handler.js';
import type { ShippingMode } from '../state/packs.js';
import { reading } from './neighbour.js';
import { saleOf } from './orders.js';
import type { Neighbour, ReadMarketplace } from './neighbour.js';

const logisticTypes: Readonly<Record<ShippingMode, string>> = {
  flex: 'self_service',
  cross_docking: 'cross_docking',
  drop_off: 'drop_off',
  fulfilment: 'fulfillment',
  custom: 'default',
};

interface Shipment {
  readonly users: readonly number[];
  readonly shipping: ShippingMode;
  readonly delivered: boolean;
  readonly order_id: number | null;
}

/** Finds the shipment of a sale, or a delivery order of Flex. */
function find(id: number, { packs, flex }: ReadMarketplace): Shipment | undefined {
  const pack = packs.all.find(({ shipping_id }) => shipping_id === id);
  if (pack) {
    const { seller_id, buyer_id, shipping, delivered, order_ids } = pack;
    return { users: [seller_id, buyer_id], shipping, delivered, order_id: order_ids[0] ?? null };
  }
  const order = flex.shipments.find(({ shipment_id }) => shipment_id === id);
  return order && { users: [order.user_id], shipping: 'flex', delivered: false, order_id: null };
}

const get: Neighbour<{ shipment_id: number }> = {
  endpoint: reading('shipments.get', '/shipments/{shipment_id}', looseObject({ shipment_id: integer })),
  handle: (call, marketplace) => {
    const id = call.input.shipment_id;
    const found = foundOrThrow(find(id, marketplace), `Shipment ${id}`);
    if (!found.users.includes(bearerOrThrow(call).user_id)) throw forbidden('The shipment is of other users');
    return toShipmentView(id, found);
  },
};

/** The shipment of an order. */
const ofOrder: Neighbour<{ order_id: number }> = {
  endpoint: reading('orders.shipments', '/orders/{order_id}/shipments', looseObject({ order_id: integer })),
  handle: (call, marketplace) => {
    const { shipping_id } = saleOf(call, marketplace);
    const id = foundOrThrow(shipping_id ?? undefined, `A shipment of order ${call.input.order_id}`);
    return toShipmentView(id, foundOrThrow(find(id, marketplace), `Shipment ${id}`));
  },
};

function toShipmentView(id: number, { shipping, delivered, order_id }: Shipment): object {
  return {
    ...{ id, status: delivered ? 'delivered' : 'ready_to_ship', substatus: delivered ? null : 'ready_to_print' },
    ...{ order_id, mode: shipping === 'custom' ? 'custom' : 'me2', logistic_type: logisticTypes[shipping] },
    // The fake has no addresses.
    receiver_address: { city: { id: null, name: `City ${(id % 9) + 1}` } },
  };
}

/** The shipments of sales, and the delivery orders of Flex. */
export const shipments = [get, ofOrder];
