export { parseNotification, notificationFields } from './notification.js';
export type {
  ConversationNotification,
  KnownNotification,
  Notification,
  NotificationFields,
  MessageNotification,
  QuestionNotification,
  UnknownNotification,
} from './notification.js';
export { readNotification } from './handling/read-notification.js';
export type { NotificationClient, NotifiedMessage, ReadOptions } from './handling/read-notification.js';

export { createInbox } from './inbox.js';
export type { CloseOptions, Inbox, InboxStats } from './inbox.js';
export { handleNow } from './handle-now.js';
export { secretPath } from './secret-path.js';
export type { CatchUpOptions, CatchUpResult } from './catch-up.js';
export { openInbox } from './open-inbox.js';
export type { StoredInbox } from './open-inbox.js';
export type { Rejected } from '../work/rejected-entries.js';
export type { DeadLetter, DeadLetters } from '../work/dead-letters.js';
export type { WaitingEntries, WaitingEntry } from '../work/waiting-entries.js';
export type { Handler, HandlerContext, Handlers, MessageContext } from './handling/handler.js';
export type { OwnNotification, OwnTopic } from './handling/own-topic.js';
export type { DeliveryRequest, HandlingFailure, HandlingSuccess, InboxOptions } from './options.js';
export type { RetryOptions } from '../work/retry.js';
export {
  DropNotificationError,
  HandlerTimeoutError,
  MessageRejectedError,
  UnrecoverableError,
} from './handling/errors.js';
export { StoreFullError } from './errors.js';
export { fetchHandler } from './http/fetch.js';
export type { FetchHandler } from './http/fetch.js';
export { nodeHandler } from './http/node.js';
export type { NodeRequest, NodeResponse } from './http/node.js';
export { fastifyHandler } from './http/fastify.js';

export type { InboxEntry } from './entry.js';
export type { Store } from '../work/store.js';
export type { Engine } from '../work/works.js';
export { bullmq } from '../work/bullmq.js';
export { memoryStore } from '../work/memory-store.js';
export { postgresStore } from '../work/postgres-store.js';
export { sqliteStore } from '../work/sqlite-store.js';
