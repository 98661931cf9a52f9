import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bundled } from '../support/program.ts';
import { sharedPlaces } from '../support/shared-places.ts';
import { toldSale } from './told-sale.ts';

// What an outbox tells is told at least once: a process that is killed while it tells is followed by one that tells the same.

const folder = mkdtempSync(join(tmpdir(), 'told-'));
let program: string;
beforeAll(async () => {
  program = await bundled('tests/kills/told-outbox-process.ts');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.for(sharedPlaces(folder))('an outbox in $name', (place) => {
  test.runIf(place.isThere).concurrent.for([
    ['onSuccess', 'It leaves today.', 'one accepted 1'],
    ['onRejection', 'Call me at +54 11 4321-5678', 'one rejected PERSONAL_DATA'],
    ['onFailure', 'forbidden', 'one dead ForbiddenError'],
  ] as const)(
    'tells %s again after a kill, and sends nothing twice',
    async ([, text, line], { expect, onTestFinished }) => {
      const { input, store, start, told, sent, close } = await toldSale({
        program,
        place,
        folder,
        text,
        onTestFinished,
      });
      const outbox = createOutbox({ store, clientFor: () => undefined });
      await outbox.add({ key: 'one', user_id: input.user_id, endpoint: endpoints.messages.send, input });
      const state = async (): Promise<string | undefined> => (await outbox.get('one'))?.state;

      expect(await once(start('killed'), 'exit')).toEqual([null, 'SIGKILL']);
      expect(told()).toBe(`${line}\n`);
      expect(await state()).not.toBe(line.split(' ')[1]);
      const second = start('lives');
      await expect.poll(state).toBe(line.split(' ')[1]);
      expect(told()).toBe(`${line}\n${line}\n`);
      expect(sent()).toHaveLength(text === 'forbidden' ? 0 : 1);
      second.kill('SIGTERM');
      expect(await once(second, 'exit')).toEqual([0, null]);
      await outbox.close();
      await close();
    },
  );
});
