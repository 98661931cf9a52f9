/** The part of a Redis client that is used: of ioredis, and of what BullMQ wraps around other clients. */
export interface RedisCommands {
  defineCommand(name: string, definition: { readonly numberOfKeys: number; readonly lua: string }): unknown;
  runCommand?(name: string, args: unknown[]): Promise<unknown>;
}

const scripts = {
  sellerLedgerGet: `return redis.call('GET', KEYS[1])`,
  // ARGV: whether a value is expected, that value, the new value, for how many milliseconds.
  sellerLedgerReplace: `local value = redis.call('GET', KEYS[1])
    if ARGV[1] == '0' and value then return 0 end
    if ARGV[1] == '1' and value ~= ARGV[2] then return 0 end
    if tonumber(ARGV[4]) < 1 then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
    return 1`,
  // ARGV: members of a sorted set.
  sellerInboxScores: `local scores = {}
    for index, member in ipairs(ARGV) do scores[index] = redis.call('ZSCORE', KEYS[1], member) end
    return scores`,
};

/** Runs the scripts of this package on a Redis client. */
export class RedisScripts {
  readonly #client: () => Promise<RedisCommands>;
  #defined: Promise<RedisCommands> | undefined;

  constructor(client: () => Promise<RedisCommands>) {
    this.#client = client;
  }

  /** @param args The key, and what the script takes. */
  async run(name: keyof typeof scripts, ...args: readonly string[]): Promise<unknown> {
    this.#defined ??= this.#define();
    const client = await this.#defined;
    if (client.runCommand) return client.runCommand(name, [...args]);
    return (client as unknown as Record<string, (...args: readonly string[]) => Promise<unknown>>)[name]?.(...args);
  }

  async #define(): Promise<RedisCommands> {
    try {
      const client = await this.#client();
      for (const [name, lua] of Object.entries(scripts)) client.defineCommand(name, { numberOfKeys: 1, lua });
      return client;
    } catch (error) {
      this.#defined = undefined;
      throw error;
    }
  }
}
