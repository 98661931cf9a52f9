import type { Accounts } from './accounts.js';
import type { Clock } from './clock.js';
import type { Events } from './events.js';
import type { Items } from './items.js';
import type { Packs } from './packs.js';

/** What all resources of the marketplace share: each resource's state is built from it. */
export interface World {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly events: Events;
  readonly items: Items;
  readonly packs: Packs;
}
