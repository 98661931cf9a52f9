import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';

const host = '127.0.0.1';
const slots = 16_384;
/** Nodes of a cluster speak to each other on their port plus this. */
const busOffset = 10_000;

/** Three masters of a Redis Cluster, each with a third of the slots. */
export interface OwnCluster {
  connect(): Cluster;
  stop(): Promise<void>;
}

export async function startRedisCluster(): Promise<OwnCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  const ports = await freePorts(3);
  const servers = ports.map((port) => startNode(folder, port));
  const nodes = ports.map((port) => new Redis({ host, port, maxRetriesPerRequest: null, retryStrategy: () => 20 }));
  for (const node of nodes) node.on('error', () => {});
  await joinNodes(nodes, ports);
  for (const node of nodes) node.disconnect();
  const clients: Cluster[] = [];
  return {
    connect: () => {
      const client = new Cluster(ports.map((port) => ({ host, port })));
      clients.push(client);
      return client;
    },
    stop: async () => {
      for (const client of clients) client.disconnect();
      await Promise.all(servers.map(end));
      rmSync(folder, { recursive: true });
    },
  };
}

function startNode(folder: string, port: number): ChildProcess {
  const cluster = [
    '--cluster-enabled',
    'yes',
    '--cluster-config-file',
    `${port}.conf`,
    '--cluster-node-timeout',
    '15000',
  ];
  const settings = ['--bind', host, '--port', String(port), '--dir', folder, '--save', '', '--appendonly', 'no'];
  return spawn('redis-server', [...settings, ...cluster], { stdio: 'ignore' });
}

/** Gives each node its slots, introduces the nodes to each other, and waits until all of them know the whole cluster. */
async function joinNodes(nodes: readonly Redis[], ports: readonly number[]): Promise<void> {
  const share = Math.ceil(slots / nodes.length);
  await Promise.all(
    nodes.map(async (node, index) => {
      const own = Array.from({ length: share }, (_, slot) => index * share + slot).filter((slot) => slot < slots);
      await node.cluster('ADDSLOTS', ...own);
      for (const port of ports) await node.cluster('MEET', host, port);
    }),
  );
  const isComplete = async (node: Redis): Promise<boolean> =>
    /cluster_state:ok[^]*cluster_slots_assigned:16384[^]*cluster_known_nodes:3/.test(
      (await node.call('CLUSTER', 'INFO')) as string,
    );
  for (const node of nodes) while (!(await isComplete(node))) await pause(20);
}

/** Ports in a row. Systems give none of these, nor of those for the bus, to a server that listens on port 0. */
async function freePorts(count: number): Promise<number[]> {
  for (;;) {
    const first = 10_000 + Math.floor(Math.random() * 9_000);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const taken = await Promise.all(ports.flatMap((port) => [isFree(port), isFree(port + busOffset)]));
    if (taken.every(Boolean)) return ports;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = once(server, 'listening').then(() => true, () => false); // prettier-ignore
  server.listen(port, host);
  const isFound = (await isListening) && (server.address() as AddressInfo).port === port;
  server.close();
  return isFound;
}

async function end(server: ChildProcess): Promise<void> {
  const gone = once(server, 'exit');
  server.kill('SIGKILL');
  await gone;
}
