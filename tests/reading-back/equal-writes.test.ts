import type { Confirmation, Endpoint, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { createMarketplace } from '../support/marketplace.ts';
import { receiving } from '../support/stubs.ts';

// Of equal writes, as many are told as done as were carried out, in whatever order, by whom and how often they are asked for.

/** How a write ends: with its response, or without it, after the marketplace has carried it out or not. */
type End = 'response' | 'lost' | 'not carried out';

interface EqualWrite {
  readonly endpoint: Endpoint;
  readonly input: unknown;
  readonly user_id: number;
  /** Whether the marketplace carries out a second one. */
  readonly repeats: boolean;
}

type Shop = ReturnType<typeof createShop>;

function createShop() {
  const { marketplace, seller_id, buyer_id: buyer, question_id } = createMarketplace();
  const { item_id } = marketplace.addItem({ seller_id });
  const pack = marketplace.addPack({ seller_id, buyer_id: buyer });
  marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
  const { messages, questions } = endpoints;
  const text = 'It leaves today.';
  const message = { pack_id: String(pack.pack_id), user_id: seller_id, to: { user_id: buyer }, text };
  const writes: Readonly<Record<string, EqualWrite>> = {
    'messages.send': { endpoint: messages.send, input: message, user_id: seller_id, repeats: true },
    'questions.ask': { endpoint: questions.ask, input: { item_id, text }, user_id: buyer, repeats: true },
    'questions.answer': {
      endpoint: questions.answer,
      input: { question_id, text },
      user_id: seller_id,
      repeats: false,
    },
  };
  return { marketplace, writes };
}

/** A client of another process: that has a `fetch` of its own. */
const restarted = ({ marketplace }: Shop, write: EqualWrite): SellerClient =>
  marketplace.clientFor(write, { fetch: receiving((request) => marketplace.fetch(request)) });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The ways in which a number of writes can end. */
function endsOf(count: number, { repeats }: EqualWrite): End[][] {
  const ends: readonly End[] = ['response', 'lost', 'not carried out'];
  const longer = (rows: End[][]): End[][] => rows.flatMap((row) => ends.map((end) => [...row, end]));
  const all = Array.from({ length: count }).reduce<End[][]>(longer, [[]]);
  const carriedOut = (row: readonly End[]): number => row.filter((end) => end !== 'not carried out').length;
  const possible = repeats ? all : all.filter((row) => carriedOut(row) <= 1);
  // Of three with responses, those in which each end comes once: fewer ends beside a response are shown by two writes.
  return possible.filter((row) => row.length < 3 || !row.includes('response') || new Set(row).size === 3);
}

interface Sent {
  readonly sentAt: number;
  readonly error: OutcomeUnknownError | undefined;
}

/** Sends equal writes, one every 300 ms. */
async function sendAll(
  { marketplace }: Shop,
  { endpoint, input }: EqualWrite,
  ends: readonly End[],
  clientOf: (n: number) => SellerClient,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const [n, end] of ends.entries()) {
    await vi.advanceTimersByTimeAsync(300);
    if (end !== 'response') marketplace.faults.inject({ reset: end === 'lost' ? 'after' : 'before', endpoint });
    const sentAt = Date.now();
    const failure = (error: unknown): OutcomeUnknownError => error as OutcomeUnknownError;
    const call = clientOf(n)
      .call(endpoint, input)
      .then(() => undefined, failure);
    sent.push({ sentAt, error: await advanceUntilSettled(call) });
  }
  return sent;
}

/** Asks for a write that was lost. */
type Ask = (shop: Shop, write: EqualWrite, lost: Sent, clients: readonly SellerClient[]) => Promise<Confirmation>;

const now = { confirmWindowMs: 0 };
const ways: Readonly<Record<string, Ask>> = {
  'error.confirm()': (_, __, { error }) => error!.confirm(now),
  'the client of the first': (_, { endpoint, input }, { sentAt }, [client]) =>
    client!.confirm(endpoint, input, { sentAt, ...now }),
  'another client': ({ marketplace }, write, { sentAt }) =>
    marketplace.clientFor(write).confirm(write.endpoint, write.input, { sentAt, ...now }),
};

