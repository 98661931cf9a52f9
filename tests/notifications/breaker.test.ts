import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { createReceiver } from 'marketplace-seller-sdk/notifications';
import type { Receiver } from 'marketplace-seller-sdk/notifications';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NotFoundBreaker } from '../../src/notifications/handling/not-found-breaker.js';
import { about } from '../support/deliveries.ts';
import { loadClientFirst } from '../support/fake-time.ts';
import { silent } from '../support/silent.ts';

loadClientFirst();
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const minute = 60_000;
const tick = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A seller whose notifications are forged, and when what was read or searched. */
function forged() {
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser({ user_id: 7 });
  const { item_id } = marketplace.addItem({ seller_id: 7 });
  const startedAt = Date.now();
  const reads: number[] = [];
  const searches: number[] = [];
  const handled: number[] = [];
  const client = marketplace.clientFor(seller, {
    fetch: (request: Request) => {
      (request.url.includes('/search') ? searches : reads).push(Date.now() - startedAt);
      return marketplace.fetch(request);
    },
  });
  const receiver = createReceiver({
    clientFor: () => client,
    on: { questions: async (_, { read }) => void handled.push((await read()).id) },
    onFailure: silent,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    retry: { attempts: 1_000, baseMs: 20_000, capMs: 20_000 },
  });
  const ask = () => marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it new?' }).id;
  return { receiver, reads, searches, handled, ask };
}

let next = 900_000_000;
async function flood(receiver: Receiver, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => (next += 1));
  await Promise.all(ids.map((id) => receiver.add(about(id, { _id: `forged-${id}` }))));
}

const within = (times: readonly number[], from: number, to: number) => times.filter((ms) => ms >= from && ms < to);

test('after its first minute the breaker lets one read through, and stays open for twice as long after each 404', async () => {
  const { receiver, reads } = forged();
  await flood(receiver, 60);
  await tick(minute);
  const first = within(reads, 0, minute).length;
  expect(first).toBeGreaterThanOrEqual(20);
  // Those that had begun when it opened end.
  expect(first).toBeLessThanOrEqual(20 + 32);
  await tick(7 * minute);
  // Open until 1, then for 2 and 4 minutes more: one read at the end of each.
  const trials = within(reads, minute, 8 * minute).map((ms) => Math.floor(ms / minute));
  expect(trials).toEqual([1, 3, 7]);
  await receiver.close({ graceMs: 0 });
});

test('it closes again when the one that is let through exists, and then everything is read', async () => {
  const { receiver, reads, handled, ask } = forged();
  await flood(receiver, 60);
  await tick(minute - 1_000);
  const ids = Array.from({ length: 5 }, ask);
  for (const id of ids) await receiver.add(about(id, { _id: `true-${id}` }));
  await tick(1_000);
  // The search has confirmed them.
  expect(handled.toSorted((a, b) => a - b)).toEqual(ids);
  const before = reads.length;
  for (const letter of await receiver.deadLetters.list()) await receiver.deadLetters.remove(letter.entry.key);
  await tick(3 * minute);
  const another = ask();
  await receiver.add(about(another, { _id: `true-${another}` }));
  await tick(10_000);
  expect(handled).toContain(another);
  expect(reads.length).toBeGreaterThan(before);
  await receiver.close({ graceMs: 0 });
});

test('long after its first minute, a true question is confirmed by one search at most twice a second', async () => {
  const { receiver, searches, handled, ask } = forged();
  await flood(receiver, 60);
  await tick(4 * minute);
  const from = searches.length;
  const ids: number[] = [];
  for (let second = 0; second < 5; second += 1) {
    const id = ask();
    ids.push(id);
    await receiver.add(about(id, { _id: `true-${id}` }));
    await tick(1_000);
    expect(handled).toEqual(ids);
  }
  expect(searches.length - from).toBeGreaterThanOrEqual(5);
  const gaps = searches.slice(1).map((ms, index) => ms - searches[index]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500);
  await receiver.close({ graceMs: 0 });
});

test('forged questions of a seller do not stop the reading of their messages', async () => {
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser({ user_id: 7 }), marketplace.addUser()];
  const pack = marketplace.addPack({ seller_id: 7, buyer_id: buyer.user_id });
  const read: unknown[] = [];
  const receiver = createReceiver({
    clientFor: () => marketplace.clientFor(seller),
    on: {
      questions: async (_, context) => {
        await context.read();
      },
      messages: async (_, { read: message }) => {
        read.push((await message()).text);
      },
    },
    onFailure: silent,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  await flood(receiver, 60);
  await tick(1_000);
  const { id } = marketplace.buyerWrites({ pack, text: 'Where is it?' });
  await receiver.add({ user_id: 7, topic: 'messages', resource: id, _id: 'true' });
  await tick(1_000);
  expect(read).toEqual(['Where is it?']);
  await receiver.close({ graceMs: 0 });
});

describe('the 404s of a user', () => {
  /** The state after 404s at these times, in milliseconds. */
  function after(times: readonly number[]): { breaker: NotFoundBreaker; opened: string[] } {
    const opened: string[] = [];
    const breaker = new NotFoundBreaker((name) => void opened.push(name));
    const startedAt = performance.now();
    for (const at of times) {
      vi.advanceTimersByTime(startedAt + at - performance.now());
      breaker.onEnd('7', breaker.state('7'), true);
    }
    return { breaker, opened };
  }
  const several = (count: number, at: number): number[] => Array<number>(count).fill(at);

  test.each<[string, number[], 'closed' | 'open']>([
    ['19 at once', several(19, 0), 'closed'],
    ['20 at once', several(20, 0), 'open'],
    ['20 within a minute', [...several(19, 0), minute], 'open'],
    ['20 within more than a minute', [...several(19, 0), minute + 1], 'closed'],
    ['19 in each of three minutes', [0, 1, 2].flatMap((n) => several(19, n * (minute + 1))), 'closed'],
    ['20 in the second minute', [...several(19, 0), ...several(20, minute + 1)], 'open'],
  ])('%s: the breaker is %s', (_, times, state) => {
    const { breaker, opened } = after(times);
    expect(breaker.state('7')).toBe(state);
    expect(breaker.state('8')).toBe('closed');
    expect(opened).toEqual(state === 'open' ? ['7'] : []);
  });

  test('open it again after it has closed', () => {
    const { breaker, opened } = after(several(20, 0));
    vi.advanceTimersByTime(minute);
    expect(['7', '7'].map((name) => breaker.state(name))).toEqual(['trial', 'open']);
    breaker.onEnd('7', 'trial', false);
    for (let count = 0; count < 20; count += 1) breaker.onEnd('7', breaker.state('7'), true);
    expect(breaker.state('7')).toBe('open');
    expect(opened).toEqual(['7', '7']);
  });
});
