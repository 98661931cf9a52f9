import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundled } from '../support/program.ts';

// What keeps a process alive: `start()`, until `close()`. Nothing else does: a program that only adds or waits ends.

const folder = mkdtempSync(join(tmpdir(), 'lives-'));
let program: string;
beforeAll(async () => {
  program = await bundled('tests/outbox/living-process.ts');
});
afterAll(() => rmSync(folder, { recursive: true }));

const rooms = ['inbox', 'outbox', 'both'] as const;
const stores = ['memory', 'SQLite'] as const;
const all = rooms.flatMap((room) => stores.map((store) => ({ room, store })));

function start(...args: string[]) {
  const child = spawn(process.execPath, [program, join(folder, `${crypto.randomUUID()}.db`), ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  return { child, ended };
}

test.for(all)('a process with $room in $store that is started lives until it is closed', async ({ room, store }) => {
  const { child, ended } = start(room, store, 'start');
  await once(child.stdout, 'data');
  await pause(500);
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test.for(all.flatMap((each) => (['add', 'idle'] as const).map((act) => ({ ...each, act }))))(
  'a process with $room in $store that only calls $act ends',
  async ({ room, store, act }) => {
    expect(await start(room, store, act).ended).toEqual([0, null]);
  },
);
