import { ConfigurationError } from '../core/errors/errors.js';
import { isObject } from '../core/json/plain-object.js';
import { checkConfiguration, withMethods } from '../core/options/rules.js';
import { PostgresDatabase } from './postgres-database.js';
import type { PostgresPool } from './postgres-database.js';
import { SqlStore } from './sql-store.js';
import type { Store } from './store.js';

/** The options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** A `Pool` of `pg`. The store does not end it. */
  readonly pool: PostgresPool;
}

/**
 * Creates a store in PostgreSQL 11 or later, for an inbox, an outbox or both, on any number of machines. What was accepted or added
 * survives crashes.
 *
 * It creates its tables, `seller_work...`, at the first use, and uses one connection at a time. A transaction waits for the disk
 * where something must survive a power cut.
 *
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL }); // of `pg`
 * const store = postgresStore({ pool });
 * const inbox = createInbox({ store, fallback: (notification) => console.log(notification.topic) });
 * @throws {ConfigurationError} when `pool` has no method `connect`, or an option is unknown.
 */
export function postgresStore(options: PostgresStoreOptions): Store {
  if (!isObject(options) || typeof options.connect === 'function')
    throw new ConfigurationError('postgresStore takes `{ pool }`, a Pool of `pg`');
  checkConfiguration('postgresStore', options, { pool: withMethods('connect') }, ['pool']);
  return new SqlStore(new PostgresDatabase(options.pool), { durable: true });
}
