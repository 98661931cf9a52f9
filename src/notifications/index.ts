export { parseNotification, notificationFields } from './notification.js';
export type {
  KnownNotification,
  Notification,
  NotificationFields,
  QuestionNotification,
  UnknownNotification,
} from './notification.js';
export { readNotification } from './reading.js';
export type { ReadOptions, Reader } from './reading.js';

export { createReceiver } from './receiver.js';
export type { DeadLetters, Receiver } from './receiver.js';
export type {
  Handler,
  HandlerContext,
  Handlers,
  HandlingFailure,
  NotificationQueue,
  ReceiverOptions,
  RetryOptions,
} from './settings.js';
export { HandlerTimeoutError } from './handling.js';
export type { BodyBounds, Delivery, Reply } from './delivery.js';
export { fetchHandler } from './fetch.js';
export type { Afterwards } from './fetch.js';
export { fastifyHandler, nodeHandler } from './node.js';
export type { FastifyReplyLike, FastifyRequestLike, NodeRequest, NodeResponse } from './node.js';

export { StoreFullError } from './store.js';
export type { Claim, DeadLetter, Loan, NotificationStore, Settlement } from './store.js';
export type { Entry } from './entry.js';
export { memoryStore } from './memory-store.js';
export type { MemoryStoreOptions } from './memory-store.js';
export { sqliteStore } from './sqlite-store.js';
export type { SqliteStoreOptions } from './sqlite-store.js';
export { redisStore } from './redis-store.js';
export type { RedisStoreOptions } from './redis-store.js';
export { keyValueStore } from './key-value-store.js';
export type { KeyValueStoreOptions, KeyValues } from './key-value-store.js';
