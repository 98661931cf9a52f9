import { fork, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here, median } from '../measure.ts';
import type { Figure, Row } from '../measure.ts';

const distinct = 8_000;
const duplicates = 2_000;
const concurrency = 64;
const rounds = 3;
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

interface Report {
  readonly handled: number;
  readonly twice: number;
  readonly memory: number;
}

interface Measured extends Report {
  readonly latencies: readonly number[];
  readonly rejected: number;
}

/** Many notifications, a fifth of them duplicates, to an inbox whose handler takes a second. */
export async function notifications(): Promise<Row[]> {
  const measured: Record<string, Measured> = {};
  for (const store of ['memory', 'sqlite']) measured[store] = await storm(store);
  const figures = (value: (each: Measured) => number): Figure[] =>
    Object.entries(measured).map(([store, each]) => ({ who: `inbox in ${store}`, value: value(each) }));
  const what = `${distinct + duplicates} notifications, ${duplicates} of them duplicates, ${concurrency} at a time`;
  return [
    await throughput(),
    await backlog(),
    {
      title: `Notifications: 99th percentile until the response, ${what}`,
      unit: 'ms',
      goal: 'under 500 ms while the handler takes a second',
      figures: figures(({ latencies }) => percentile99(latencies)),
    },
    {
      title: 'Notifications: rejected, not handled, or handled twice',
      unit: '',
      goal: '0',
      figures: figures(({ rejected, handled, twice }) => rejected + (distinct - handled) + twice),
    },
    {
      title: 'Notifications: largest size of the whole process',
      unit: 'MiB',
      goal: 'under 256 MiB, of which Node itself takes about 50',
      figures: figures(({ memory }) => memory),
    },
  ];
}

/** How many deliveries a second a receiver accepts, beside a server that only reads the body and responds 200. */
async function throughput(): Promise<Row> {
  const stores = ['bare', 'memory', 'sqlite', ...(hasRedis ? ['redis'] : [])];
  const perSecond = new Map<string, number[]>(stores.map((store) => [store, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const store of stores) {
      await withInbox([store, 'instant'], async ({ port }) => {
        await deliver(port, range(2_000));
        const started = performance.now();
        await deliver(
          port,
          range(distinct).map((id) => id + 1_000_000),
        );
        perSecond.get(store)?.push(distinct / ((performance.now() - started) / 1000));
      });
    }
  }
  const share = (store: string): number => median(perSecond.get(store) ?? []) / median(perSecond.get('bare') ?? []);
  return {
    title: 'Notifications: deliveries per second, as a share of a bare node:http server',
    unit: '%',
    goal: 'memory 80, SQLite 75, Redis 60',
    figures: stores.slice(1).map((store) => ({ who: `inbox in ${store}`, value: Math.round(share(store) * 100) })),
  };
}

/** The response time while many notifications wait, with the default concurrency. */
async function backlog(): Promise<Row> {
  const figures: Figure[] = [];
  for (const store of ['memory', 'sqlite']) {
    await withInbox([store, 'slow'], async ({ port }) => {
      await deliver(port, range(27_000));
      const { latencies } = await deliver(
        port,
        range(2_000).map((id) => id + 1_000_000),
      );
      figures.push({ who: `inbox in ${store}`, value: percentile99(latencies) });
    });
  }
  return {
    title: 'Notifications: 99th percentile until the response while 27,000 wait, default concurrency',
    unit: 'ms',
    goal: 'under 500 ms',
    figures,
  };
}

interface Inbox {
  readonly port: number;
  readonly process: ChildProcess;
}

/** Starts an inbox in a process of its own, and ends it after `use`. */
async function withInbox<T>([store, mode]: readonly [string, string], use: (inbox: Inbox) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'storm-'));
  const socket = join(folder, 'redis.sock');
  const redis = store === 'redis' ? startRedis(folder, socket) : undefined;
  const process = fork(here('children/inbox.ts'), [store, join(folder, 'inbox.db'), socket, mode]);
  try {
    const { port } = await nextMessage<{ port: number }>(process);
    return await use({ port, process });
  } finally {
    process.kill('SIGKILL');
    redis?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

function startRedis(folder: string, socket: string): ChildProcess {
  const settings = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', '', '--appendonly', 'no'];
  return spawn('redis-server', settings, { stdio: 'ignore' });
}

/** Delivers notifications of these questions, some at a time. */
async function deliver(
  port: number,
  questionIds: readonly number[],
): Promise<{ latencies: readonly number[]; rejected: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const ids = [...questionIds];
  const latencies: number[] = [];
  let rejected = 0;
  const poster = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const started = performance.now();
      if ((await post(port, agent, id)) !== 200) rejected += 1;
      latencies.push(performance.now() - started);
    }
  };
  await Promise.all(range(concurrency).map(poster));
  agent.destroy();
  return { latencies: latencies.sort((a, b) => a - b), rejected };
}

async function storm(store: string): Promise<Measured> {
  return withInbox([store, 'storm'], async ({ port, process }) => {
    const delivered = await deliver(port, shuffled([...range(distinct), ...range(duplicates)]));
    process.send('report');
    return { ...(await nextMessage<Report>(process)), ...delivered };
  });
}

function percentile99(latencies: readonly number[]): number {
  return latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
}

function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => {
      resolve(message as T);
    });
    child.once('exit', (code) => {
      reject(new Error(`the inbox ended with ${code}`));
    });
  });
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** The same order in each run. */
function shuffled(ids: number[]): number[] {
  return ids
    .map((id, index) => ({ id, place: Math.imul(index + 1, 2_654_435_761) >>> 0 }))
    .sort((a, b) => a.place - b.place)
    .map(({ id }) => id);
}

function post(port: number, agent: Agent, id: number): Promise<number | undefined> {
  const body = JSON.stringify({
    _id: `event-${id}`,
    user_id: 7,
    resource: `/questions/${id}`,
    topic: 'questions',
    sent: '2026-11-20T10:00:00.000Z',
  });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request({ port, agent, method: 'POST', headers }, (response) => {
      response.resume().once('end', () => {
        resolve(response.statusCode);
      });
    })
      .once('error', reject)
      .end(body);
  });
}