const names = Object.keys(createShop().writes);
const cases = names.flatMap((name) => [1, 2, 3].map((count) => ({ name, count })));

describe.each(cases)('$count equal writes of $name', ({ name, count }) => {
  const allEnds = endsOf(count, createShop().writes[name]!);
  const countOf = (told: readonly Confirmation[], done: boolean): number =>
    told.filter((each) => each.done === done).length;

  test.each(Object.entries(ways))('are told apart by %s, also in reverse and asked twice', async (way, ask) => {
    for (const ends of allEnds)
      for (const isReversed of [false, true]) {
        const shop = createShop();
        const write = shop.writes[name]!;
        const clients = ends.map(() => shop.marketplace.clientFor(write));
        const sent = await sendAll(shop, write, ends, (n) => clients[way === 'error.confirm()' ? 0 : n]!);
        const lost = sent.filter(({ error }) => error);
        const told: Confirmation[] = [];
        for (const each of isReversed ? lost.toReversed() : lost) {
          told.push(await advanceUntilSettled(ask(shop, write, each, clients)));
          if (way === 'error.confirm()')
            expect(await advanceUntilSettled(each.error!.confirm(now))).toEqual(told.at(-1));
        }
        const carriedOut = ends.filter((end) => end === 'lost').length;
        const shown = `${ends.join(', ')}: ${JSON.stringify(told)}`;
        expect([countOf(told, true), countOf(told, false)], shown).toEqual([carriedOut, lost.length - carriedOut]);
      }
  });

  test('after a restart as well, if each of them is asked for', async () => {
    for (const ends of allEnds.filter((row) => !row.includes('response'))) {
      const shop = createShop();
      const write = shop.writes[name]!;
      const before = shop.marketplace.clientFor(write);
      const sent = await sendAll(shop, write, ends, () => before);
      const after = restarted(shop, write);
      const told: Confirmation[] = [];
      for (const { sentAt } of sent)
        told.push(await advanceUntilSettled(after.confirm(write.endpoint, write.input, { sentAt, ...now })));
      expect(countOf(told, true), ends.join(', ')).toBe(ends.filter((end) => end === 'lost').length);
    }
  });
});

/** One of two equal writes under way: when the service carries it out, and when its call ends, in milliseconds. */
interface Overlapping {
  readonly end: End;
  readonly actsMs: number;
  readonly endsMs: number;
}

const overlaps = (['response', 'lost', 'not carried out'] as const).flatMap((slow) =>
  (['lost', 'not carried out'] as const).flatMap((fast) =>
    [0, 1].flatMap((slowAt) =>
      (slow === 'not carried out' ? [0] : [0, 1500]).map((actsMs) => {
        const pair: Overlapping[] = [{ end: fast, actsMs: 0, endsMs: 400 }];
        pair.splice(slowAt, 0, { end: slow, actsMs, endsMs: 2000 });
        const title = `${pair[0]!.end} and ${pair[1]!.end}, number ${slowAt} is slow, and done after ${actsMs} ms`;
        return { title, pair, slowAt };
      }),
    ),
  ),
);

/** Sends two equal writes, the second one 300 ms after the first. */
async function overlap(name: string, pair: readonly Overlapping[]) {
  const { marketplace, writes } = createShop();
  const write = writes[name]!;
  const left = [...pair];
  const counts = { carriedOut: 0, responses: 0 };
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const client = marketplace.clientFor(write, {
    maxRetries: 0,
    fetch: receiving(async (request) => {
      if (request.method === 'GET') return marketplace.fetch(request);
      const { end, actsMs, endsMs } = left.shift()!;
      await pause(actsMs);
      const response = end === 'not carried out' ? undefined : await marketplace.fetch(request);
      if (response?.ok) counts.carriedOut += 1;
      await pause(endsMs - actsMs);
      if (!response || end === 'lost') throw new TypeError('fetch failed');
      if (response.ok) counts.responses += 1;
      return response;
    }),
  });
  const calls: { sentAt: number; ended: Promise<unknown> }[] = [];
  while (calls.length < pair.length) {
    await vi.advanceTimersByTimeAsync(300);
    const call = client.call(write.endpoint, write.input);
    const failure = (error: unknown): unknown => error;
    calls.push({ sentAt: Date.now(), ended: call.then(() => undefined, failure) });
  }
  const ask = (n: number) =>
    advanceUntilSettled(client.confirm(write.endpoint, write.input, { sentAt: calls[n]!.sentAt, ...now }));
  return { calls, counts, ask };
}

