import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { InnerStore as Store } from '../../src/work/store.js';
import { afterAll } from 'vitest';

/** A kind of store. `create` makes an empty location and returns a function that opens it: two calls are two processes. */
export interface StoreKind {
  readonly name: string;
  readonly isDurable: boolean;
  readonly isShared: boolean;
  create(): () => Store;
}

/** The kinds of stores, for the tests of one file. */
export function storeKinds(): readonly StoreKind[] {
  const folder = mkdtempSync(join(tmpdir(), 'stores-'));
  let locations = 0;
  afterAll(() => rmSync(folder, { recursive: true }));
  return [
    {
      name: 'memory',
      isDurable: false,
      isShared: false,
      create: () => {
        let store: Store | undefined;
        return () => (store ??= memoryStore());
      },
    },
    {
      name: 'SQLite',
      isDurable: true,
      isShared: true,
      create: () => {
        const path = join(folder, `${++locations}.db`);
        return () => sqliteStore(path);
      },
    },
  ];
}
