import type { QueuedNotification } from '../queued-notification.js';
import * as scripts from './redis-scripts.js';
import type { Claim, DeadLetter, Lease, NotificationStore, Settlement } from './store.js';

/** The options of `redisStore`. */
export interface RedisStoreOptions {
  /**
   * Sends one command to Redis and returns its reply, with any client.
   *
   * ioredis: `(command, ...args) => redis.call(command, ...args)`;
   * node-redis: `(...command) => client.sendCommand(command)`.
   */
  readonly send: (command: string, ...args: string[]) => Promise<unknown>;
  /**
   * The prefix of every key, in braces so that Redis Cluster keeps the keys in one slot.
   *
   * @default '{notifications}'
   */
  readonly prefix?: string | undefined;
}

/**
 * Creates a store in Redis 5 or later, for the processes of many machines.
 *
 * It is as durable as Redis: set `appendonly yes` so that accepted notifications survive a crash of Redis, and
 * `maxmemory-policy noeviction` so that Redis deletes none of them.
 */
export function redisStore(options: RedisStoreOptions): NotificationStore {
  return new RedisStore(options);
}

class RedisStore implements NotificationStore {
  readonly durable = true;
  readonly shared = true;
  readonly #send: RedisStoreOptions['send'];
  readonly #prefix: string;

  constructor({ send, prefix = '{notifications}' }: RedisStoreOptions) {
    this.#send = send;
    this.#prefix = prefix;
  }

  async #run(script: string, ...args: (string | number)[]): Promise<unknown> {
    return this.#send('EVAL', script, '1', this.#prefix, ...args.map(String));
  }

  async add(entry: QueuedNotification): Promise<'added' | 'waiting' | 'processed'> {
    const { key, groupId, sentAt } = entry;
    return (await this.#run(scripts.add, key, groupId, sentAt, JSON.stringify(entry))) as
      'added' | 'waiting' | 'processed';
  }

  async claim(claim: Claim): Promise<{ leases: Lease[]; nextInMs?: number }> {
    const { workerId, limit, leaseMs, coalesce, groupId = '' } = claim;
    const reply = await this.#run(scripts.claim, workerId, limit, Math.ceil(leaseMs), coalesce ? 1 : 0, groupId);
    const [next, ...leased] = reply as [number, ...[string, string, number, ...string[]][]];
    const leases = leased.map(([name, entry, attempt, ...coalescedKeys]) => ({
      groupId: name,
      entry: JSON.parse(entry) as QueuedNotification,
      attempt,
      coalescedKeys,
    }));
    return { leases, ...(next >= 0 && { nextInMs: next }) };
  }

  async renew(workerId: string, groupIds: readonly string[], leaseMs: number): Promise<string[]> {
    return (await this.#run(scripts.renew, workerId, Math.ceil(leaseMs), ...groupIds)) as string[];
  }

  async settle({ workerId, groupId, done, retryInMs = 0, deadLetter, deduplicationMs }: Settlement): Promise<boolean> {
    const dead = [deadLetter?.key ?? '', JSON.stringify(deadLetter?.failure ?? '')];
    const settled = await this.#run(
      scripts.settle,
      workerId,
      groupId,
      Math.ceil(retryInMs),
      Math.ceil(deduplicationMs),
      ...dead,
      ...done,
    );
    return settled === 1;
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    const found = (await this.#run(scripts.deadLetters, limit)) as [string, string][];
    return found.map(([entry, meta]) => ({
      entry: JSON.parse(entry) as QueuedNotification,
      ...(JSON.parse(meta) as Omit<DeadLetter, 'entry'>),
    }));
  }

  async redrive(key: string): Promise<boolean> {
    const found = (await this.#run(scripts.findDeadLetter, key)) as string;
    if (found === '') return false;
    const { groupId, sentAt } = JSON.parse(found) as QueuedNotification;
    return (await this.#run(scripts.redrive, key, groupId, sentAt)) === 1;
  }

  async removeDeadLetter(key: string): Promise<boolean> {
    return (await this.#run(scripts.removeDeadLetter, key)) === 1;
  }
}