describe.each(names)('two equal writes of %s that are under way at the same time', (name) => {
  test.each(overlaps)('$title: each is told what it came to, whenever it is asked for', async ({ pair, slowAt }) => {
    const fastAt = 1 - slowAt;
    for (const asksEarly of [[], [slowAt, fastAt], [fastAt, slowAt]]) {
      const { calls, counts, ask } = await overlap(name, pair);
      const lost = [(await advanceUntilSettled(calls[fastAt]!.ended)) as OutcomeUnknownError];
      const told = new Map<number, Confirmation>();
      for (const n of asksEarly) told.set(n, await ask(n));
      // Its call may still carry it out, or be rejected.
      expect(told.get(slowAt)?.done).toBeUndefined();
      lost.push((await advanceUntilSettled(calls[slowAt]!.ended)) as OutcomeUnknownError);
      const unknown = [fastAt, slowAt].filter((_, index) => lost[index]?.outcomeUnknown);
      for (const n of unknown)
        if (told.get(n)?.done === undefined)
          told.set(n, await advanceUntilSettled(lost[n === fastAt ? 0 : 1]!.confirm(now)));
      const known = unknown.map((n) => told.get(n)?.done);
      const shown = JSON.stringify({ asksEarly, known });
      expect(known.filter((done) => done === true).length, shown).toBe(counts.carriedOut - counts.responses);
      expect(known, shown).not.toContain(undefined);
    }
  });
});

test('a seller with two clients gets two messages for two equal texts, of which one response is lost', async () => {
  const { marketplace, writes } = createShop();
  const { endpoint, input, user_id } = writes['messages.send']!;
  const clients = [1, 2].map(() => marketplace.clientFor({ user_id }, { unknownOutcome: 'confirm' }));
  await advanceUntilSettled(clients[0]!.call(endpoint, input));
  await vi.advanceTimersByTimeAsync(300);
  marketplace.faults.inject({ reset: 'before', endpoint });
  await advanceUntilSettled(clients[1]!.call(endpoint, input));
  expect(marketplace.messages.all.filter(({ from }) => from === user_id)).toHaveLength(2);
});

test('a client that is derived for another service knows nothing of the writes to the first one', async () => {
  const shops = [createShop(), createShop()];
  const urls = ['https://api.one.example', 'https://api.two.example'];
  const fetch = receiving(async (request) => {
    const index = urls.findIndex((url) => request.url.startsWith(url));
    const { marketplace } = shops[index]!;
    return marketplace.fetch(new Request(request.url.replace(urls[index]!, marketplace.baseUrl), request));
  });
  const { endpoint, input, user_id } = shops[0]!.writes['messages.send']!;
  const tokens = shops.map(({ marketplace }) => marketplace.tokenFor({ user_id }));
  const first = shops[0]!.marketplace.clientFor({ user_id }, { baseUrl: urls[0]!, fetch, accessToken: tokens[0]! });
  await advanceUntilSettled(first.call(endpoint, input));
  shops[1]!.marketplace.faults.inject({ reset: 'after', endpoint });
  const second = first.withOptions({ baseUrl: urls[1]!, accessToken: tokens[1]! });
  const error = await advanceUntilSettled(
    second.call(endpoint, input).then(
      () => undefined,
      (lost: unknown) => lost,
    ),
  );
  expect(await advanceUntilSettled((error as OutcomeUnknownError).confirm(now))).toMatchObject({ done: true });
});
