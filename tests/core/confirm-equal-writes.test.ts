import type { Confirmation, Endpoint, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { createMarketplace } from '../support/marketplace.ts';
import { receiving } from '../support/stubs.ts';

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
  const { marketplace, seller, seller_id, buyer_id, question_id } = createMarketplace();
  const { item_id } = marketplace.addItem({ seller_id });
  const pack = marketplace.addPack({ seller_id, buyer_id });
  marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
  const text = 'It leaves today.';
  const message = { pack_id: String(pack.pack_id), user_id: seller_id, to: { user_id: buyer_id }, text };
  const writes: Readonly<Record<string, EqualWrite>> = {
    'messages.send': { endpoint: endpoints.messages.send, input: message, user_id: seller_id, repeats: true },
    'questions.ask': { endpoint: endpoints.questions.ask, input: { item_id, text }, user_id: buyer_id, repeats: true },
    'questions.answer': {
      endpoint: endpoints.questions.answer,
      input: { question_id, text },
      user_id: seller_id,
      repeats: false,
    },
  };
  return { marketplace, seller, writes };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The ways in which a number of writes can end. */
function endsOf(count: number, { repeats }: EqualWrite): End[][] {
  const ends: readonly End[] = ['response', 'lost', 'not carried out'];
  const all = Array.from({ length: count }).reduce<End[][]>(
    (rows) => rows.flatMap((row) => ends.map((end) => [...row, end])),
    [[]],
  );
  const carriedOut = (row: readonly End[]): number => row.filter((end) => end !== 'not carried out').length;
  const possible = repeats ? all : all.filter((row) => carriedOut(row) <= 1);
  // Of three with responses, those in which each end comes once: fewer ends beside a response are shown by two writes.
  return possible.filter((row) => row.length < 3 || !row.includes('response') || new Set(row).size === 3);
}

interface Sent {
  readonly end: End;
  readonly sentAt: number;
  readonly error: OutcomeUnknownError | undefined;
}

/** Sends equal writes, one every 300 ms. */
async function sendAll(
  shop: Shop,
  { endpoint, input }: EqualWrite,
  ends: readonly End[],
  clientOf: (n: number) => SellerClient,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const [n, end] of ends.entries()) {
    await vi.advanceTimersByTimeAsync(300);
    if (end !== 'response') shop.marketplace.faults.inject({ reset: end === 'lost' ? 'after' : 'before', endpoint });
    const sentAt = Date.now();
    const call = clientOf(n)
      .call(endpoint, input)
      .then(
        () => undefined,
        (error: unknown) => error as OutcomeUnknownError,
      );
    sent.push({ end, sentAt, error: await advanceUntilSettled(call) });
  }
  return sent;
}

const names = Object.keys(createShop().writes);
const cases = names.flatMap((name) => [1, 2, 3].map((count) => ({ name, count })));
const ways = ['error.confirm()', 'seller.confirm()', 'seller.confirm() of a second client'] as const;

describe.each(cases)('$count equal writes of $name', ({ name, count }) => {
  test.each(ways)('as many are told as done as were carried out, by %s', async (way) => {
    for (const ends of endsOf(count, createShop().writes[name]!)) {
      // What is not lost has no order.
      for (const isReversed of ends.filter((end) => end !== 'response').length > 1 ? [false, true] : [false]) {
        const shop = createShop();
        const write = shop.writes[name]!;
        const clients = ends.map(() => shop.marketplace.clientFor(write));
        const sent = await sendAll(shop, write, ends, (n) => clients[way === 'error.confirm()' ? 0 : n]!);
        const lost = sent.filter(({ error }) => error);
        const told: Confirmation[] = [];
        for (const { error, sentAt } of isReversed ? lost.toReversed() : lost) {
          const other = shop.marketplace.clientFor(write);
          const client = way === 'seller.confirm()' ? clients[0]! : other;
          const asked =
            way === 'error.confirm()'
              ? error!.confirm({ confirmWindowMs: 0 })
              : client.confirm(write.endpoint, write.input, { sentAt, confirmWindowMs: 0 });
          told.push(await advanceUntilSettled(asked));
        }
        const carriedOut = ends.filter((end) => end === 'lost').length;
        const shown = `${ends.join(', ')}: ${JSON.stringify(told.map(({ done, unknown }) => done ?? unknown))}`;
        expect(
          told.filter(({ done }) => done === true),
          shown,
        ).toHaveLength(carriedOut);
        expect(
          told.filter(({ done }) => done === false),
          shown,
        ).toHaveLength(lost.length - carriedOut);
      }
    }
  });

  test('after a restart as well, if each of them is asked for', async () => {
    for (const ends of endsOf(count, createShop().writes[name]!).filter((row) => !row.includes('response'))) {
      const shop = createShop();
      const write = shop.writes[name]!;
      const before = shop.marketplace.clientFor(write);
      const sent = await sendAll(shop, write, ends, () => before);
      // A `fetch` of its own stands for a process of its own.
      const after = shop.marketplace.clientFor(write, {
        fetch: receiving((request) => shop.marketplace.fetch(request)),
      });
      const told: Confirmation[] = [];
      for (const { sentAt } of sent)
        told.push(
          await advanceUntilSettled(after.confirm(write.endpoint, write.input, { sentAt, confirmWindowMs: 0 })),
        );
      const carriedOut = ends.filter((end) => end === 'lost').length;
      expect(
        told.filter(({ done }) => done === true),
        ends.join(', '),
      ).toHaveLength(carriedOut);
    }
  });

  test('asked twice, a write is told the same', async () => {
    for (const ends of endsOf(count, createShop().writes[name]!)) {
      const shop = createShop();
      const write = shop.writes[name]!;
      const client = shop.marketplace.clientFor(write);
      const sent = await sendAll(shop, write, ends, () => client);
      for (const { error } of sent) {
        if (!error) continue;
        const first = await advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }));
        expect(await advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }))).toEqual(first);
      }
    }
  });
});

