import type { Accounts } from './accounts.js';
import type { Clock } from '../clock.js';
import type { MarketplaceEvents } from './events.js';
import type { ItemStore } from './items.js';
import type { PackStore } from './packs.js';

/** What all resources of the marketplace share: each resource's state is built from it. */
export interface MarketplaceState {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly events: MarketplaceEvents;
  readonly items: ItemStore;
  readonly packs: PackStore;
}
