import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface Server {
  readonly port: number;
  readonly kill: () => void;
  readonly stop: () => Promise<void>;
}

/** Runs a command of `redis-cli`. */
function cli(port: number, ...command: string[]): string {
  return execFileSync('redis-cli', ['-p', String(port), ...command], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

async function freePort(): Promise<number> {
  // The bus of a cluster listens 10,000 ports higher.
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    if (port < 50_000) return port;
  }
}

export async function startServer(settings: readonly string[] = [], config = ''): Promise<Server> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const file = join(folder, 'redis.conf');
  writeFileSync(file, `port ${port}\ndir ${folder}\nbind 127.0.0.1\nsave ""\n${config}`);
  const server = spawn('redis-server', [file, ...settings], { stdio: 'ignore' });
  const isUp = (): boolean => {
    try {
      return cli(port, 'PING') === 'PONG';
    } catch {
      return false;
    }
  };
  while (!isUp()) await pause(50);
  const gone = once(server, 'exit');
  return {
    port,
    kill: () => void server.kill('SIGKILL'),
    stop: async () => {
      server.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A primary that needs one replica to accept writes, its replica, and a Sentinel that promotes it within a second or two. */
export async function startSentinel() {
  const primary = await startServer(['--appendonly', 'yes']);
  const replica = await startServer(['--appendonly', 'yes', '--replicaof', '127.0.0.1', String(primary.port)]);
  while (!cli(replica.port, 'INFO', 'replication').includes('master_link_status:up')) await pause(50);
  const monitored = `sentinel monitor primary 127.0.0.1 ${primary.port} 1
sentinel down-after-milliseconds primary 1000
sentinel failover-timeout primary 5000
`;
  const sentinel = await startServer(['--sentinel'], monitored);
  while (!cli(sentinel.port, 'SENTINEL', 'replicas', 'primary').includes(String(replica.port))) await pause(100);
  return {
    sentinel: sentinel.port,
    killPrimary: primary.kill,
    stop: async (): Promise<void> => {
      for (const each of [sentinel, replica, primary]) await each.stop();
    },
  };
}

/** A cluster of three nodes. */
export async function startCluster() {
  const nodes = await Promise.all(
    [0, 1, 2].map(async () => startServer(['--cluster-enabled', 'yes', '--appendonly', 'yes'])),
  );
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], { stdio: 'ignore' });
  while (nodes.some(({ port }) => !cli(port, 'CLUSTER', 'INFO').includes('cluster_state:ok'))) await pause(100);
  const ids = nodes.map(({ port }) => cli(port, 'CLUSTER', 'MYID'));
  const ports = nodes.map(({ port }) => port);
  return {
    ports,
    /** Moves the slot of a key to the next node, key by key, as `redis-cli --cluster reshard` does. */
    moveSlot: async (key: string, round: number): Promise<void> => {
      const slot = cli(ports[0]!, 'CLUSTER', 'KEYSLOT', key);
      const from = ports.findIndex((port) => cli(port, 'CLUSTER', 'COUNTKEYSINSLOT', slot) !== '0');
      const to = (Math.max(from, 0) + 1 + (round % 2)) % 3;
      if (from < 0) return;
      cli(ports[to]!, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[from]!);
      cli(ports[from]!, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[to]!);
      for (;;) {
        const keys = cli(ports[from]!, 'CLUSTER', 'GETKEYSINSLOT', slot, '100').split('\n').filter(Boolean);
        if (keys.length === 0) break;
        cli(ports[from]!, 'MIGRATE', '127.0.0.1', String(ports[to]), '', '0', '5000', 'KEYS', ...keys);
        await pause(5);
      }
      for (const port of [ports[to]!, ports[from]!, ...ports]) cli(port, 'CLUSTER', 'SETSLOT', slot, 'NODE', ids[to]!);
    },
    stop: async (): Promise<void> => {
      for (const node of nodes) await node.stop();
    },
  };
}
