import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import type { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here } from './measure.ts';
import { RawPoster, bodyOf } from './raw-poster.ts';

/** How many deliveries are under way at a time. */
export const concurrency = 64;

/** An inbox in a process of its own. */
export interface Inbox {
  readonly port: number;
  readonly process: ChildProcess;
}

/** A store, what the process does, and where Redis is for BullMQ. */
type Kind = readonly [store: string, mode: string, where?: string | undefined];

/** Starts an inbox in a process of its own, and ends it after `use`. */
export async function withInbox<T>(kind: Kind, use: (inbox: Inbox) => Promise<T>): Promise<T> {
  return withInboxes(kind, 1, async ([inbox]) => use(inbox!));
}

/** Starts processes that share one store, and ends them after `use`. */
export async function withInboxes<T>(
  [store, mode, where]: Kind,
  count: number,
  use: (inboxes: readonly Inbox[]) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'storm-'));
  const script = here(mode === 'floor' || mode === 'checked' ? 'children/inbox-floor.ts' : 'children/inbox.ts');
  const start = (): ChildProcess => fork(script, [store, where ?? join(folder, 'inbox.db'), mode]);
  const processes = range(count).map(start);
  try {
    const started = await Promise.all(processes.map((process) => nextMessage<{ port: number }>(process)));
    return await use(processes.map((process, index) => ({ process, port: started[index]?.port ?? 0 })));
  } finally {
    for (const process of processes) process.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

/** Delivers notifications of these questions, some at a time, to one process or to several in turn. */
export async function deliver(
  ports: number | readonly number[],
  questionIds: readonly number[],
): Promise<{ latencies: readonly number[]; rejected: number }> {
  const all = [ports].flat();
  const ids = [...questionIds];
  const latencies: number[] = [];
  let rejected = 0;
  const deliverSome = async (port: number): Promise<void> => {
    const poster = await RawPoster.open(port);
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const started = performance.now();
      if ((await poster.post(id)) !== 200) rejected += 1;
      latencies.push(performance.now() - started);
    }
    poster.close();
  };
  await Promise.all(range(concurrency).map((index) => deliverSome(all[index % all.length] ?? 0)));
  return { latencies: latencies.sort((a, b) => a - b), rejected };
}

export function percentile99(latencies: readonly number[]): number {
  return latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
}

export function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => {
      resolve(message as T);
    });
    child.once('exit', (code) => {
      reject(new Error(`the inbox ended with ${code}`));
    });
  });
}

export function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** Posts a notification, by default about a question, and resolves to the status of the response. */
export function post(port: number, agent: Agent, id: number, body = bodyOf(id)): Promise<number | undefined> {
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
