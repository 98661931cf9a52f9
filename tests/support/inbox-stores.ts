import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { InnerStore as Store } from '../../src/work/store.js';
import { newFiles } from './new-files.ts';

/** A kind of store. `create` makes an empty location and returns a function that opens it: two calls are two processes. */
export interface StoreKind {
  readonly name: string;
  readonly isDurable: boolean;
  readonly isShared: boolean;
  create(): () => Store;
}

/** The kinds of stores, for the tests of one file. */
export function storeKinds(): readonly StoreKind[] {
  const newFile = newFiles();
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
        const path = newFile();
        return () => sqliteStore(path);
      },
    },
  ];
}
