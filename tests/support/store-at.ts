import { Queue, Worker } from 'bullmq';
import { bullmq, postgresStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { OutboxOptions } from 'marketplace-seller-sdk/outbox';
import { Pool } from 'pg';

/** The store at a place that processes share: a file, a connection string, or a socket of Redis. */
export function storeAt(kind: string, where: string): OutboxOptions['store'] {
  if (kind === 'SQLite') return sqliteStore(where);
  if (kind === 'BullMQ') return bullmq({ Queue, Worker, connection: { path: where, maxRetriesPerRequest: null } });
  const pool = new Pool({ connectionString: where });
  pool.on('error', () => {});
  return postgresStore({ pool });
}
