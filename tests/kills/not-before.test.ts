import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bundled } from '../support/program.ts';
import { sharedPlaces } from '../support/shared-places.ts';
import { toldSale } from './told-sale.ts';

// A job with `notBefore` is sent once, and not before that time, whatever kills and deploys there are around it.

const folder = mkdtempSync(join(tmpdir(), 'not-before-'));
let program: string;
beforeAll(async () => {
  program = await bundled('tests/kills/told-outbox-process.ts');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.for(sharedPlaces(folder))('an outbox in $name', (place) => {
  test.runIf(place.isThere)('sends nothing early, and each job once', async ({ expect, onTestFinished }) => {
    const text = 'Has it arrived?';
    const { input, store, start, sent, close } = await toldSale({ program, place, folder, text, onTestFinished });
    const outbox = createOutbox({ store, clientFor: () => undefined });
    const begins = Array.from({ length: 12 }, (_, index) => Date.now() + 500 * (index + 1));
    for (const [index, at] of begins.entries())
      await outbox.add({
        key: `job-${index}`,
        user_id: input.user_id,
        notBefore: new Date(at),
        endpoint: endpoints.messages.send,
        input: { ...input, text: `${text} ${index}` },
      });
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGKILL', 'SIGTERM'] as const) {
      const child = start('lives');
      await pause(1_200);
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    const last = start('lives');
    await expect.poll(async () => (await outbox.stats()).accepted).toBe(begins.length);
    const messages = sent();
    expect(messages.map((each) => each.text).toSorted()).toEqual(
      begins.map((_, index) => `${text} ${index}`).toSorted(),
    );
    // The clock of the server of PostgreSQL is known to some milliseconds.
    const early = messages.filter((each) => each.sentAt < begins[Number(each.text.slice(text.length))]! - 50);
    expect(early).toEqual([]);
    last.kill('SIGTERM');
    await once(last, 'exit');
    await outbox.close();
    await close();
  });
});
