import { openInbox } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import { sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { openOutbox } from 'marketplace-seller-sdk/outbox';
import type { InnerStore } from '../../src/work/store.js';
import { expect, test } from 'vitest';
import { newFiles } from '../support/new-files.ts';

type Closable = { close?(): Promise<void> };

async function openedStore(path: string): Promise<InnerStore> {
  const store = sqliteStore(path);
  await store.counts([]);
  return store;
}

/** Each is used once before it is closed, so that it has opened its file. */
const newFile = newFiles();
const opened: Readonly<Record<string, (path: string) => Promise<Closable>>> = {
  sqliteStore: openedStore,
  sqliteTokens: async (path) => {
    const tokens = sqliteTokens(path);
    await tokens.sellers();
    return tokens;
  },
  openInbox: async (path) => openInbox(await openedStore(path)),
  openOutbox: async (path) => openOutbox(await openedStore(path)),
};

// A process may get two signals, and a script may close what a receiver closes.
test.each(Object.keys(opened))('%s may be closed twice, also at once', async (name) => {
  const closable = await opened[name]!(newFile());
  expect(await Promise.all([closable.close!(), closable.close!()])).toEqual([undefined, undefined]);
  await closable.close!();
});
