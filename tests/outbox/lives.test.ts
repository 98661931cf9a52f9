import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { newFiles } from '../support/new-files.ts';
import { bundled } from '../support/program.ts';
import { silentLogger } from '../support/silent.ts';

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

test('old jobs are looked for until none is left, once a minute whatever the clock says, and not after close()', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const store = Object.assign(memoryStore(), { durable: true });
  const left = [2, 1, 0];
  const reduceOld = vi.spyOn(store, 'reduceOld').mockImplementation(async () => left.shift() ?? 0);
  const create = () =>
    createOutbox({ store, clientFor: () => undefined, retry: { maxRetries: 0 }, logger: silentLogger });
  const [closed, outbox] = [create(), create()];
  // One is closed while it starts.
  for (const each of [closed, outbox]) void each.start();
  await closed.close();
  for (let round = 0; round < 4; round += 1) {
    for (const key of ['a', 'b'])
      await outbox.add({ key: `${key}${round}`, user_id: 7, contact: { pack_id: 1, user_id: 7, text: 'Hi' } });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reduceOld).toHaveBeenCalledTimes(3 + round);
    vi.setSystemTime(Date.now() - 86_400_000);
    await vi.advanceTimersByTimeAsync(60_000);
  }
  const [letter] = await outbox.deadLetters.list();
  await closed.deadLetters.replay(letter!.entry.key);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await outbox.deadLetters.list()).at(-1)?.entry).toEqual(letter!.entry);
  await outbox.close();
  expect(vi.getTimerCount()).toBe(0);
});
