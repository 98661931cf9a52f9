import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TopicArrivals, topicsWith } from '../../src/notifications/topic-arrivals.js';
import { MemoryLedger } from '../../src/work/memory-ledger.js';

// When notifications of a topic arrived last: twice within a second, of the hundredth topic and of one more, and by two processes.

const start = 1_900_000_000_000;
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: start }));
afterEach(() => void vi.useRealTimers());

test.each([
  [999, 0],
  [1000, 1000],
  [1001, 1001],
])('an arrival %i ms after another one of its topic is noted as %i ms later', async (ms, expected) => {
  const arrivals = new TopicArrivals(new MemoryLedger());
  await arrivals.note('items');
  vi.advanceTimersByTime(ms);
  await arrivals.note('items');
  await arrivals.note('orders');
  expect(await arrivals.read()).toEqual({ items: start + expected, orders: start + ms });
});

test.each([99, 100, 101, 102])('of %i topics, the hundred that arrived last are kept', async (count) => {
  const ledger = new MemoryLedger();
  const arrivals = new TopicArrivals(ledger);
  for (let topic = 0; topic < count; topic += 1) {
    await arrivals.note(`t${topic}`);
    vi.advanceTimersByTime(1);
  }
  const kept = Object.keys(await arrivals.read()).map((topic) => Number(topic.slice(1)));
  expect(kept.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, topic) => topic).slice(-100));
});

test('two processes note beside each other, and the later of two arrivals of a topic stays', async () => {
  const ledger = new MemoryLedger();
  const [first, second] = [new TopicArrivals(ledger), new TopicArrivals(ledger)];
  await first.note('items');
  vi.advanceTimersByTime(1);
  await second.note('items');
  await second.note('orders');
  expect(await first.read()).toEqual({ items: start + 1, orders: start + 1 });
});

test('an arrival that could not be noted is noted with the next one, also within a second', async () => {
  const ledger = new MemoryLedger();
  const arrivals = new TopicArrivals(ledger);
  vi.spyOn(ledger, 'replace').mockRejectedValueOnce(new Error('the disk is full'));
  await arrivals.note('items');
  expect(await arrivals.read()).toEqual({});
  await arrivals.note('items');
  expect(await arrivals.read()).toEqual({ items: start });
});

describe('the topics of stats', () => {
  test.each<[string, Record<string, number>, [string, object][], object]>([
    ['none', {}, [], {}],
    ['one that waits', {}, [['a', { waiting: 2, lastArrivalAt: 5 }]], { a: { waiting: 2, lastArrivalAt: 5 } }],
    ['one that arrived', { a: 5 }, [], { a: { waiting: 0, lastArrivalAt: 5 } }],
    [
      'one that waits, and arrived later',
      { a: 9 },
      [['a', { waiting: 1, lastArrivalAt: 5 }]],
      { a: { waiting: 1, lastArrivalAt: 9 } },
    ],
    [
      'one that waits, and arrived before',
      { a: 3 },
      [['a', { waiting: 1, lastArrivalAt: 5 }]],
      { a: { waiting: 1, lastArrivalAt: 5 } },
    ],
    [
      'two',
      { a: 9 },
      [['b', { waiting: 1, lastArrivalAt: 5, oldestAgeMs: 7 }]],
      { a: { waiting: 0, lastArrivalAt: 9 }, b: { waiting: 1, lastArrivalAt: 5, oldestAgeMs: 7 } },
    ],
  ])('are those of arrivals and of what waits: %s', (_, arrivals, waiting, expected) => {
    expect(topicsWith(arrivals, waiting as Parameters<typeof topicsWith>[1])).toEqual(expected);
  });
});
