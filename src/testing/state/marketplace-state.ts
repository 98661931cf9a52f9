import type { Clock } from '../clock.js';
import type { MarketplaceSettings } from '../settings.js';
import type { Accounts } from './accounts.js';
import type { MarketplaceEvents } from './events.js';
import type { ItemStore } from './items.js';
import type { PackStore } from './packs.js';

/** The state that all resources share. */
export interface MarketplaceState {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly events: MarketplaceEvents;
  readonly items: ItemStore;
  readonly packs: PackStore;
  readonly settings: MarketplaceSettings;
}
