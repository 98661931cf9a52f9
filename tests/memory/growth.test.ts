import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { getHeapSnapshot } from 'node:v8';
import { SellerClient } from 'marketplace-seller-sdk';
import type { OutcomeUnknownError } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler, handleNow } from 'marketplace-seller-sdk/inbox';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { about, post } from '../support/deliveries.ts';
import { advanceUntilSettled, loadClientFirst } from '../support/fake-time.ts';
import { collectGarbage } from '../support/garbage.ts';
import { newFiles } from '../support/new-files.ts';
import { silentLogger } from '../support/silent.ts';
import { errorOf, networkFault, wireQuestion } from '../support/stubs.ts';

// After use, failure, abort and `close`, and a day later, nothing is left of each time: no object, no listener, no timer.

const day = 86_400_000;
const newFile = newFiles();
loadClientFirst();
beforeEach(() => {
  vi.useFakeTimers({
    now: Date.parse('2026-11-20T10:00:00.000Z'),
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
});
afterEach(() => void vi.useRealTimers());

/** How many objects and functions of each name there are. */
async function countObjects(): Promise<ReadonlyMap<string, number>> {
  for (let turn = 0; turn < 10; turn += 1) {
    collectGarbage();
    // What is called for collected objects gives others free.
    await turnOfTheLoop();
  }
  const chunks: Buffer[] = [];
  for await (const chunk of getHeapSnapshot()) chunks.push(chunk as Buffer);
  const { snapshot, nodes, strings } = JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly snapshot: { readonly meta: { readonly node_fields: string[]; readonly node_types: [string[]] } };
    readonly nodes: readonly number[];
    readonly strings: readonly string[];
  };
  const types = snapshot.meta.node_types[0];
  const counts = new Map<string, number>();
  for (let node = 0; node < nodes.length; node += snapshot.meta.node_fields.length) {
    const type = types[nodes[node]!]!;
    if (type !== 'object' && type !== 'closure') continue;
    const name = `${type} ${strings[nodes[node + 1]!]!}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const times = 16;

/** What happens again and again, each time with another number. */
type Happens = (n: number) => Promise<unknown>;

/** What there is more of after all of them have happened as often again, and a day has passed. */
async function grownBy(scenarios: readonly (() => Happens)[]): Promise<readonly string[]> {
  const happen = scenarios.map((create) => create());
  let timers = 0;
  const repeat = async (from: number): Promise<void> => {
    for (let n = from; n < from + times; n += 1) for (const each of happen) await advanceUntilSettled(each(n));
    timers = vi.getTimerCount();
    await vi.advanceTimersByTimeAsync(day + 60_000);
    // Some forget at their next use.
    for (const each of happen) await advanceUntilSettled(each(from + times));
  };
  await repeat(1000);
  const before = await countObjects();
  await repeat(2000);
  const after = await countObjects();
  expect(timers).toBeLessThan(times);
  return [...after].flatMap(([name, count]) => {
    const more = count - (before.get(name) ?? 0);
    return more > times / 2 ? [`${more} more: ${name}`] : [];
  });
}

/** A service that has each question, and whose responses fail by the id. */
async function service(url: string, { method, signal }: { method: string; signal?: AbortSignal | null }) {
  signal?.throwIfAborted();
  await turnOfTheLoop();
  const id = Number(/\/questions\/(\d+)/.exec(url)?.[1]);
  if (method === 'POST') throw networkFault('ECONNRESET');
  if (id % 10 === 4) return Response.json({ message: 'not found' }, { status: 404 });
  if (id % 10 === 5) return Response.json({}, { status: 429, headers: { 'retry-after': '1' } });
  if (url.includes('/search'))
    return Response.json({
      total: 2,
      limit: 1,
      questions: [{ ...wireQuestion, seller_id: Number(new URL(url).searchParams.get('seller_id')) }],
    });
  return Response.json({ ...wireQuestion, id, status: 'ANSWERED', answer: { text: 'Yes.', status: 'ACTIVE' } });
}
let services = 0;
/** Of another service each time: what a process knows of one is by a clock that begins anew in each test. */
const createClient = () =>
  new SellerClient({ baseUrl: `https://${(services += 1)}.test`, fetch: service, accessToken: 'token-1' });

const told = (id: number): object =>
  about(id, { user_id: id, sent: new Date().toISOString(), received: new Date().toISOString() });
const ofInbox = (client = createClient()): InboxOptions => ({
  clientFor: () => client,
  on: {
    questions: async ({ resource }, { read }) => {
      await read();
      if (resource.endsWith('1')) throw new Error('no');
    },
  },
  retry: { maxRetries: 1 },
  logger: silentLogger,
});
const ofOutbox = (client = createClient()) => ({ clientFor: () => client, logger: silentLogger });
const job = (n: number) => {
  return {
    key: `${n}`,
    user_id: 7,
    endpoint: endpoints.questions.answer,
    input: { question_id: n * 10, text: 'Yes.' },
  };
};
/** Of these, nothing is kept. */
const ended: Readonly<Record<string, () => Happens>> = {
  'a client': () => {
    const [client, { signal }] = [createClient(), new AbortController()];
    const ofTokens = [1, 2, 3].map((seller) => client.withOptions({ accessToken: () => `token-${seller}` }));
    return async (n) => {
      const { questions } = ofTokens[n % 3]!.withOptions({ headers: { 'x-call': `${n}` } });
      await questions.get({ question_id: n * 10 }, { signal });
      await errorOf(questions.get({ question_id: n * 10 + 4 }));
      await errorOf(questions.get({ question_id: n * 10 + 5 }, { deadlineMs: day }));
      const controller = new AbortController();
      const aborted = errorOf(questions.get({ question_id: n * 10 }, { signal: controller.signal }));
      controller.abort();
      await aborted;
      for await (const { id } of questions.search({ seller_id: n }, { signal })) if (id) break;
      const lost = await errorOf<OutcomeUnknownError>(questions.answer({ question_id: n * 10, text: 'Yes.' }));
      await lost.confirm();
    };
  },
  'the sellers of a program': () => {
    const [client, tokens] = [createClient(), sqliteTokens(newFile())];
    return async (n) => {
      const refresh = () => ({ accessToken: `a-${n}`, refreshToken: `r-${n}`, expiresAt: Date.now() + day });
      const sellers = createSellers({ client, tokens, refresh });
      await sellers.add({ user_id: n, accessToken: 'old', refreshToken: 'r', expiresAt: Date.now() - 1 });
      await (await sellers.for(n))!.questions.get({ question_id: n * 10 });
      await tokens.remove(n);
      await sellers.close();
    };
  },
  'an inbox that is opened again': () => {
    const [options, path] = [ofInbox(), newFile()];
    return async (n) => {
      const inbox = createInbox({ ...options, store: sqliteStore(path) });
      inbox.start();
      await fetchHandler(inbox)(post(told(n * 10)));
      await inbox.idle();
      await inbox.close();
    };
  },
  'the fake marketplace': () => {
    const marketplace = new FakeMarketplace();
    return async (n) => {
      const [seller, buyer] = [marketplace.addUser({ user_id: n }), marketplace.addUser()];
      marketplace.addItem({ item_id: 'MLA1', seller_id: n });
      marketplace.ask({ from: buyer, item_id: 'MLA1', text: 'Hi?' });
      await marketplace.clientFor(seller).questions.search({ seller_id: n }).first();
      marketplace.reset();
      const listening = await marketplace.listen({ controls: true });
      await listening.close();
    };
  },
};

/** Of these, a store and a process keep plain data for longer: what was handled, which writes there were. */
const remembered: Readonly<Record<string, () => Happens>> = {
  'an inbox': () => {
    const inbox = createInbox({ ...ofInbox(), store: memoryStore() });
    inbox.start();
    return async (n) => {
      for (const id of [n * 10, n * 10 + 4, n * 10, n * 10 + 1]) await fetchHandler(inbox)(post(told(id)));
      await inbox.idle();
      for (const { entry } of await inbox.deadLetters.list()) await inbox.deadLetters.remove(entry.key);
      await inbox.stats();
    };
  },
  'handleNow()': () => {
    const options = ofInbox();
    return (n) => handleNow(post(told(n * 10)), options);
  },
  'an outbox': () => {
    const outbox = createOutbox({ ...ofOutbox(), store: memoryStore() });
    outbox.start();
    return async (n) => {
      await outbox.add(job(n));
      await outbox.idle();
    };
  },
  'an outbox that is opened again': () => {
    const [options, path] = [ofOutbox(), newFile()];
    return async (n) => {
      const outbox = createOutbox({ ...options, store: sqliteStore(path) });
      outbox.start();
      await outbox.add(job(n));
      await outbox.idle();
      await outbox.close();
    };
  },
};

test('nothing is left of what has ended', async () => {
  expect(await grownBy(Object.values(ended))).toEqual([]);
});

test('of what is remembered, plain data alone is left', async () => {
  const found = await grownBy(Object.values(remembered));
  expect(found.filter((each) => !/: object (?:Object|Array)$/.test(each))).toEqual([]);
});
