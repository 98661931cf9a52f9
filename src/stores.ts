// './stores': where inboxes and outboxes keep their work, and what they list of it.
export { bullmq } from './work/bullmq.js';
export type { DeadLetter, DeadLetters, ListOptions, Rejected, StoredEntries, StoredLists } from './work/lists.js';
export { memoryStore } from './work/memory.js';
export { postgresStore } from './work/postgres.js';
export { sqliteStore } from './work/sqlite.js';
export type { Engine, Store } from './work/store.js';
