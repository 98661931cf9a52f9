import { Queue, Worker } from 'bullmq';
import { bullmq, postgresStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import { storeKinds } from './inbox-stores.ts';
import { hasPostgres } from './postgres.ts';
import { hasRedis, startRedis } from './redis.ts';
import { sharedPostgres } from './shared-postgres.ts';

/** Where notifications are kept, and what gives them out. */
export interface Engine {
  readonly name: string;
  readonly isThere: boolean;
  open(): Promise<NonNullable<InboxOptions['store']>>;
}

/** All of them, for the tests of one file; `isThere` says whether this machine has what one needs. */
export function engines(): readonly Engine[] {
  const createDatabase = sharedPostgres();
  return [
    ...storeKinds().map(({ name, create }) => ({ name, isThere: true, open: async () => create()() })),
    {
      name: 'PostgreSQL',
      isThere: hasPostgres,
      open: async () => {
        const pool = new Pool({ connectionString: await createDatabase() });
        onTestFinished(() => pool.end());
        return postgresStore({ pool });
      },
    },
    {
      name: 'BullMQ',
      isThere: hasRedis,
      open: async () => {
        const redis = await startRedis();
        onTestFinished(() => redis.stop());
        return bullmq({ Queue, Worker, connection: { path: redis.path, maxRetriesPerRequest: null } });
      },
    },
  ];
}
