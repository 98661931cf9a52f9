import type { Ledger } from './ledger.js';
import { atEndOfTurn } from './turns.js';

/** The part of a Redis client that is used: of ioredis, and of what BullMQ wraps around other clients. */
export interface RedisCommands {
  defineCommand(name: string, definition: { readonly numberOfKeys: number; readonly lua: string }): unknown;
  runCommand?(name: string, args: unknown[]): Promise<unknown>;
  /** The socket of ioredis, if it is not that of a cluster. */
  readonly stream?: Corked | undefined;
}

interface Corked {
  readonly writableCorked?: number;
  cork?(): void;
  uncork?(): void;
}

/** What is sent in one turn of the event loop is written at once: a write costs more than a command. */
function sendTogether({ stream }: RedisCommands): void {
  if (!stream?.cork || stream.writableCorked !== 0) return;
  stream.cork();
  atEndOfTurn(() => stream.uncork?.());
}

/*
 * A group is a sorted set of the ids of its jobs, by when they were sent. The first is its head, which alone may run; once it has begun,
 * nothing that was sent earlier comes before it. Equal times keep their order as long as something of the group is there.
 */
const scripts = {
  // KEYS: the group, the ids of the owner, the job, that its key is known. ARGV: id, when it was sent, the most of the owner or -1.
  sellerEnter: `if redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 then return 'known' end
    local most = tonumber(ARGV[3])
    if most >= 0 and redis.call('SCARD', KEYS[2]) >= most then return 'full' end
    redis.call('SADD', KEYS[2], ARGV[1])
    redis.call('ZADD', KEYS[1], 'NX', ARGV[2] + math.min(redis.call('ZCARD', KEYS[1]), 4000) / 4096, ARGV[1])
    return redis.call('ZRANGE', KEYS[1], 0, 0)[1]`,
  // KEYS: the group, the ids of the owner, its fact. ARGV: id, when it was sent. Returns the head and the fact: the job begins if it is the head.
  sellerBegin: `redis.call('SADD', KEYS[2], ARGV[1])
    redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
    local head = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
    if head == ARGV[1] then redis.call('ZADD', KEYS[1], -1, head) end
    return { head, redis.call('GET', KEYS[3]) }`,
  // KEYS: the same, and what is known of the key. ARGV: id, the fact and its milliseconds, what is known and for how long. Returns the next head.
  sellerLeave: `redis.call('ZREM', KEYS[1], ARGV[1])
    redis.call('SREM', KEYS[2], ARGV[1])
    if tonumber(ARGV[3]) >= 1 then redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[3]) end
    if tonumber(ARGV[5]) >= 1 then redis.call('SET', KEYS[4], ARGV[4], 'PX', ARGV[5]) end
    return redis.call('ZRANGE', KEYS[1], 0, 0)[1]`,
  // ARGV: a command of Redis, and what it takes beside the key.
  sellerCall: `return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))`,
  // ARGV: whether a value is expected, that value, the new value, for how many milliseconds.
  sellerReplace: `local value = redis.call('GET', KEYS[1])
    if ARGV[1] == '0' and value then return 0 end
    if ARGV[1] == '1' and value ~= ARGV[2] then return 0 end
    if tonumber(ARGV[4]) < 1 then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
    return 1`,
};
const numbersOfKeys: Partial<Record<keyof typeof scripts, number>> = { sellerEnter: 4, sellerBegin: 3, sellerLeave: 4 };

/** Runs the scripts of this package on a Redis client. */
export class RedisScripts {
  readonly #client: () => Promise<RedisCommands>;
  #defined: Promise<RedisCommands> | undefined;

  constructor(client: () => Promise<RedisCommands>) {
    this.#client = client;
  }

  /** @param args The keys, and what the script takes. */
  async run(name: keyof typeof scripts, ...args: readonly string[]): Promise<unknown> {
    const client = await (this.#defined ??= this.#define());
    sendTogether(client);
    if (client.runCommand) return client.runCommand(name, [...args]);
    return (client as unknown as Record<string, (...args: readonly string[]) => Promise<unknown>>)[name]?.(...args);
  }

  /** The connection is closed: the next script takes another one. */
  close(): void {
    this.#defined = undefined;
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
    const value = await this.#scripts.run('sellerCall', this.nameOf(key), 'GET');
    return typeof value === 'string' ? value : undefined;
  }

  async replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    const isExpected = expected === undefined ? '0' : '1';
    const args = [this.nameOf(key), isExpected, expected ?? '', value, String(Math.ceil(ms))];
    return Number(await this.#scripts.run('sellerReplace', ...args)) === 1;
  }
}
