import { Queue, Worker } from 'bullmq';
import { bullmqProcessor, bullmqQueue, postgresStore } from 'marketplace-seller-sdk/notifications';
import type { QueuedNotification, Receiver, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import { storeKinds } from './inbox-stores.ts';
import { hasPostgres, startPostgres } from './postgres.ts';
import { hasRedis, startRedis } from './redis.ts';

/** Where notifications are kept, and what handles them there. */
export interface Engine {
  readonly name: string;
  readonly isThere: boolean;
  open(): Promise<{ readonly options: Partial<ReceiverOptions>; work?(receiver: Receiver): void }>;
}

const stores = (): readonly Engine[] => [
  ...storeKinds().map(({ name, create }) => ({
    name,
    isThere: true,
    open: async () => ({ options: { store: create()() } }),
  })),
  {
    name: 'PostgreSQL',
    isThere: hasPostgres,
    open: async () => {
      const { connectionString, stop } = await startPostgres();
      const pool = new Pool({ connectionString });
      onTestFinished(async () => {
        await pool.end();
        await stop();
      });
      return { options: { store: postgresStore({ pool }) } };
    },
  },
];

const bullmq = (name: string, jobs: object = {}): Engine => ({
  name,
  isThere: hasRedis,
  open: async () => {
    const redis = await startRedis();
    const connection = { path: redis.path, maxRetriesPerRequest: null };
    const queue = new Queue<QueuedNotification>('notifications', { connection });
    let worker: Worker | undefined;
    onTestFinished(async () => {
      await worker?.close();
      await queue.close();
      await redis.stop();
    });
    const work = (receiver: Receiver): void => {
      worker = new Worker('notifications', bullmqProcessor(receiver), { connection, maxStalledCount: 1_000_000 });
    };
    return { options: { queue: bullmqQueue(queue, jobs) }, work };
  },
});

/** All of them, for the tests of one file; `isThere` says whether this machine has what one needs. */
export const engines = (): readonly Engine[] => [...stores(), bullmq('BullMQ')];

/** Several jobs of one resource wait in it. */
export const withoutDeduplication = bullmq('BullMQ without deduplication', { deduplication: undefined });
