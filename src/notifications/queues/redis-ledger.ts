import type { Ledger } from '../../work/ledger.js';

/** The part of a Redis client that is used: of ioredis, and of what BullMQ wraps around other clients. */
export interface RedisCommands {
  defineCommand(name: string, definition: { readonly numberOfKeys: number; readonly lua: string }): unknown;
  runCommand?(name: string, args: unknown[]): Promise<unknown>;
}

const names = { get: 'sellerLedgerGet', replace: 'sellerLedgerReplace' };
const scripts = {
  get: `return redis.call('GET', KEYS[1])`,
  // ARGV: whether a value is expected, that value, the new value, for how many milliseconds.
  replace: `local value = redis.call('GET', KEYS[1])
    if ARGV[1] == '0' and value then return 0 end
    if ARGV[1] == '1' and value ~= ARGV[2] then return 0 end
    if tonumber(ARGV[4]) < 1 then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
    return 1`,
};

/** A ledger in a Redis: each value is a key of its own, which Redis deletes in time. */
export class RedisLedger implements Ledger {
  readonly #client: () => Promise<RedisCommands>;
  readonly #keyOf: (key: string) => string;
  #defined: Promise<RedisCommands> | undefined;

  constructor(client: () => Promise<RedisCommands>, keyOf: (key: string) => string) {
    this.#client = client;
    this.#keyOf = keyOf;
  }

  async get(key: string): Promise<string | undefined> {
    const value = await this.#run('get', [this.#keyOf(key)]);
    return typeof value === 'string' ? value : undefined;
  }

  async replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    const isExpected = expected === undefined ? '0' : '1';
    const args = [this.#keyOf(key), isExpected, expected ?? '', value, String(Math.ceil(ms))];
    return Number(await this.#run('replace', args)) === 1;
  }

  async #run(name: keyof typeof names, args: string[]): Promise<unknown> {
    this.#defined ??= this.#define();
    const client = await this.#defined;
    if (client.runCommand) return client.runCommand(names[name], args);
    return (client as unknown as Record<string, (...args: string[]) => Promise<unknown>>)[names[name]]?.(...args);
  }

  async #define(): Promise<RedisCommands> {
    try {
      const client = await this.#client();
      for (const name of ['get', 'replace'] as const)
        client.defineCommand(names[name], { numberOfKeys: 1, lua: scripts[name] });
      return client;
    } catch (error) {
      this.#defined = undefined;
      throw error;
    }
  }
}
