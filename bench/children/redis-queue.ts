import type { ConnectionOptions } from 'bullmq';
import { Cluster } from 'ioredis';

/** Where Redis is: the options of ioredis, or the ports of a cluster. */
export interface RedisLocation {
  readonly cluster?: readonly number[];
}

/** The connection of BullMQ to a Redis, by its location as JSON. */
export function redisOf(location: string): ConnectionOptions {
  const { cluster, ...options } = JSON.parse(location) as RedisLocation;
  return cluster
    ? new Cluster(cluster.map((port) => ({ host: '127.0.0.1', port })))
    : { ...options, maxRetriesPerRequest: null, retryStrategy: () => 50 };
}
