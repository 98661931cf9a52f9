import { describe, expect, test, vi } from 'vitest';
import { dayMs, planOf } from '../../src/simulation/plan.js';
import { shrink } from '../../src/simulation/simulate.js';

// Of what a simulation plans, as few events are told as cause a failure.

describe('the plan of a simulation', () => {
  const kindsOfLoad = [
    'question',
    'sale',
    'sale change',
    'message',
    'cancellation',
    'answer by hand',
    'message by hand',
  ];
  const plans = Array.from({ length: 40 }, (_, seed) => planOf({ seeds: 1, bot: () => ({}) }, seed));

  test('has no event of the load after its days, in which the bot has to finish, and all kinds before', () => {
    const load = plans.flat().filter(({ kind }) => kindsOfLoad.includes(kind));
    expect(load.filter(({ at }) => at < 0 || at >= dayMs)).toEqual([]);
    expect(new Set(load.map(({ kind }) => kind))).toEqual(new Set(kindsOfLoad));
  });

  test('is in the order of its times, and tells of something only after it has begun', () => {
    for (const plan of plans) {
      expect(plan.map(({ at }) => at)).toEqual(plan.map(({ at }) => at).toSorted((a, b) => a - b));
      const begins = new Map(plan.map(({ name, at }) => [name, at]));
      for (const { about, at } of plan) if (about !== '') expect(begins.get(about) ?? -1).toBeLessThanOrEqual(at);
      expect(new Set(plan.map(({ name }) => name)).size).toBe(plan.length);
    }
  });

  test('has no kind whose share is 0', () => {
    const calm = planOf({ seeds: 1, bot: () => ({}), days: 3, load: { sales: 0, questions: 0 }, faults: 'none' }, 1);
    expect(calm).toEqual([]);
  });
});

describe('the fewest events of a failure', () => {
  const all = Array.from({ length: 9 }, (_, index) => `e${index}`);

  test.each([[[]], [['e0']], [['e8']], [['e3', 'e4']], [['e0', 'e8']]])('are %j, if these cause it', async (needed) => {
    const found = await shrink(all, 'first', (only) =>
      Promise.resolve(needed.every((name) => only.includes(name)) ? 'again' : undefined),
    );
    expect(found.only).toEqual(needed);
    expect(found.failure).toBe('again');
  });

  test('are looked for in 60 runs', async () => {
    for (const count of [1, 59, 500]) {
      const names = Array.from({ length: count }, (_, index) => `POST /a#${index + 70}: slow`);
      const attempt = vi.fn(() => Promise.resolve(undefined));
      const found = await shrink(names, 'first', attempt);
      expect(found).toEqual({ only: names, failure: 'first', runs: 60 });
      expect(attempt).toHaveBeenCalledTimes(60);
    }
  });

  test.each([
    [1, 1, 1],
    [3, 1, 1],
    [3, 2, 2],
    [3, 3, 3],
  ])('have the lowest number of %i that fails, if %i does: %i', async (number, least, expected) => {
    const fails = (only: readonly string[]): boolean =>
      only.some((name) => Number(/#(\d+): /.exec(name)?.[1]) >= least);
    const found = await shrink([`POST /a#${number}: slow`], 'first', (only) =>
      Promise.resolve(fails(only) ? 'again' : undefined),
    );
    expect(found.only).toEqual([`POST /a#${expected}: slow`]);
    // None at all, and without it; then each lower number up to that.
    expect(found.runs).toBe(2 + Math.min(expected, number - 1));
  });
});
