import type { Clock } from '../clock.js';
import type { MarketplaceSettings } from '../settings.js';
import { Accounts } from './accounts.js';
import { AttachmentStore } from './attachments.js';
import { ContactStore } from './contacts.js';
import type { MarketplaceEvents } from './events.js';
import { FlexStore } from './flex.js';
import { ItemStore } from './items.js';
import type { MarketplaceState } from './marketplace-state.js';
import { MessageStore } from './messages.js';
import { PackStore } from './packs.js';
import { QuestionStore } from './questions.js';
import { RecordStore } from './records.js';

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
