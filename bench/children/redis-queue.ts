import { setTimeout as pause } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import type { ConnectionOptions, Processor } from 'bullmq';
import { Cluster } from 'ioredis';

/** Where Redis is: the options of ioredis, or the ports of a cluster. */
export interface RedisLocation {
  readonly cluster?: readonly number[];
}

/** A queue of BullMQ, with what the benchmarks ask of it. */
export function bullmq(location: string) {
  const { cluster, ...options } = JSON.parse(location) as RedisLocation;
  const connection = (
    cluster
      ? new Cluster(cluster.map((port) => ({ host: '127.0.0.1', port })))
      : { ...options, maxRetriesPerRequest: null, retryStrategy: () => 50 }
  ) as ConnectionOptions;
  // In a cluster, the keys of a queue have to be in one slot.
  const settings = { connection, prefix: '{notifications}' };
  const queue = new Queue('notifications', settings);
  queue.on('error', () => {});
  const count = async (): Promise<number> =>
    queue.getJobCountByTypes('waiting', 'active', 'delayed').catch(() => Number.NaN);
  return {
    queue,
    work: (processor: Processor): void => {
      const short = { lockDuration: 1_000, stalledInterval: 300, maxStalledCount: 1_000_000 };
      new Worker('notifications', processor, { ...settings, ...short, concurrency: 32 }).on('error', () => {});
    },
    /** Resolves once no job waits or runs, also no delayed one. */
    idle: async (): Promise<void> => {
      while ((await count()) !== 0) await pause(100);
    },
    failed: async (): Promise<number[]> => {
      const jobs = (await queue.getFailed(0, 1_000)) as { data: { notification: { question_id: number } } }[];
      return jobs.map(({ data }) => data.notification.question_id);
    },
  };
}
