import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findProgram } from '../../tools/find-program.mjs';

/** Whether there is a `redis-server`; tests that need one are skipped when there is none. */
export const hasRedis = findProgram('redis-server') !== undefined;

/** A Redis of one test file, in memory, on a Unix socket. */
export interface OwnRedis {
  connect(): Redis;
  /** A connection's settings, for libraries that make their own. */
  readonly path: string;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<OwnRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const path = join(folder, 'redis.sock');
  const settings = ['--port', '0', '--unixsocket', path, '--dir', folder, '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', settings, { stdio: 'ignore' });
  const clients: Redis[] = [];
  const connect = (): Redis => {
    const client = new Redis({ path, lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => 50 });
    client.on('error', () => {});
    clients.push(client);
    return client;
  };
  const probe = connect();
  while ((await probe.ping().catch(() => '')) !== 'PONG') await pause(50);
  return {
    connect,
    path,
    stop: async () => {
      for (const client of clients) client.disconnect();
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true });
    },
  };
}
