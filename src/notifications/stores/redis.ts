import type { QueuedNotification } from '../queued-notification.js';
import * as scripts from './redis-scripts.js';
import type { Claim, DeadLetter, Lease, NotificationStore, Settlement } from './store.js';

/** How a Redis store reaches Redis. */
export interface RedisStoreOptions {
  /**
   * Sends one command and gives its answer: any client can.
   *
   * ioredis: `(command, ...args) => redis.call(command, ...args)`;
   * node-redis: `(...command) => client.sendCommand(command)`.
   */
  readonly send: (command: string, ...args: string[]) => Promise<unknown>;
  /** What every key begins with. In braces, so that a cluster keeps them together. Default `{notifications}`. */
  readonly prefix?: string | undefined;
}

/**
 * A store in Redis 5 or later, for the processes of many machines.
 *
 * It keeps what Redis keeps: say `appendonly yes` for what was accepted to survive a crash of Redis, and
 * `maxmemory-policy noeviction` so that it throws nothing away.
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

  async add(entry: QueuedNotification): Promise<'added' | 'waiting' | 'over'> {
    const { key, groupId, sentAt } = entry;
    return (await this.#run(scripts.add, key, groupId, sentAt, JSON.stringify(entry))) as 'added' | 'waiting' | 'over';
  }

  async claim(claim: Claim): Promise<{ loans: Lease[]; nextInMs?: number }> {
    const { workerId, limit, leaseMs, coalesce, groupId = '' } = claim;
    const answer = await this.#run(scripts.claim, workerId, limit, Math.ceil(leaseMs), coalesce ? 1 : 0, groupId);
    const [next, ...lent] = answer as [number, ...[string, string, number, ...string[]][]];
    const loans = lent.map(([name, entry, attempt, ...coalescedKeys]) => ({
      groupId: name,
      entry: JSON.parse(entry) as QueuedNotification,
      attempt,
      coalescedKeys,
    }));
    return { loans, ...(next >= 0 && { nextInMs: next }) };
  }

  async renew(holder: string, lanes: readonly string[], leaseMs: number): Promise<string[]> {
    return (await this.#run(scripts.extend, holder, Math.ceil(leaseMs), ...lanes)) as string[];
  }

  async settle({ workerId, groupId, done, retryInMs = 0, deadLetter, deduplicationMs }: Settlement): Promise<boolean> {
    const grave = [deadLetter?.key ?? '', JSON.stringify(deadLetter?.failure ?? '')];
    const settled = await this.#run(
      scripts.settle,
      workerId,
      groupId,
      Math.ceil(retryInMs),
      Math.ceil(deduplicationMs),
      ...grave,
      ...done,
    );
    return settled === 1;
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    const found = (await this.#run(scripts.deadLetters, limit)) as [string, string][];
    return found.map(([entry, obituary]) => ({
      entry: JSON.parse(entry) as QueuedNotification,
      ...(JSON.parse(obituary) as Omit<DeadLetter, 'entry'>),
    }));
  }

  async exhume(key: string, replay: boolean): Promise<boolean> {
    const found = (await this.#run(scripts.find, key)) as string;
    if (found === '') return false;
    const { groupId, sentAt } = JSON.parse(found) as QueuedNotification;
    return (await this.#run(scripts.exhume, key, replay ? 1 : 0, groupId, sentAt)) === 1;
  }
}
