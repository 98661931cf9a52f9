import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue, Worker } from 'bullmq';
import { openInbox } from 'marketplace-seller-sdk/inbox';
import { bullmq, postgresStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import { Pool } from 'pg';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { hasRedis, startRedis } from '../support/redis.ts';
import type { Place } from './answering.ts';

/** A kind of place for notifications. `isThere` is whether its server is installed. */
export interface PlaceKind {
  readonly name: string;
  readonly isThere: boolean;
  open(): Promise<Place & { close(): Promise<void> }>;
}

type Inbox = ReturnType<typeof openInbox>;

/** The places that the guide recommends. */
export const places: readonly PlaceKind[] = [
  {
    name: 'SQLite',
    isThere: true,
    open: async () => {
      const folder = mkdtempSync(join(tmpdir(), 'replies-'));
      const where = join(folder, 'inbox.db');
      // It is opened when the processes have created it.
      let inbox: Inbox | undefined;
      const left = async () => leftIn((inbox ??= openInbox(sqliteStore(where))));
      const close = async (): Promise<void> => {
        await inbox?.close();
        rmSync(folder, { recursive: true });
      };
      return { kind: 'sqlite', where, left, close };
    },
  },
  {
    name: 'PostgreSQL',
    isThere: hasPostgres,
    open: async () => {
      const { connectionString: where, stop } = await startPostgres();
      const pool = new Pool({ connectionString: where });
      pool.on('error', () => {});
      const inbox = openInbox(postgresStore({ pool }));
      const close = async (): Promise<void> => {
        await pool.end();
        await stop();
      };
      return { kind: 'postgres', where, left: () => leftIn(inbox), close };
    },
  },
  {
    name: 'BullMQ',
    isThere: hasRedis,
    open: async () => {
      const redis = await startRedis();
      const inbox = openInbox(bullmq({ Queue, Worker, connection: { path: redis.path } }));
      const close = async (): Promise<void> => {
        await inbox.close();
        await redis.stop();
      };
      return { kind: 'bullmq', where: redis.path, left: () => leftIn(inbox), close };
    },
  },
];

async function leftIn(inbox: Inbox): Promise<Awaited<ReturnType<Place['left']>>> {
  const { waiting, running, dead } = await inbox.stats();
  return { left: waiting + running, dead };
}
