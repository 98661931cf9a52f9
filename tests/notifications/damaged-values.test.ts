import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from 'marketplace-seller-sdk/notifications';
import { expect, onTestFinished, test, vi } from 'vitest';

const silent = () => {};

test('a SQLite file that cannot be written any more is closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'close-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const close = vi.spyOn(DatabaseSync.prototype, 'close');
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const store = sqliteStore({ path: join(folder, 'inbox.db') });
  await store.claim({ workerId: 'a', limit: 1, leaseMs: 1, coalesce: false });
  const [database] = exec.mock.contexts as DatabaseSync[];
  database?.exec('PRAGMA query_only = ON; DROP TABLE IF EXISTS none');
  database?.exec('BEGIN');
  await store.close?.().catch(silent);
  expect(close).toHaveBeenCalledOnce();
  vi.restoreAllMocks();
});
