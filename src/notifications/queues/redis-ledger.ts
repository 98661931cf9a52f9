import type { Ledger } from '../../work/ledger.js';
import type { RedisScripts } from './redis-scripts.js';

/** A ledger in a Redis: each value is a key of its own, which Redis deletes in time. */
export class RedisLedger implements Ledger {
  readonly #scripts: RedisScripts;
  readonly #keyOf: (key: string) => string;

  constructor(scripts: RedisScripts, keyOf: (key: string) => string) {
    this.#scripts = scripts;
    this.#keyOf = keyOf;
  }

  async get(key: string): Promise<string | undefined> {
    const value = await this.#scripts.run('sellerLedgerGet', this.#keyOf(key));
    return typeof value === 'string' ? value : undefined;
  }

  async replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    const isExpected = expected === undefined ? '0' : '1';
    const args = [this.#keyOf(key), isExpected, expected ?? '', value, String(Math.ceil(ms))];
    return Number(await this.#scripts.run('sellerLedgerReplace', ...args)) === 1;
  }
}
