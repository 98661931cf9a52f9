import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** Whether there is a `redis-server` to test against; says so loudly where there is none. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) console.warn('NOT RUN: the tests against Redis, because there is no redis-server on the PATH');

/** A Redis of the test's own, in memory, behind a socket of the file system. */
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
  for (let tries = 0; (await probe.ping().catch(() => '')) !== 'PONG' && tries < 100; tries += 1) await pause(50);
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
