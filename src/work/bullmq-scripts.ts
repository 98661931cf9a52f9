import type { Ledger } from './ledger.js';

/** The part of a Redis client that is used: of ioredis, and of what BullMQ wraps around other clients. */
export interface RedisCommands {
  defineCommand(name: string, definition: { readonly numberOfKeys: number; readonly lua: string }): unknown;
  runCommand?(name: string, args: unknown[]): Promise<unknown>;
}

/*
 * A group is a sorted set of the ids of its jobs, by when they were sent. The first is its head, which alone may run; once it has begun,
 * nothing that was sent earlier comes before it. Equal times keep their order as long as something of the group is there.
 */
const scripts = {
  // KEYS: the group, the ids of the owner, the job. ARGV: id, when it was sent, the most of the owner or -1.
  sellerEnter: `if redis.call('EXISTS', KEYS[3]) == 1 then return 'known' end
    local most = tonumber(ARGV[3])
    if most >= 0 and redis.call('SCARD', KEYS[2]) >= most then return 'full' end
    redis.call('SADD', KEYS[2], ARGV[1])
    redis.call('ZADD', KEYS[1], 'NX', ARGV[2] + math.min(redis.call('ZCARD', KEYS[1]), 4000) / 4096, ARGV[1])
    return redis.call('ZRANGE', KEYS[1], 0, 0)[1]`,
  // The same keys and values. Returns the head: the job begins if it is its own.
  sellerBegin: `redis.call('SADD', KEYS[2], ARGV[1])
    redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
    local head = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
    if head == ARGV[1] then redis.call('ZADD', KEYS[1], -1, head) end
    return head`,
  // The same keys; the third one is a fact. ARGV: id, and the value of the fact and its milliseconds. Returns the next head.
  sellerLeave: `redis.call('ZREM', KEYS[1], ARGV[1])
    redis.call('SREM', KEYS[2], ARGV[1])
    if tonumber(ARGV[3]) >= 1 then redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[3]) end
    return redis.call('ZRANGE', KEYS[1], 0, 0)[1]`,
  // KEYS: the delayed jobs of BullMQ, which keeps a counter in the last 12 bits. ARGV: until when.
  sellerDue: `return redis.call('ZCOUNT', KEYS[1], 0, ARGV[1] * 4096)`,
  sellerScore: `return redis.call('ZSCORE', KEYS[1], ARGV[1])`,
  sellerHead: `return redis.call('ZRANGE', KEYS[1], 0, 0)[1]`,
  sellerGet: `return redis.call('GET', KEYS[1])`,
  // ARGV: whether a value is expected, that value, the new value, for how many milliseconds.
  sellerReplace: `local value = redis.call('GET', KEYS[1])
    if ARGV[1] == '0' and value then return 0 end
    if ARGV[1] == '1' and value ~= ARGV[2] then return 0 end
    if tonumber(ARGV[4]) < 1 then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
    return 1`,
};
const numbersOfKeys: Partial<Record<keyof typeof scripts, number>> = { sellerEnter: 3, sellerBegin: 3, sellerLeave: 3 };

/** Runs the scripts of this package on a Redis client. */
export class RedisScripts {
  readonly #client: () => Promise<RedisCommands>;
  #defined: Promise<RedisCommands> | undefined;

  constructor(client: () => Promise<RedisCommands>) {
    this.#client = client;
  }

  /** @param args The keys, and what the script takes. */
  async run(name: keyof typeof scripts, ...args: readonly string[]): Promise<unknown> {
    this.#defined ??= this.#define();
    const client = await this.#defined;
    if (client.runCommand) return client.runCommand(name, [...args]);
    return (client as unknown as Record<string, (...args: readonly string[]) => Promise<unknown>>)[name]?.(...args);
  }

  async #define(): Promise<RedisCommands> {
    try {
      const client = await this.#client();
      for (const [name, lua] of Object.entries(scripts))
        client.defineCommand(name, { numberOfKeys: numbersOfKeys[name as keyof typeof scripts] ?? 1, lua });
      return client;
    } catch (error) {
      this.#defined = undefined;
      throw error;
    }
  }
}

/** A ledger in a Redis: each value is a key of its own, which Redis deletes in time. */
export class RedisLedger implements Ledger {
  readonly #scripts: RedisScripts;
  /** The name of a value in Redis. */
  readonly nameOf: (key: string) => string;

  constructor(run: RedisScripts, nameOf: (key: string) => string) {
    this.#scripts = run;
    this.nameOf = nameOf;
  }

  async get(key: string): Promise<string | undefined> {
    const value = await this.#scripts.run('sellerGet', this.nameOf(key));
    return typeof value === 'string' ? value : undefined;
  }

  async replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    const isExpected = expected === undefined ? '0' : '1';
    const args = [this.nameOf(key), isExpected, expected ?? '', value, String(Math.ceil(ms))];
    return Number(await this.#scripts.run('sellerReplace', ...args)) === 1;
  }
}
