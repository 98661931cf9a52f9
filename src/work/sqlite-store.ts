import { ConfigurationError } from '../core/errors/errors.js';
import { assertNoOptions } from './store-rule.js';
import { SqlStore } from './sql-store.js';
import { SqliteDatabase, inMemory } from './sqlite-database.js';
import type { Store } from './store.js';

/**
 * Creates a store in a SQLite file, for the processes of one machine: an inbox, an outbox, or both. What was accepted or added
 * survives crashes and power cuts.
 *
 * Needs Node 22.13 or later; `node:sqlite` is loaded on first use. Do not use it on a network file system.
 *
 * @param path The file. It is created if it does not exist. `':memory:'` is not durable.
 * @example
 * const store = sqliteStore('seller.db');
 * const inbox = createInbox({ store, fallback: (notification) => console.log(notification.topic) });
 * const outbox = createOutbox({ store, clientFor: () => seller });
 * @throws {ConfigurationError} when `path` is not the name of a file, or there are options.
 */
export function sqliteStore(path: string): Store;
export function sqliteStore(path: string, ...options: readonly unknown[]): Store {
  if (typeof path !== 'string' || path === '')
    throw new ConfigurationError("sqliteStore takes the name of a file, such as 'seller.db'");
  assertNoOptions('sqliteStore', options);
  return new SqlStore(new SqliteDatabase(path), { durable: path !== inMemory });
}
