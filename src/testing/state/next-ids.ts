import { FakeMarketplaceError } from '../errors.js';
import { assertFields } from './assert-fields.js';
import type { EntityStore } from './entity-store.js';
import type { Stores } from './stores.js';

/** The ids of the next entries. */
export interface NextIds {
  readonly user_id?: number | undefined;
  /** The number after the site: 5 for `MLA5`. */
  readonly item_id?: number | undefined;
  readonly question_id?: number | undefined;
  readonly pack_id?: number | undefined;
  readonly order_id?: number | undefined;
  readonly claim_id?: number | undefined;
  /** The id of a delivery order of Flex. */
  readonly shipment_id?: number | undefined;
}

/** Where each id is counted. */
const counters: Readonly<
  Record<keyof NextIds, readonly ['accounts' | 'items' | 'questions' | 'packs' | 'flex', string]>
> = {
  user_id: ['accounts', 'nextUser'],
  item_id: ['items', 'nextItem'],
  question_id: ['questions', 'nextQuestion'],
  pack_id: ['packs', 'nextPack'],
  order_id: ['packs', 'nextOrder'],
  claim_id: ['packs', 'nextClaim'],
  shipment_id: ['flex', 'nextShipment'],
};

/** The names of the ids. */
export const nextIdNames = Object.keys(counters) as readonly (keyof NextIds)[];

/** Sets the ids of the next entries, all or none. @throws {FakeMarketplaceError} that names a wrong id */
export function setNextIds(stores: Stores, ids: NextIds): void {
  assertFields('the next ids', ids, nextIdNames);
  const given = nextIdNames.flatMap((name) => (ids[name] === undefined ? [] : [[name, ids[name]] as const]));
  const wrong = given.find(([, id]) => !Number.isSafeInteger(id) || id < 1);
  if (wrong) throw new FakeMarketplaceError(`\`${wrong[0]}\` is an integer of at least 1, not ${String(wrong[1])}`);
  for (const [name, id] of given) {
    const [store, counter] = counters[name];
    const owner: Pick<EntityStore<number, unknown>, 'startAt'> = stores[store];
    owner.startAt(counter, id);
  }
}
