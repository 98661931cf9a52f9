import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bundled } from '../support/program.ts';
import { sharedPlaces } from '../support/shared-places.ts';
import { storeAt } from '../support/store-at.ts';

// What an outbox tells is told at least once: a process that is killed while it tells is followed by one that tells the same.

const folder = mkdtempSync(join(tmpdir(), 'told-'));
let program: string;
beforeAll(async () => {
  program = await bundled('tests/kills/told-outbox-process.ts');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.for(sharedPlaces(folder))('an outbox in $name', ({ name, isThere, open }) => {
  test.runIf(isThere).concurrent.for([
    ['onSuccess', 'It leaves today.', 'one accepted 1'],
    ['onRejection', 'Call me at +54 11 4321-5678', 'one rejected PERSONAL_DATA'],
    ['onFailure', 'forbidden', 'one dead ForbiddenError'],
  ] as const)(
    'tells %s again after a kill, and sends nothing twice',
    async ([, text, line], { expect, onTestFinished }) => {
      const marketplace = new FakeMarketplace();
      const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
      const { user_id } = seller;
      const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
      marketplace.buyerWrites({ pack, text: 'When does it leave?' });
      if (text === 'forbidden')
        marketplace.faults.inject({ endpoint: endpoints.messages.send, status: 403, times: 10 });
      const service = await marketplace.listen();
      const { where, close } = await open();
      const file = join(folder, `${randomUUID()}.txt`);
      const outbox = createOutbox({ store: storeAt(name, where), clientFor: () => undefined });
      const input = { pack_id: pack.pack_id!, user_id, to: { user_id: buyer.user_id }, text };
      await outbox.add({ key: 'one', user_id, endpoint: endpoints.messages.send, input });

      const start = (end: string) => {
        const args = [program, name, where, service.url, marketplace.tokenFor(seller), String(user_id), file, end];
        const child = spawn(process.execPath, args, { stdio: 'ignore' });
        onTestFinished(() => void child.kill('SIGKILL'));
        return child;
      };
      expect(await once(start('killed'), 'exit')).toEqual([null, 'SIGKILL']);
      expect(readFileSync(file, 'utf8')).toBe(`${line}\n`);
      expect((await outbox.get('one'))?.state).not.toBe(line.split(' ')[1]);
      const second = start('lives');
      await expect.poll(async () => (await outbox.get('one'))?.state).toBe(line.split(' ')[1]);
      expect(readFileSync(file, 'utf8')).toBe(`${line}\n${line}\n`);
      const sent = marketplace.messages.of(pack).filter(({ from }) => from === user_id);
      expect(sent).toHaveLength(text === 'forbidden' ? 0 : 1);
      second.kill('SIGTERM');
      expect(await once(second, 'exit')).toEqual([0, null]);
      await outbox.close();
      await close();
      await service.close();
    },
  );
});
