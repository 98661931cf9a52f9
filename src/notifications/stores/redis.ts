import { ConfigurationError } from '../../core/errors/errors.js';
import type { QueuedNotification } from '../queued-notification.js';
import { BatchedScript, maxArguments } from './redis-batch.js';
import * as dead from './redis-dead-letters.js';
import * as scripts from './redis-scripts.js';
import { StoreFullError, assertNames, assertPrefix, firstLease, newToken, resolveLimits } from './store.js';
import type {
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
} from './store.js';

/** The options of `redisStore`. */
export interface RedisStoreOptions extends StoreLimits {
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
 * `maxmemory-policy noeviction` so that Redis deletes none of them. When Redis is full, it accepts nothing more but still
 * hands out what it has. With a hash tag in the prefix it works on Redis Cluster.
 *
 * @example
 * const redis = new Redis('redis://localhost:6379');
 * const receiver = createReceiver({
 *   store: redisStore({ send: (command, ...args) => redis.call(command, ...args) }),
 *   fallback: (notification) => console.log(notification.topic),
 * });
 */
export function redisStore(options: RedisStoreOptions): NotificationStore {
  assertNames('redisStore', options, ['send', 'prefix']);
  return new RedisStore(options);
}

type LeaseReply = [groupId: string, key: string, entry: string, failures: number, stalls: number, ...keys: string[]];

class RedisStore implements NotificationStore {
  readonly durable = true;
  readonly shared = true;
  readonly #send: RedisStoreOptions['send'];
  readonly #prefix: string;
  readonly #limits: ReturnType<typeof resolveLimits>;
  readonly #digests = new Map<string, string>();
  readonly #adding: BatchedScript;
  readonly #settling: BatchedScript;

  constructor({ send, prefix = '{notifications}', ...limits }: RedisStoreOptions) {
    if (typeof send !== 'function') throw new ConfigurationError('`send` must be a function that sends a command');
    assertPrefix(prefix);
    this.#send = send;
    this.#prefix = prefix;
    this.#limits = resolveLimits(limits);
    const { maxWaiting, maxWaitingBytes, maxDead, maxDeadBytes } = this.#limits;
    this.#adding = new BatchedScript((args) => this.#run(scripts.add, maxWaiting, maxWaitingBytes, ...args));
    this.#settling = new BatchedScript((args) => this.#run(scripts.settle, maxDead, maxDeadBytes, ...args));
  }

  /** Sends a script once, then its digest: Redis keeps the script. */
  async #run(script: string, ...args: (string | number)[]): Promise<unknown> {
    const rest = ['1', this.#prefix, ...args.map(String)];
    const digest = this.#digests.get(script);
    if (digest === undefined) return this.#load(script, rest);
    try {
      return await this.#send('EVALSHA', digest, ...rest);
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error;
      return this.#load(script, rest);
    }
  }

  async #load(script: string, rest: readonly string[]): Promise<unknown> {
    const reply = await this.#send('EVAL', script, ...rest);
    if (!this.#digests.has(script)) this.#digests.set(script, await sha1(script));
    return reply;
  }

  add(entry: QueuedNotification): Promise<EntryState>;
  add(entry: QueuedNotification, claimant?: Claimant): Promise<EntryState | Lease>;
  async add(entry: QueuedNotification, claimant?: Claimant): Promise<EntryState | Lease> {
    const { key, groupId, sentAt, notification } = entry;
    const token = claimant ? newToken(claimant.workerId) : '';
    const stored = [key, groupId, sentAt, JSON.stringify(entry), notification.user_id];
    const state = await this.#adding.call(...stored, token, Math.ceil(claimant?.leaseMs ?? 0));
    if (state === 'leased') return firstLease(entry, token);
    if (state === 'maxWaiting' || state === 'maxWaitingBytes') {
      throw new StoreFullError(`The store has reached \`${state}\` (${this.#limits[state]})`);
    }
    return state as EntryState;
  }

  async claim({ workerId, limit, leaseMs, coalesce, groupId = '' }: Claim): Promise<Claimed> {
    const token = newToken(workerId);
    const reply = await this.#run(scripts.claim, token, limit, Math.ceil(leaseMs), coalesce ? 1 : 0, groupId);
    const [nextInMs, missing, ...replies] = reply as [number, number, ...LeaseReply[]];
    const problems = missing > 0 ? [`Redis has lost ${missing} waiting notifications; check its maxmemory-policy`] : [];
    const leases: Lease[] = [];
    for (const lease of replies) {
      const parsed = leaseFrom(lease, token);
      if (parsed) leases.push(parsed);
      else problems.push(await this.#setAside(lease, token));
    }
    return { leases, ...(nextInMs >= 0 && { nextInMs }), ...(problems.length > 0 && { problems }) };
  }

  /** An entry that cannot be read becomes a dead letter, so that it does not stop its group. */
  async #setAside([groupId, key]: LeaseReply, token: string): Promise<string> {
    const deadLetter = { key, failure: 'The entry is damaged' };
    await this.settle({ groupId, token, done: [], deadLetter, deduplicationMs: 1 });
    return `The notification ${key} is damaged; it is in ${this.#prefix}:dead`;
  }

  async renew(leases: readonly LeaseId[], leaseMs: number): Promise<string[]> {
    const lost: string[] = [];
    for (const part of chunks(leases, maxArguments)) {
      const args = part.flatMap(({ groupId, token }) => [groupId, token]);
      lost.push(...((await this.#run(scripts.renew, Math.ceil(leaseMs), ...args)) as string[]));
    }
    return lost;
  }

  async settle(settlement: Settlement): Promise<boolean> {
    const { groupId, token, done, retryInMs, released, deadLetter, deduplicationMs } = settlement;
    const lease = [groupId, token, Math.ceil(deduplicationMs)];
    const parts = chunks(done, maxArguments);
    const last = parts.pop() ?? [];
    for (const part of parts) {
      if ((await this.#run(scripts.settlePart, ...lease, ...part)) !== 1) return false;
    }
    const result: (string | number)[] = [Math.ceil(retryInMs ?? 0), retryInMs !== undefined && !released ? 1 : 0];
    result.push(deadLetter?.key ?? '', JSON.stringify(deadLetter?.failure ?? ''), last.length);
    return (await this.#settling.call(...lease, ...result, ...last)) === 1;
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    const found = await this.#run(dead.deadLetters, Math.min(limit, Number.MAX_SAFE_INTEGER));
    return (found as [string, string][]).flatMap(([text, meta]) => {
      const entry = entryFrom(text);
      return entry ? [{ entry, ...(JSON.parse(meta) as Omit<DeadLetter, 'entry'>) }] : [];
    });
  }

  async redrive(key: string): Promise<boolean> {
    const found = (await this.#run(dead.findDeadLetter, key)) as string;
    const entry = entryFrom(found);
    if (!entry) return false;
    return (await this.#run(dead.redrive, key, entry.groupId, entry.sentAt, entry.notification.user_id)) === 1;
  }

  async removeDeadLetter(key: string): Promise<boolean> {
    return (await this.#run(dead.removeDeadLetter, key)) === 1;
  }
}

function leaseFrom(
  [groupId, key, text, failures, stalls, ...coalescedKeys]: LeaseReply,
  token: string,
): Lease | undefined {
  const entry = entryFrom(text);
  if (entry?.key !== key) return undefined;
  return { groupId, token, entry, attempt: failures + stalls + 1, stalledCount: stalls, coalescedKeys };
}

function entryFrom(text: string): QueuedNotification | undefined {
  try {
    return JSON.parse(text) as QueuedNotification;
  } catch {
    return undefined;
  }
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

async function sha1(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
