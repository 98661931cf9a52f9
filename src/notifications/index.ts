export { parseNotification, notificationFields } from './notification.js';
export type {
  KnownNotification,
  Notification,
  NotificationFields,
  QuestionNotification,
  UnknownNotification,
} from './notification.js';
export { askerId, hasStatus } from './question.js';
export { readNotification } from './handling/read-notification.js';
export type { ReadOptions, QuestionsClient } from './handling/read-notification.js';

export { createReceiver } from './receiver.js';
export type { CloseOptions, Receiver } from './receiver.js';
export type { HandleOptions } from './queues/queue-runs.js';
export type { DeadLetters } from './dead-letters.js';
export type { Handler, HandlerContext, Handlers } from './handling/handler.js';
export type { HandlingFailure, NotificationQueue, ReceiverOptions, RetryOptions } from './options.js';
export { DropNotificationError, HandlerTimeoutError, UnrecoverableError } from './handling/errors.js';
export type { BodyLimits, IncomingRequest, OutgoingResponse } from './http/request.js';
export { fetchHandler } from './http/fetch.js';
export type { FetchHandler, WaitUntilContext } from './http/fetch.js';
export { nodeHandler } from './http/node.js';
export type { NodeRequest, NodeResponse } from './http/node.js';
export { fastifyHandler } from './http/fastify.js';
export type { FastifyReplyLike, FastifyRequestLike } from './http/fastify.js';

export { StoreFullError } from './stores/store.js';
export type {
  Claim,
  Claimant,
  Claimed,
  DeadLetter,
  EntryState,
  Lease,
  LeaseId,
  NotificationStore,
  Settlement,
  StoreLimits,
} from './stores/store.js';
export type { QueuedNotification } from './queued-notification.js';
export { memoryStore } from './stores/memory.js';
export type { MemoryStoreOptions } from './stores/memory.js';
export { sqliteStore } from './stores/sqlite.js';
export type { SqliteStoreOptions } from './stores/sqlite.js';
