export { FakeMarketplace } from './marketplace.js';
export type { BuyerFile, FakeMarketplaceOptions } from './marketplace.js';
export { marketplaceMatchers } from './matchers.js';
export type { MarketplaceMatchers, MatcherResult } from './matchers.js';
export type { MarketplaceSettings } from './settings.js';
export type { OddKind, OddShare } from './http/odd-share.js';
export type { RateLimit, ServiceRateLimiter } from './http/rate-limit.js';
export type { ReceivedRequest, Requests } from './http/requests.js';
export type { RequestFilter } from './http/request-filter.js';
export type { SeedInit } from './seed/schema.js';
export type { Fault, FaultKind } from './http/fault.js';
export type { Faults } from './http/faults.js';
export { FakeMarketplaceError } from './errors.js';
export type { Clock, Span } from './clock.js';
export type { Account, Accounts, Bearer, Grant } from './state/accounts.js';
export type { MarketplaceEvents, MarketplaceEvent } from './state/events.js';
export type { Callback, CallbackInit, DeliveryFaults } from './webhooks/callback.js';
export type { DeliveryAttempt, DeliveryOptions, NotificationInit, ScheduledAttempt } from './webhooks/delivery.js';
export type { NotificationService } from './webhooks/notification-service.js';
export type { DeliveryOutcome } from './webhooks/post-notification.js';
export type { Subscription } from './webhooks/subscription.js';
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
  StoredShipment,
  StoredSubscription,
  SubscriptionInit,
  SubscriptionStatus,
  Zone,
} from './state/flex.js';
export type { ContactKind, ContactStore, ContactInit, StoredContact } from './state/contacts.js';

export { storeConformance } from './store-conformance.js';
export type { ConformanceTest } from './store-conformance.js';
