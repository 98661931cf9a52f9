export { FakeMarketplace } from './marketplace.js';
export type { FakeMarketplaceOptions } from './marketplace.js';
export type { Fault, FaultKind, Faults } from './http/faults.js';
export { FakeMarketplaceError } from './errors.js';
export type { Clock, Span } from './clock.js';
export type { Account, Bearer } from './state/accounts.js';
export type { MarketplaceEvents, MarketplaceEvent } from './state/events.js';
export type {
  DeliveryAttempt,
  CallbackInit,
  Callback,
  DeliveryFaults,
  NotificationService,
  Subscription,
} from './webhooks/notification-service.js';
export type { Item, ItemInit, ItemStore, ItemState } from './state/items.js';
export type { AttachmentStore, StoredFile } from './state/attachments.js';
export type { MessageStore, MessageInit, StoredMessage } from './state/messages.js';
export type { Pack, PackInit, PackStore, ShippingMode } from './state/packs.js';
export type { QuestionStore, QuestionStatus, StoredAnswer, StoredQuestion } from './state/questions.js';
export type { Listening, ListenOptions } from './server.js';
export type {
  FlexStore,
  KindOfDay,
  StoredRange,
  StoredSubscription,
  SubscriptionInit,
  SubscriptionStatus,
  Zone,
} from './state/flex.js';
export type { ContactKind, ContactStore, ContactInit, StoredContact } from './state/contacts.js';
