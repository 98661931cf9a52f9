import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { afterAll } from 'vitest';
import { startPostgres } from './postgres.ts';
import type { OwnPostgres } from './postgres.ts';

/**
 * One PostgreSQL for all tests of the file that calls it, which starts when the first test asks.
 *
 * @returns What makes an empty database, and resolves to its connection string.
 */
export function sharedPostgres(): () => Promise<string> {
  let started: Promise<OwnPostgres> | undefined;
  afterAll(async () => (await started)?.stop());
  return async () => {
    const { connectionString } = await (started ??= startPostgres());
    const name = `t${randomUUID().replaceAll('-', '')}`;
    const pool = new Pool({ connectionString, max: 1 });
    await pool.query(`CREATE DATABASE ${name}`);
    await pool.end();
    return connectionString.replace('/postgres?', `/${name}?`);
  };
}
