import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// SQLite before 3.51.3 may damage a file that several processes use.

const { versions } = process;
const warned: (readonly unknown[])[] = [];

beforeEach(() => {
  vi.resetModules();
  warned.length = 0;
  vi.spyOn(process, 'emitWarning').mockImplementation((...args: readonly unknown[]) => void warned.push(args));
});
afterEach(() => void Object.defineProperty(process, 'versions', { value: versions }));

async function openedWith(sqlite: string, path?: string): Promise<void> {
  Object.defineProperty(process, 'versions', { value: { ...versions, sqlite, node: '22.20.0' } });
  const folder = mkdtempSync(join(tmpdir(), 'old-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { sqliteTokens } = await import('../../src/oauth/sqlite-tokens.js');
  const { sqliteStore: storeOf } = await import('../../src/work/sqlite.js');
  for (const name of ['a.db', 'b.db']) {
    await sqliteTokens(path ?? join(folder, name)).close?.();
    const store = storeOf(path ?? join(folder, `store-${name}`));
    await store.counts([]);
    await store.close?.();
  }
}

test.each(['3.46.1', '3.50.4', '3.51.2', '3.9.0'])('SQLite %s is told once, with the versions', async (version) => {
  await openedWith(version);
  expect(warned).toHaveLength(1);
  expect(String(warned[0]?.[0])).toMatch(
    new RegExp(`SQLite ${version} of Node\\.js 22\\.20\\.0 .* Node\\.js 22\\.22\\.3, 24\\.15`),
  );
});

test.each(['3.51.3', '3.51.10', '3.52.0', '4.0.0'])('SQLite %s is sound', async (version) => {
  await openedWith(version);
  expect(warned).toEqual([]);
});

test('a database in memory is of one process', async () => {
  await openedWith('3.46.1', ':memory:');
  expect(warned).toEqual([]);
});

test('this Node.js is sound, so tests print nothing', async () => {
  const outbox = createOutbox({ store: sqliteStore(':memory:'), clientFor: () => undefined });
  await outbox.close();
  expect(warned).toEqual([]);
});
