import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here } from '../measure.ts';
import type { Figure, Row } from '../measure.ts';

const distinct = 8_000;
const duplicates = 2_000;
const concurrency = 64;

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
    {
      title: `Notifications: 99th percentile until the response, ${what}`,
      unit: 'ms',
      goal: 'under 500 ms while the handler takes a second',
      figures: figures(({ latencies }) => latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN),
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

async function storm(store: string): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'storm-'));
  const inbox = fork(here('children/inbox.ts'), [store, join(folder, 'inbox.db')]);
  const { port } = await nextMessage<{ port: number }>(inbox);
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const ids = shuffled([...range(distinct), ...range(duplicates)]);
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
  inbox.send('report');
  const report = await nextMessage<Report>(inbox);
  await new Promise((resolve) => inbox.once('exit', resolve));
  rmSync(folder, { recursive: true });
  return { ...report, rejected, latencies: latencies.sort((a, b) => a - b) };
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
