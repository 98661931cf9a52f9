import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Keyv from 'keyv';
import { keyValueStore, memoryStore, redisStore, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore, StoreLimits } from 'marketplace-seller-sdk/notifications';
import { afterAll, beforeAll } from 'vitest';
import { hasRedis, startRedis } from './redis.ts';
import type { OwnRedis } from './redis.ts';

/** A kind of store. `create` makes an empty location and returns a function that opens it: two calls are two processes. */
export interface StoreKind {
  readonly name: string;
  readonly isAvailable: boolean;
  readonly isDurable: boolean;
  readonly isShared: boolean;
  create(): (limits?: StoreLimits) => NotificationStore;
}

/** The kinds of stores, for the tests of one file; Redis is not available where it is not installed. */
export function storeKinds(): readonly StoreKind[] {
  const folder = mkdtempSync(join(tmpdir(), 'stores-'));
  let redis: OwnRedis | undefined;
  let locations = 0;
  beforeAll(async () => {
    if (hasRedis) redis = await startRedis();
  });
  afterAll(async () => {
    await redis?.stop();
    rmSync(folder, { recursive: true });
  });
  const onValues = (values: ConstructorParameters<typeof Map>[0] | Keyv | Map<string, unknown>) => {
    return (limits?: StoreLimits) => keyValueStore(values as Map<string, unknown>, limits);
  };
  return [
    {
      name: 'memory',
      isAvailable: true,
      isDurable: false,
      isShared: false,
      create: () => {
        let store: NotificationStore | undefined;
        return (limits) => (store ??= memoryStore(limits));
      },
    },
    { name: 'Keyv', isAvailable: true, isDurable: true, isShared: false, create: () => onValues(new Keyv()) },
    { name: 'a Map', isAvailable: true, isDurable: true, isShared: false, create: () => onValues(new Map()) },
    {
      name: 'SQLite',
      isAvailable: true,
      isDurable: true,
      isShared: true,
      create: () => {
        const path = join(folder, `${++locations}.db`);
        return (limits) => sqliteStore({ path, ...limits });
      },
    },
    {
      name: 'Redis',
      isAvailable: hasRedis,
      isDurable: true,
      isShared: true,
      create: () => {
        const prefix = `{location-${++locations}}`;
        return (limits) => {
          const client = redis!.connect();
          return redisStore({ prefix, send: (command, ...args) => client.call(command, ...args), ...limits });
        };
      },
    },
  ];
}
