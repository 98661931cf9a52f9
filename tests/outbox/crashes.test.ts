import { writeFileSync } from 'node:fs';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { InnerStore as Store } from '../../src/work/store.js';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { beforeAll, expect, test } from 'vitest';
import { advanceBetweenRequests, fakeTimersOfInbox, loadClientFirst } from '../support/fake-time.ts';
import { fc } from '../support/fast-check.ts';
import { createSale } from '../support/marketplace.ts';
import { mortal } from '../support/mortal.ts';
import { newFiles } from '../support/new-files.ts';
import { silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';
import { receiving } from '../support/stubs.ts';

const newFile = newFiles();
const file = newFile('invoice.pdf');

beforeAll(() => writeFileSync(file, '%PDF-1.7 an invoice'));
loadClientFirst();
fakeTimersOfInbox();

/** Where a process stops: at a request, before or after the service has carried it out, or when its response is there. */
interface Stop {
  readonly request: number;
  readonly at: 'before' | 'after' | 'response';
}

const never = new Promise<never>(() => undefined);
let inFlight = 0;

/** Works through an outbox with a process that stops again and again; the last one runs to its end. */
async function workThrough(stops: readonly Stop[]) {
  const { marketplace, seller, user_id, message, pack } = createSale('Could I have an invoice?');
  const { site_id } = seller;
  const { pack_id } = message;
  const path = newFile();
  const send = (text: string) => ({ endpoint: endpoints.messages.send, input: { ...message, text } });
  const stopped: Store[] = [];
  for (const stop of [...stops, undefined]) {
    const store = sqliteStore(path);
    const { process, mortalStore } = mortal(store);
    const end = Promise.withResolvers<undefined>();
    let requests = 0;
    const client = marketplace.clientFor(
      { user_id },
      {
        maxRetries: 0,
        fetch: receiving(async (request) => {
          requests += 1;
          const here = requests === stop?.request ? stop.at : undefined;
          inFlight += 1;
          const response = here === 'before' ? undefined : await marketplace.fetch(request);
          inFlight -= 1;
          if (!here) return process.isStopped ? never : response!;
          process.isStopped = true;
          end.resolve(undefined);
          return here === 'response' ? response! : never;
        }),
      },
    );
    const options = { clientFor: () => client, logger: silentLogger, concurrency: 2, leaseMs: 3_000 };
    const outbox = createOutbox({ store: mortalStore, ...options });
    await outbox.add({ key: 'text', user_id, ...send('It leaves today.') });
    // Two equal jobs need two messages.
    await outbox.add({ key: 'thanks', user_id, ...send('Thank you!') });
    await outbox.add({ key: 'thanks again', user_id, contact: { pack_id, user_id, text: 'Thank you!' } });
    const text = 'Your invoice: https://shop.example.com/42';
    const option = { pack_id, option_id: 'SEND_INVOICE_LINK', text } as const;
    await outbox.add({ key: 'link', user_id, endpoint: endpoints.actionGuide.send, input: option });
    const upload = { endpoint: endpoints.messages.upload, input: { site_id, file } };
    await outbox.add({ key: 'pdf', user_id, steps: [upload, send('Here is your invoice.')] });
    void outbox.start();
    await advanceBetweenRequests(Promise.race([untilEnded(outbox), end.promise]), () => inFlight);
    stopped.push(store);
    if (stop && process.isStopped) continue;
    const jobs = await outbox.list();
    const sent = marketplace.messages.of(pack).filter(({ from }) => from === user_id);
    await Promise.all(stopped.map(async (each) => each.close?.()));
    return { jobs, sent: sent.map((each) => each.text) };
  }
  throw new Error('unreachable');
}

const texts = ['Here is your invoice.', 'It leaves today.', 'Thank you!', 'Thank you!', 'Your invoice: https://shop.example.com/42']; // prettier-ignore

function expectOnce({ jobs, sent }: Awaited<ReturnType<typeof workThrough>>): void {
  expect(jobs.map(({ state, reason }) => reason ?? state)).toEqual(jobs.map(() => 'accepted'));
  expect(sent.toSorted()).toEqual(texts);
}

test('a process that does not stop sends everything', async () => {
  expectOnce(await workThrough([]));
});

const all = Array.from({ length: 8 }, (_, index) => index + 1);
const stops = all.flatMap((request) => (['before', 'after', 'response'] as const).map((at) => ({ request, at })));

test.each(stops)('a process that stops at request $request, $at: everything is sent once', async (stop) => {
  expectOnce(await workThrough([stop]));
});

test('a message is found to be missing once another one of a process that stopped is read back', async () => {
  const [first, second, third] = [
    { request: 4, at: 'before' },
    { request: 2, at: 'before' },
    { request: 3, at: 'after' },
  ] as const;
  expectOnce(await workThrough([first, second, third]));
});

test('processes that stop again and again send everything once, and nothing is left for a person', async () => {
  const stop = fc.record({
    request: fc.integer({ min: 1, max: 8 }),
    at: fc.constantFrom<Stop['at']>('before', 'after', 'response'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(stop, { maxLength: 5 }), async (each) => expectOnce(await workThrough(each))),
    // `npm run test:kills` kills real processes, at any moment.
    { numRuns: 5 },
  );
});
