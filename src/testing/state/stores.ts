import type { Clock } from '../clock.js';
import { assertFields, FakeMarketplaceError } from '../errors.js';
import type { MarketplaceSettings } from '../settings.js';
import { Accounts } from './accounts.js';
import { AttachmentStore } from './attachments.js';
import { ContactStore } from './contacts.js';
import { RecordStore, type EntityStore } from './entity-store.js';
import type { MarketplaceEvents } from './events.js';
import { FlexStore } from './flex.js';
import { ItemStore } from './items.js';
import type { MarketplaceState } from './marketplace-state.js';
import { MessageStore } from './messages.js';
import { PackStore } from './packs.js';
import { QuestionStore } from './questions.js';

/** The whole state of a marketplace. */
export interface Stores extends MarketplaceState {
  readonly questions: QuestionStore;
  readonly flex: FlexStore;
  readonly contacts: ContactStore;
  readonly messages: MessageStore;
  readonly attachments: AttachmentStore;
  readonly records: RecordStore;
}

/** Creates an empty state. */
export function createStores(clock: Clock, events: MarketplaceEvents, settings: MarketplaceSettings): Stores {
  const accounts = new Accounts(clock);
  const items = new ItemStore(accounts, events);
  const packs = new PackStore(accounts, clock, events);
  const state: MarketplaceState = { accounts, clock, events, items, packs, settings };
  return {
    ...state,
    questions: new QuestionStore(state),
    flex: new FlexStore(state),
    contacts: new ContactStore(state),
    messages: new MessageStore(state),
    attachments: new AttachmentStore(state),
    records: new RecordStore(),
  };
}

/** Saves the content of all stores and the time of the clock. @returns a function that restores them */
export function checkpoint(stores: Stores): () => void {
  const { accounts, clock, items, packs, questions, flex, contacts, messages, attachments, records } = stores;
  const parts = [accounts, clock, items, packs, questions, flex, contacts, messages, attachments, records];
  const restores = parts.map((each) => each.checkpoint());
  return () => {
    for (const restore of restores) restore();
  };
}

/** The ids of the next entries. */
export type NextIds = Readonly<{
  user_id?: number | undefined;
  /** The number after the site: 5 for `MLA5`. */
  item_id?: number | undefined;
  question_id?: number | undefined;
  pack_id?: number | undefined;
  order_id?: number | undefined;
  claim_id?: number | undefined;
  /** The id of a delivery order of Flex. */
  shipment_id?: number | undefined;
}>;

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
