import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundled } from '../support/program.ts';
import { sharedPlaces } from '../support/shared-places.ts';
import { toldSale } from './told-sale.ts';

// What an inbox tells is told at least once: a process that is killed while it tells is followed by one that tells the same. A process
// that has only called `start()` lives until it is told to close.

const folder = mkdtempSync(join(tmpdir(), 'told-'));
let program: string;
beforeAll(async () => {
  program = await bundled('tests/kills/told-inbox-process.ts');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.for(sharedPlaces(folder))('an inbox in $name', (place) => {
  test.runIf(place.isThere).concurrent.for([
    ['onSuccess', 'It leaves today.', 'handled'],
    ['onRejection', 'Call me at +54 11 4321-5678', 'rejected'],
    ['onFailure of a dead letter', 'forbidden', 'dead ForbiddenError'],
  ] as const)(
    'tells %s again after a kill, and sends nothing twice',
    async ([, text, line], { expect, onTestFinished }) => {
      const { input, message_id, store, start, told, sent, close } = await toldSale({
        program,
        place,
        folder,
        text,
        onTestFinished,
      });
      const front = createInbox({ store, handle: false });
      const resource = `/messages/${message_id}`;
      await front.add({ _id: 'one', user_id: input.user_id, topic: 'messages', resource });

      const [, signal] = (await once(start('killed'), 'exit')) as [unknown, string];
      expect(signal).toBe('SIGKILL');
      expect(told()).toBe(`${line}\n`);
      const second = start('lives');
      const ended = line.startsWith('dead') ? { dead: 1 } : { rejected: line === 'handled' ? 0 : 1 };
      await expect.poll(() => front.stats()).toMatchObject({ waiting: 0, running: 0, ...ended });
      expect(told()).toBe(`${line}\n${line}\n`);
      expect(sent()).toHaveLength(text === 'forbidden' ? 0 : 1);
      expect(second.exitCode).toBeNull();
      second.kill('SIGTERM');
      if (place.name === 'PostgreSQL') second.kill('SIGKILL');
      await once(second, 'exit');
      await front.close();
      await close();
    },
  );
});

test('a process that has only called start() lives until close()', async () => {
  const started = spawn(process.execPath, [
    program,
    'SQLite',
    join(folder, 'empty.db'),
    'https://api.test',
    't',
    '7',
    '',
    'lives',
  ]);
  await once(started.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(started.exitCode).toBeNull();
  started.kill('SIGTERM');
  expect(await once(started, 'exit')).toEqual([0, null]);
});
