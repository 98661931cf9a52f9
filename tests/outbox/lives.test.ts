import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newFiles } from '../support/new-files.ts';
import { bundled } from '../support/program.ts';

// What keeps a process alive: `start()`, until `close()`. Nothing else does: a program that only adds or waits ends.

const newFile = newFiles();
let program: string;
beforeAll(async () => {
  program = await bundled('tests/outbox/living-process.ts');
});

function start(...args: string[]) {
  const child = spawn(process.execPath, [program, newFile(), ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  return { child, ended };
}

// What keeps it alive is not of the store; that of both is closed by both.
test.for([
  { room: 'inbox', store: 'memory' },
  { room: 'outbox', store: 'SQLite' },
  { room: 'both', store: 'SQLite' },
])('a process with $room in $store that is started lives until it is closed', async ({ room, store }) => {
  const { child, ended } = start(room, store, 'start');
  await once(child.stdout, 'data');
  await pause(500);
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

// If one of the two kept the process alive, both would.
test.for(['memory', 'SQLite'])('a process with both in %s that only waits and adds ends', async (store) => {
  expect(await start('both', store, 'use').ended).toEqual([0, null]);
});

test.for(['inbox', 'outbox', 'both'])(
  'a process with an %s that starts on a file of another layout ends, and says why',
  async (room) => {
    const { child, ended } = start(room, 'SQLite', 'start', 'foreign');
    let text = '';
    child.stderr.on('data', (part) => (text += String(part)));
    expect(await ended).toEqual([1, null]);
    expect(text).toContain(
      'sqliteStore cannot open its database (the file belongs to another program; use a file of its own)',
    );
  },
);
