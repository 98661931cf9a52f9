export { parseNotification, notificationFields } from './notification.js';
export type {
  KnownNotification,
  Notification,
  NotificationFields,
  MessageNotification,
  QuestionNotification,
  UnknownNotification,
} from './notification.js';
export { readNotification } from './handling/read-notification.js';
export type { NotificationClient, NotifiedMessage, ReadOptions } from './handling/read-notification.js';

export { createReceiver } from './receiver.js';
export type { CloseOptions, Receiver, ReceiverStats } from './receiver.js';
export type { CatchUpFailure, CatchUpOptions, CatchUpResult } from './catch-up.js';
export { openInbox } from './open-inbox.js';
export type { StoredInbox } from './open-inbox.js';
export { bullmqProcessor, bullmqQueue } from './queues/bullmq.js';
export type { BullMQJob, BullMQQueue } from './queues/bullmq.js';
export type { BullMQJobData } from './queues/bullmq-job.js';
export type { HandleOptions } from './queues/queue-runs.js';
export type { LastFailure, Outcome } from './handling/outcome.js';
export type { DeadLetters } from '../work/dead-letters.js';
export type { ListOptions } from '../work/pages.js';
export type { WaitingEntries } from '../work/waiting-entries.js';
export type { Handler, HandlerContext, Handlers, MessageContext, OwnHandlers } from './handling/handler.js';
export type { OwnNotification, OwnResource, OwnTopic, OwnTopics } from './handling/own-topic.js';
export type {
  DeliveryRequest,
  HandlingFailure,
  HandlingSuccess,
  NotificationQueue,
  ReceiverOptions,
} from './options.js';
export type { RetryOptions } from '../work/retry.js';
export {
  DropNotificationError,
  HandlerTimeoutError,
  NotConfirmedError,
  UnrecoverableError,
} from './handling/errors.js';
export type { BodyLimits, IncomingRequest, OutgoingResponse } from './http/request.js';
export { fetchHandler } from './http/fetch.js';
export type { FetchHandler, WaitUntilContext } from './http/fetch.js';
export { nodeHandler } from './http/node.js';
export type { NodeRequest, NodeResponse } from './http/node.js';
export { fastifyHandler } from './http/fastify.js';
export type { FastifyReplyLike, FastifyRequestLike } from './http/fastify.js';

export { StoreFullError } from './stores/store-limits.js';
export type { StoreLimits } from './stores/store-limits.js';
export type {
  Claim,
  Claimed,
  DeadLetter,
  EntryState,
  Lease,
  LeaseId,
  NotificationStore,
  Settlement,
  StoreStats,
  StoredNotifications,
  TopicStats,
  WaitingEntry,
} from './stores/store.js';
export type { QueuedNotification } from './queued-notification.js';
export type { WriteRecord } from '../core/recover/write-hook.js';
export type { Ledger } from '../work/ledger.js';
export { memoryStore } from './stores/memory.js';
export type { MemoryStoreOptions } from './stores/memory.js';
export { postgresStore } from './stores/postgres.js';
export type { PostgresStoreOptions } from './stores/postgres.js';
export type { PostgresClient, PostgresPool } from './stores/postgres-database.js';
export { sqliteStore } from './stores/sqlite.js';
export type { SqliteStoreOptions } from './stores/sqlite.js';
