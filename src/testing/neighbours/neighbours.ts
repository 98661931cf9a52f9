import type { Operation } from '../operations/operation.js';
import { items } from './items.js';
import { missedFeeds } from './missed-feeds.js';
import { orders } from './orders.js';
import { received } from './received.js';
import { shipments } from './shipments.js';
import { users } from './users.js';

/**
 * What programs call beside the operations of the specification, from the state that is there. Nothing of it is specified,
 * and the client has no methods for it. An operation of the user with the same path or name takes the place of one.
 */
export const neighbours: readonly Operation[] = [...[users, items, orders, received, missedFeeds, shipments].flat()];
