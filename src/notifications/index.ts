export { parseNotification, notificationFields } from './notification.js';
export type {
  ConversationNotification,
  KnownNotification,
  Notification,
  NotificationFields,
  MessageNotification,
  QuestionNotification,
  UnknownNotification,
  InboxEntry,
} from './notification.js';
export { readNotification } from './handling/read-notification.js';
export type {
  NotificationClient,
  NotifiedMessage,
  ReadOptions,
  OwnNotification,
  OwnTopic,
} from './handling/read-notification.js';

export { createInbox, type CloseOptions, type Inbox } from './inbox.js';
export { handleNow } from './handle-now.js';
export { secretPath } from './options.js';
export type { CatchUpOptions, CatchUpResult } from './catch-up.js';
export { openInbox, type InboxStats, type OpenedInbox } from './open-inbox.js';
export type { WaitingEntries, WaitingEntry } from '../work/lists.js';
export type { Handler, HandlerContext, Handlers, MessageContext } from './handling/handler.js';
export type { DeliveryRequest, HandlingFailure, HandlingRejection, HandlingSuccess, InboxOptions } from './options.js';
export type { RetryOptions } from '../work/policy.js';
export { DropNotificationError, HandlerTimeoutError, UnrecoverableError, StoreFullError } from './errors.js';
export { fetchHandler, nodeHandler, fastifyHandler } from './http/handlers.js';
export type { FetchHandler, NodeRequest, NodeResponse } from './http/handlers.js';
export { toReview, type ReviewItem, type ReviewOptions, type ReviewState } from '../work/review.js';
