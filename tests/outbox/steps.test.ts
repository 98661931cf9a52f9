import { writeFileSync } from 'node:fs';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import type { Outbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { expect, test } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { storedKey } from '../../src/outbox/open-outbox.js';
import { createSale } from '../support/marketplace.ts';
import { newFiles } from '../support/new-files.ts';
import { silentLogger } from '../support/silent.ts';
import { receiving } from '../support/stubs.ts';

// What the next process would know, whenever this one is killed: each step that is done, before the next one begins.

const file = newFiles()('invoice.pdf');
writeFileSync(file, '%PDF-1.7 an invoice');

const names = ['upload', 'message', 'answer'] as const;

function shop() {
  const { marketplace, seller, buyer, user_id, message } = createSale('Could I have an invoice?');
  const { item_id } = marketplace.addItem({ seller_id: user_id });
  const store = memoryStore();
  /** Of each request, how many writes came before it, and how many steps the store had as done. */
  const seen: { writes: number; stored: number }[] = [];
  let writes = 0;
  const client = marketplace.clientFor(seller, {
    maxRetries: 0,
    fetch: receiving(async (request) => {
      const { notes } = (await store.get(storedKey('one')))!;
      seen.push({ writes, stored: Array.isArray(notes.outputs) ? notes.outputs.length : 0 });
      if (request.method === 'POST') writes += 1;
      return marketplace.fetch(request);
    }),
  });
  let texts = 0;
  const stepOf = (name: (typeof names)[number]): never => {
    const text = `Text ${(texts += 1)}.`;
    if (name === 'message') return { endpoint: endpoints.messages.send, input: { ...message, text } } as never;
    if (name === 'upload') return { endpoint: endpoints.messages.upload, input: { site_id: 'MLA', file } } as never;
    const { id } = marketplace.ask({ from: buyer, item_id, text: `Question ${text}` });
    return { endpoint: endpoints.questions.answer, input: { question_id: id, text } } as never;
  };
  const outbox: Outbox = createOutbox({ store, clientFor: () => client, logger: silentLogger });
  return { outbox, user_id, stepOf, seen };
}

test('the store has each step that is done before the first request of the next one', async () => {
  const uploads = fc.integer({ min: 0, max: 3 });
  const part = fc.oneof(
    uploads.map((count) => [...Array<'upload'>(count).fill('upload'), 'message' as const]),
    fc.constant(['answer' as const]),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 3 }), async (parts) => {
      const { outbox, user_id, stepOf, seen } = shop();
      const steps = parts.flat().map(stepOf);
      outbox.start();
      await outbox.add({ key: 'one', user_id, steps });
      expect(await outbox.settled('one')).toMatchObject({ state: 'accepted' });
      expect(seen.map(({ stored }) => stored)).toEqual(seen.map(({ writes }) => writes));
      expect(seen.at(-1)?.stored).toBe(steps.length - 1);
      await outbox.close();
    }),
    { numRuns: 40 },
  );
});
