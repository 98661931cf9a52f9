import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { hasPostgres } from './postgres.ts';
import { hasRedis, startRedis } from './redis.ts';
import { sharedPostgres } from './shared-postgres.ts';

interface OpenPlace {
  /** A file in the folder, a connection string, or a socket of Redis: what `storeAt` takes. */
  readonly where: string;
  close(): Promise<void>;
}

/** Where processes can share a store. Files lie in `folder`; `isThere` is whether the server is installed. */
export function sharedPlaces(
  folder: string,
): { readonly name: string; readonly isThere: boolean; open(): Promise<OpenPlace> }[] {
  const createDatabase = sharedPostgres();
  return [
    {
      name: 'SQLite',
      isThere: true,
      open: async () => ({ where: join(folder, `${randomUUID()}.db`), close: async () => {} }),
    },
    {
      name: 'PostgreSQL',
      isThere: hasPostgres,
      open: async () => ({ where: await createDatabase(), close: async () => {} }),
    },
    {
      name: 'BullMQ',
      isThere: hasRedis,
      open: async () => {
        const { path, stop } = await startRedis();
        return { where: path, close: stop };
      },
    },
  ];
}
