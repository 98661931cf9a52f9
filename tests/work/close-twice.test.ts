import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openInbox, sqliteStore } from 'marketplace-seller-sdk/notifications';
import { sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { openOutbox, sqliteOutbox } from 'marketplace-seller-sdk/outbox';
import { expect, onTestFinished, test } from 'vitest';

type Closable = { close?(): Promise<void> };

/** Each is used once before it is closed, so that it has opened its file. */
const opened: Readonly<Record<string, (path: string) => Promise<Closable>>> = {
  sqliteStore: async (path) => {
    const store = sqliteStore({ path });
    await store.stats!();
    return store;
  },
  sqliteOutbox: async (path) => {
    const store = sqliteOutbox(path);
    await store.stats();
    return store;
  },
  sqliteTokens: async (path) => {
    const tokens = sqliteTokens(path);
    await tokens.sellers();
    return tokens;
  },
  openInbox: async (path) => {
    const store = sqliteStore({ path });
    await store.stats!();
    return openInbox(store);
  },
  openOutbox: async (path) => {
    const store = sqliteOutbox(path);
    await store.stats();
    return openOutbox(store);
  },
};

// A process may get two signals, and a script may close what a receiver closes.
test.each(Object.keys(opened))('%s may be closed twice, also at once', async (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'close-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const closable = await opened[name]!(join(folder, 'a.db'));
  expect(await Promise.all([closable.close!(), closable.close!()])).toEqual([undefined, undefined]);
  await closable.close!();
});
