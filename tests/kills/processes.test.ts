import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundled } from '../support/program.ts';
import { about } from '../support/deliveries.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

const folder = mkdtempSync(join(tmpdir(), 'crash-'));
let program: string;
let bullProgram: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  program = await bundled('tests/kills/inbox-process.ts');
  bullProgram = await bundled('tests/kills/bullmq-process.ts');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Inbox {
  readonly pid: number;
  deliver(question_id: number): Promise<number>;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
  /** Asks the process to end, as a deploy does, and waits for it. */
  terminate(): Promise<void>;
}

interface Handling {
  readonly takesMs: number;
  /** How many handlings end, so that something is left for the next process however late this one is killed. */
  readonly atMost: number;
}

/** Starts an inbox in SQLite, or in BullMQ on the Redis of this socket. By default it handles everything at once. */
async function start(name: string, handling?: Handling, socket?: string): Promise<Inbox> {
  const location = socket ?? join(folder, `${name}.db`);
  const notesFile = join(folder, `${name}.txt`);
  const { takesMs, atMost } = handling ?? { takesMs: 0, atMost: Infinity };
  const args = [socket ? bullProgram : program, location, notesFile, String(takesMs), String(atMost)];
  const child = spawn(process.execPath, args);
  children.push(child);
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    pid: child.pid ?? 0,
    deliver: async (question_id) => {
      const body = JSON.stringify(about(question_id));
      const headers = { 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${String(port).trim()}/`;
      const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
      return response?.status ?? 0;
    },
    kill: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    terminate: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** Which process handled which question, in order. */
function notes(name: string): { pid: number; question_id: number }[] {
  const lines = readFileSync(join(folder, `${name}.txt`), { encoding: 'utf8', flag: 'a+' })
    .trim()
    .split('\n');
  return lines.filter(Boolean).map((line) => {
    const [pid = 0, question_id = 0] = line.split(' ').map(Number);
    return { pid, question_id };
  });
}

async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await pause(50);
}

const counted = (name: string) => {
  const counts = new Map<number, number>();
  for (const { question_id } of notes(name)) counts.set(question_id, (counts.get(question_id) ?? 0) + 1);
  return counts;
};

describe('a process that is killed (kill -9) with an inbox in SQLite', () => {
  test('the next process handles every acknowledged notification', async () => {
    const first = await start('restart', { takesMs: 30, atMost: 30 });
    const acknowledged: number[] = [];
    const delivering = Array.from({ length: 60 }, async (_, question_id) => {
      await pause(question_id * 3);
      if ((await first.deliver(question_id)) === 200) acknowledged.push(question_id);
    });
    await until(() => notes('restart').length >= 8 && acknowledged.length > 30);
    await first.kill();
    await Promise.all(delivering);
    const before = notes('restart').length;
    expect(acknowledged.length).toBeGreaterThan(before);

    await start('restart');
    await until(() => acknowledged.every((id) => counted('restart').has(id)));
    const counts = counted('restart');
    expect(acknowledged.filter((id) => !counts.has(id))).toEqual([]);
    // Only the notifications whose handlers were running are handled again.
    expect([...counts.values()].filter((count) => count > 1).length).toBeLessThanOrEqual(4);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(2);
  });

  test('another process on the same file takes over', async () => {
    const [one, other] = await Promise.all([
      start('pair', { takesMs: 30, atMost: 10 }),
      start('pair', { takesMs: 30, atMost: 40 }),
    ]);
    const ids = Array.from({ length: 40 }, (_, index) => index);
    const statuses = await Promise.all(ids.map((id) => (id % 2 ? one : other).deliver(id)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    // A duplicate is recognized by either process.
    await Promise.all(ids.slice(0, 10).map((id) => (id % 2 ? other : one).deliver(id)));
    await until(() => new Set(notes('pair').map(({ pid }) => pid)).size === 2);
    await one.kill();
    await until(() => counted('pair').size === 40);
    expect(counted('pair').size).toBe(40);
    await pause(400);
    expect([...counted('pair').values()].filter((count) => count > 1).length).toBeLessThanOrEqual(4);
    expect(new Set(notes('pair').map(({ pid }) => pid))).toEqual(new Set([one.pid, other.pid]));
  });
});

describe('a process with an inbox in SQLite that is terminated with SIGTERM', () => {
  test('every acknowledged notification is handled exactly once, by it or by the next process', async () => {
    const first = await start('deploy', { takesMs: 20, atMost: 30 });
    const acknowledged: number[] = [];
    const delivering = Array.from({ length: 60 }, async (_, question_id) => {
      await pause(question_id * 3);
      if ((await first.deliver(question_id)) === 200) acknowledged.push(question_id);
    });
    await until(() => notes('deploy').length >= 8 && acknowledged.length > 30);
    await first.terminate();
    await Promise.all(delivering);
    expect(acknowledged.length).toBeGreaterThan(notes('deploy').length);

    await start('deploy');
    await until(() => acknowledged.every((id) => counted('deploy').has(id)));
    await pause(400);
    expect(acknowledged.filter((id) => counted('deploy').get(id) !== 1)).toEqual([]);
  });
});

describe.skipIf(!hasRedis)('a process that is killed (kill -9) with the options of the BullMQ example', () => {
  test('after three kills in a row every acknowledged notification is handled', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const acknowledged: number[] = [];
    const deliverTo = async (inbox: Inbox, from: number): Promise<void> => {
      const delivering = Array.from({ length: 30 }, async (_, index) => {
        await pause(index * 3);
        if ((await inbox.deliver(from + index)) === 200) acknowledged.push(from + index);
      });
      await Promise.all(delivering);
    };
    for (let kills = 0; kills < 3; kills += 1) {
      const before = notes('bull').length;
      const inbox = await start('bull', { takesMs: 20, atMost: 15 }, redis.path);
      const delivering = deliverTo(inbox, kills * 30);
      await until(() => notes('bull').length >= before + 4 && acknowledged.length > 15 * (kills + 1));
      await inbox.kill();
      await delivering;
    }
    expect(acknowledged.length).toBeGreaterThan(counted('bull').size);
    await start('bull', undefined, redis.path);
    await until(() => acknowledged.every((id) => counted('bull').has(id)));
    expect(acknowledged.filter((id) => !counted('bull').has(id))).toEqual([]);
    expect(await redis.connect().zcard('bull:seller-inbox:failed')).toBe(0);
  });
});
