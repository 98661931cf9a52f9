import { simulate } from 'marketplace-seller-sdk/simulation';
import { describe, expect, test } from 'vitest';
import { botsOfExamples, botsOfPages } from './bots/all.ts';
import { failedOnce } from './failed-seeds.ts';

// Outside of `npm test`, whose days are smaller: what was found there stays mended.

const bots = [...botsOfPages(), ...botsOfExamples()];
const cases = bots.flatMap(({ name, options }) => (failedOnce[name] ?? []).map((seed) => ({ name, seed, options })));

describe('what went wrong with a seed once does not again', () => {
  test.each(cases)('$seed: $name', async ({ seed, options }) => {
    await simulate({ ...options, seeds: [seed] });
  });

  test('a seed is kept only for a bot that exists', () => {
    const names = new Set(bots.map(({ name }) => name));
    expect(Object.keys(failedOnce).filter((name) => !names.has(name))).toEqual([]);
  });
});
