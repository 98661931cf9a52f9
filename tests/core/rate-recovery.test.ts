import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AdaptiveRate } from '../../src/core/limits/bucket.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { stubbed, wireQuestion } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** `advanceUntilSettled` advances by so much at a time. */
const tickMs = 25;

type Verdict = (request: number) => boolean;

/** A client of a service that responds 429 to the requests that `isThrottled` names, counted from 1. */
function serviceWith(latencyMs: number, isThrottled: Verdict, headers: Record<string, string>) {
  return stubbed([
    async (_, turn) => {
      await new Promise((resolve) => setTimeout(resolve, latencyMs));
      return isThrottled(turn) ? Response.json({}, { status: 429, headers }) : Response.json(wireQuestion);
    },
  ]);
}

type Client = ReturnType<typeof stubbed>['sellerClient'];

/** Makes one call after the other, and returns how long each took, in milliseconds. */
async function oneAfterTheOther(client: Client, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let each = 0; each < count; each += 1) {
    const startedAt = performance.now();
    await advanceUntilSettled(client.questions.get({ question_id: 1 }).withResponse());
    took.push(Math.round(performance.now() - startedAt));
  }
  return took;
}

const cases = [2, 50, 300].flatMap((latencyMs, row) =>
  [1, 2, 3, 6, 12, 20, 49, 51, 80].map((at, column) => {
    return { latencyMs, at, headers: (row + column) % 2 === 0 ? {} : { 'retry-after': '1' } };
  }),
);

describe('a program that makes one call after the other', () => {
  test.each(cases)(
    'is at full speed after a 429 to request $at ($latencyMs ms, $headers)',
    async ({ latencyMs, at, headers }) => {
      const { sellerClient } = serviceWith(latencyMs, (turn) => turn === at, headers);
      const before = await oneAfterTheOther(sellerClient, at);
      expect(Math.max(...before)).toBeLessThanOrEqual(2 * (latencyMs + tickMs) + 1100);
      const after = await oneAfterTheOther(sellerClient, 30);
      expect(after.filter((ms) => ms > latencyMs + tickMs)).toEqual([]);
    },
  );

  test('is at full speed after a 429 to one of several calls at once', async () => {
    for (const at of [1, 3, 5]) {
      const { sellerClient } = serviceWith(20, (turn) => turn === at, {});
      const calls = Array.from({ length: 5 }, () => sellerClient.questions.get({ question_id: 1 }));
      await advanceUntilSettled(Promise.all(calls));
      // The first one may still have the rate of the calls before.
      const [, ...after] = await oneAfterTheOther(sellerClient, 30);
      expect(after.filter((ms) => ms > 20 + tickMs)).toEqual([]);
    }
  });

  test('is slowed down where the service has a limit, and gets faster again when the limit is gone', async () => {
    let isLimited = true;
    let [second, count] = [-1, 0];
    const isThrottled = (): boolean => {
      const now = Math.floor(performance.now() / 1000);
      if (now !== second) [second, count] = [now, 0];
      return isLimited && ++count > 10;
    };
    const { sellerClient, sent } = serviceWith(5, isThrottled, {});
    await oneAfterTheOther(sellerClient, 100);
    expect(sent.length).toBeLessThanOrEqual(125);
    isLimited = false;
    const startedAt = performance.now();
    let last = [Infinity];
    while (Math.max(...last) > 5 + tickMs && performance.now() - startedAt < 60_000)
      last = await oneAfterTheOther(sellerClient, 10);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});

describe('the rate after an event is seven tenths of what was accepted in a second', () => {
  const ten = Array<number>(10).fill(0);
  test.each<[string, number[], number[], number | undefined]>([
    ['of that second', ten, [500], 7],
    ['of the second before, if that was more', [...ten, 1000], [1100], 7],
    ['and not of an earlier one', [...ten, 2000], [2100], 0.7],
    ['and not of one before a pause', [...ten, 60_000], [60_100], 0.7],
    ['unknown two seconds after the last one', ten, [2000], undefined],
    ['unknown without any', [], [500], undefined],
    ['cut once a second', ten, [500, 1000], 7],
  ])('%s', (_, accepted, cuts, expected) => {
    const rate = new AdaptiveRate();
    for (const at of accepted) rate.accept(at);
    for (const at of cuts) rate.cut(at);
    const found = rate.perSecond(cuts[0] ?? 0);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(expected);
  });
});