test('a seller with two clients gets two messages for two equal texts, of which one response is lost', async () => {
  const shop = createShop();
  const write = shop.writes['messages.send']!;
  const options = { unknownOutcome: 'confirm' } as const;
  const clients = [1, 2].map(() => shop.marketplace.clientFor(write, options));
  await advanceUntilSettled(clients[0]!.call(write.endpoint, write.input));
  await vi.advanceTimersByTimeAsync(300);
  shop.marketplace.faults.inject({ reset: 'before', endpoint: write.endpoint });
  await advanceUntilSettled(clients[1]!.call(write.endpoint, write.input));
  expect(shop.marketplace.messages.all.filter(({ from }) => from === write.user_id)).toHaveLength(2);
});

/** One of two equal writes that are under way at the same time. */
interface Overlapping {
  readonly end: End;
  /** When the service carries it out, and when its call ends, in milliseconds after it was sent. */
  readonly actsMs: number;
  readonly endsMs: number;
}

const overlaps = (['response', 'lost', 'not carried out'] as const).flatMap((slow) =>
  (['lost', 'not carried out'] as const).flatMap((fast) =>
    [0, 1].flatMap((slowAt) =>
      (slow === 'not carried out' ? [0] : [0, 1_500]).map((actsMs) => {
        const pair: Overlapping[] = [{ end: fast, actsMs: 0, endsMs: 400 }];
        pair.splice(slowAt, 0, { end: slow, actsMs, endsMs: 2_000 });
        const title = `${pair.map(({ end }) => end).join(' and ')}, the ${slowAt ? 'second' : 'first'} slow, done after ${actsMs} ms`;
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
    const ended = client.call(write.endpoint, write.input).then(
      () => undefined,
      (error: unknown) => error,
    );
    calls.push({ sentAt: Date.now(), ended });
  }
  const ask = (n: number) => {
    const { sentAt } = calls[n]!;
    return advanceUntilSettled(client.confirm(write.endpoint, write.input, { sentAt, confirmWindowMs: 0 }));
  };
  return { calls, counts, ask };
}

describe.each(names)('two equal writes of %s that are under way at the same time', (name) => {
  test.each(overlaps)('$title: each is told what it came to, whenever it is asked for', async ({ pair, slowAt }) => {
    const fastAt = 1 - slowAt;
    // What is under way is the same for every endpoint; what is read back is not.
    const others = name === names[0] ? [[fastAt], [slowAt], [fastAt, slowAt]] : [];
    for (const asksEarly of [[], [slowAt, fastAt], ...others]) {
      const { calls, counts, ask } = await overlap(name, pair);
      const lost = [(await advanceUntilSettled(calls[fastAt]!.ended)) as OutcomeUnknownError];
      const told = new Map<number, Confirmation>();
      for (const n of asksEarly) told.set(n, await ask(n));
      // Its call may still carry it out, or be rejected.
      expect(told.get(slowAt)?.done).toBeUndefined();
      lost.push((await advanceUntilSettled(calls[slowAt]!.ended)) as OutcomeUnknownError);
      for (const [at, error] of [fastAt, slowAt].map((n, index) => [n, lost[index]] as const))
        if (error?.outcomeUnknown && told.get(at)?.done === undefined)
          told.set(at, await advanceUntilSettled(error.confirm({ confirmWindowMs: 0 })));
      const known = [fastAt, slowAt].filter((_, index) => lost[index]?.outcomeUnknown).map((n) => told.get(n));
      const shown = JSON.stringify({ asksEarly, known });
      const count = (done: boolean) => known.filter((each) => each?.done === done).length;
      expect(count(true), shown).toBe(counts.carriedOut - counts.responses);
      expect(count(true) + count(false), shown).toBe(known.length);
    }
  });
});
