import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInbox } from 'marketplace-seller-sdk/notifications';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundled } from '../support/program.ts';
import { sharedPlaces } from '../support/shared-places.ts';
import { storeAt } from '../support/store-at.ts';

// What an inbox tells is told at least once: a process that is killed while it tells is followed by one that tells the same. A process
// that has only called `start()` lives until it is told to close.

const folder = mkdtempSync(join(tmpdir(), 'told-'));
let program: string;
beforeAll(async () => {
  program = await bundled('tests/kills/told-inbox-process.ts');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.for(sharedPlaces(folder))('an inbox in $name', ({ name, isThere, open }) => {
  test.runIf(isThere).concurrent.for([
    ['onSuccess', 'It leaves today.', 'handled'],
    ['onFailure of a message that moderation rejects', 'Call me at +54 11 4321-5678', 'not dead MessageRejectedError'],
    ['onFailure of a dead letter', 'forbidden', 'dead ForbiddenError'],
  ] as const)(
    'tells %s again after a kill, and sends nothing twice',
    async ([, text, line], { expect, onTestFinished }) => {
      const marketplace = new FakeMarketplace();
      const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
      const { user_id } = seller;
      const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
      const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
      if (text === 'forbidden')
        marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 403, times: 10 });
      const service = await marketplace.listen();
      const { where, close } = await open();
      const file = join(folder, `${randomUUID()}.txt`);
      const front = createInbox({ store: storeAt(name, where), handle: false });
      await front.add({ _id: 'one', user_id, topic: 'messages', resource: `/messages/${id}` });
      const start = (end: string) => {
        const token = marketplace.tokenFor(seller);
        const args = [program, name, where, service.url, token, String(user_id), file, end, text];
        const child = spawn(process.execPath, args, { stdio: 'ignore' });
        onTestFinished(() => void child.kill('SIGKILL'));
        return child;
      };
      const [, signal] = (await once(start('killed'), 'exit')) as [unknown, string];
      expect(signal).toBe('SIGKILL');
      expect(readFileSync(file, 'utf8')).toBe(`${line}\n`);
      const second = start('lives');
      const ended = line.startsWith('dead') ? { dead: 1 } : { rejected: line === 'handled' ? 0 : 1 };
      await expect.poll(() => front.stats()).toMatchObject({ waiting: 0, running: 0, ...ended });
      expect(readFileSync(file, 'utf8')).toBe(`${line}\n${line}\n`);
      const sent = marketplace.messages.of(pack).filter(({ from }) => from === user_id);
      expect(sent).toHaveLength(text === 'forbidden' ? 0 : 1);
      expect(second.exitCode).toBeNull();
      second.kill('SIGTERM');
      if (name === 'PostgreSQL') second.kill('SIGKILL');
      await once(second, 'exit');
      await front.close();
      await close();
      await service.close();
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
