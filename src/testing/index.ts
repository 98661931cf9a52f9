export { FakeMarketplace } from './marketplace.js';
export type { FakeMarketplaceOptions } from './marketplace.js';
export type { Fault, FaultKind, Faults } from './faults.js';
export { FakeMarketplaceError } from './misuse.js';
export type { Clock, Span } from './clock.js';
export type { Account, Bearer } from './accounts.js';
export type { Events, MarketplaceEvent } from './events.js';
export type {
  Attempted,
  CallbackSketch,
  Callback,
  DeliveryFaults,
  NotificationService,
  Subscription,
} from './notifications.js';
export type { Item, ItemSketch, Items, ItemStatus } from './items.js';
export type { AttachmentStore, StoredFile } from './attachment-store.js';
export type { Mailbox, MessageSketch, StoredMessage } from './mailbox.js';
export type { Pack, PackSketch, Packs, ShippingMode } from './packs.js';
export type { QuestionDesk, QuestionStatus, StoredAnswer, StoredQuestion } from './question-desk.js';
export type { Listening, ListenOptions } from './node.js';
export type {
  FlexDesk,
  KindOfDay,
  StoredRange,
  StoredSubscription,
  SubscriptionSketch,
  SubscriptionStatus,
  Zone,
} from './flex-desk.js';
export type { ContactKind, ContactLog, ContactSketch, StoredContact } from './contact-log.js';
