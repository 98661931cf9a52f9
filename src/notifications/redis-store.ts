import type { Entry } from './entry.js';
import * as scripts from './redis-scripts.js';
import type { Claim, DeadLetter, Loan, NotificationStore, Settlement } from './store.js';

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

  async add(entry: Entry): Promise<'added' | 'waiting' | 'over'> {
    const { key, lane, sentAt } = entry;
    return (await this.#run(scripts.add, key, lane, sentAt, JSON.stringify(entry))) as 'added' | 'waiting' | 'over';
  }

  async claim(claim: Claim): Promise<{ loans: Loan[]; nextInMs?: number }> {
    const { holder, limit, leaseMs, coalesce, lane = '' } = claim;
    const answer = await this.#run(scripts.claim, holder, limit, Math.ceil(leaseMs), coalesce ? 1 : 0, lane);
    const [next, ...lent] = answer as [number, ...[string, string, number, ...string[]][]];
    const loans = lent.map(([name, entry, attempt, ...covered]) => ({
      lane: name,
      entry: JSON.parse(entry) as Entry,
      attempt,
      covered,
    }));
    return { loans, ...(next >= 0 && { nextInMs: next }) };
  }

  async extend(holder: string, lanes: readonly string[], leaseMs: number): Promise<string[]> {
    return (await this.#run(scripts.extend, holder, Math.ceil(leaseMs), ...lanes)) as string[];
  }

  async settle({ holder, lane, done, againInMs = 0, buried, rememberMs }: Settlement): Promise<boolean> {
    const grave = [buried?.key ?? '', JSON.stringify(buried?.failure ?? '')];
    const settled = await this.#run(
      scripts.settle,
      holder,
      lane,
      Math.ceil(againInMs),
      Math.ceil(rememberMs),
      ...grave,
      ...done,
    );
    return settled === 1;
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    const found = (await this.#run(scripts.deadLetters, limit)) as [string, string][];
    return found.map(([entry, obituary]) => ({
      entry: JSON.parse(entry) as Entry,
      ...(JSON.parse(obituary) as Omit<DeadLetter, 'entry'>),
    }));
  }

  async exhume(key: string, replay: boolean): Promise<boolean> {
    const found = (await this.#run(scripts.find, key)) as string;
    if (found === '') return false;
    const { lane, sentAt } = JSON.parse(found) as Entry;
    return (await this.#run(scripts.exhume, key, replay ? 1 : 0, lane, sentAt)) === 1;
  }
}
