import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SqliteOutbox } from '../../examples/sqlite-outbox.ts';
import { run } from '../support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'outbox-'));
const file = join(folder, 'invoice.pdf');
beforeAll(() => writeFileSync(file, '%PDF-1.7 an invoice'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Where a process stops: at a request, before or after the service has carried it out, or when its response is there. */
interface Stop {
  readonly request: number;
  readonly at: 'before' | 'after' | 'response';
}

let databases = 0;

/** Works through an outbox with a process that stops again and again; the last one runs to its end. */
async function workThrough(stops: readonly Stop[]) {
  const marketplace = new FakeMarketplace();
  const { user_id, site_id } = marketplace.addUser();
  const buyer = marketplace.addUser();
  const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
  marketplace.buyerWrites({ pack, text: 'Could I have an invoice?' });
  const pack_id = pack.pack_id ?? 0;
  const path = join(folder, `${String((databases += 1))}.db`);
  const message = (text: string) => ({ pack_id, user_id, to: { user_id: buyer.user_id }, text });
  let requests = 0;
  for (const stop of [...stops, undefined]) {
    requests = 0;
    let outbox: SqliteOutbox | undefined;
    await new Promise<void>((resolve, reject) => {
      const fetch = async (request: Request): Promise<Response> => {
        requests += 1;
        if (requests !== stop?.request) return marketplace.fetch(request);
        const response = stop.at === 'before' ? undefined : await marketplace.fetch(request);
        // A process without a database can no longer do anything that another one could notice.
        outbox?.close();
        if (stop.at === 'response' && response) return response;
        resolve();
        return new Promise<never>(() => undefined);
      };
      const client = marketplace.clientFor({ user_id }, { fetch, maxRetries: 0 });
      outbox = new SqliteOutbox(path, client, { site_id, confirmWindowMs: 0 });
      outbox.add('text', { kind: 'message', input: message('It leaves today.') });
      const text = 'Your invoice: https://shop.example.com/42';
      outbox.add('link', { kind: 'option', input: { pack_id, option_id: 'SEND_INVOICE_LINK', text } });
      outbox.add('pdf', { kind: 'message', input: message('Here is your invoice.'), file });
      // The last process sends again what was interrupted.
      outbox.flush().then(resolve, stop ? () => resolve() : reject);
    });
    if (stop) continue;
    const rows = outbox!.rows();
    outbox!.close();
    const sent = marketplace.messages.of(pack).filter(({ from }) => from === user_id);
    return { rows, sent, requests };
  }
  throw new Error('unreachable');
}

/** No message twice, and each row sent, or left for a person who is told why. */
function expectOnce({ rows, sent }: Awaited<ReturnType<typeof workThrough>>): void {
  const texts = sent.map(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
  for (const row of rows) {
    const isSent = texts.includes((JSON.parse(row.input) as { text: string }).text);
    expect(row).toMatchObject(
      row.state === 'sent' ? {} : { state: 'for a person', reason: expect.any(String) as string },
    );
    if (row.state === 'sent') expect(isSent).toBe(true);
  }
}

test('a process that does not stop sends everything', async () => {
  const { rows, sent, requests } = await workThrough([]);
  expect(rows.map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
  expect(sent).toHaveLength(3);
  expect(requests).toBe(4);
});

const stops = [1, 2, 3, 4].flatMap((request) =>
  (['before', 'after', 'response'] as const).map((at) => ({ request, at })),
);

test.each(stops)('a process that stops at request $request, $at: nothing is sent twice', async (stop) => {
  expectOnce(await workThrough([stop]));
});

test('processes that stop again and again send nothing twice', async () => {
  const stop = fc.record({
    request: fc.integer({ min: 1, max: 6 }),
    at: fc.constantFrom('before', 'after', 'response'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(stop, { maxLength: 5 }), async (all) => expectOnce(await workThrough(all as Stop[]))),
    // `npm run test:kills` kills real processes, at any moment.
    { numRuns: 8 },
  );
});

test('the example ends with both jobs sent, and one message with a file', async () => {
  const { output, status } = await run('examples/outbox.ts');
  expect(output).toContain("'invoice-42-link: sent', 'invoice-42-pdf: open'");
  expect(output).toContain("'invoice-42-link: sent', 'invoice-42-pdf: sent'");
  expect(output).toContain('messages with a file: 1');
  expect(status).toBe(0);
});
