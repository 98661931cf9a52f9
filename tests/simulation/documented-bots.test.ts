import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { botsOfExamples, botsOfPages, named } from './bots/all.ts';
import { testBadDaysOf } from './bots/bad-days.ts';
import { failedOnce } from './failed-seeds.ts';

const bots = botsOfPages();

describe('on bad days, nothing goes wrong that its page does not name, and the same seed gives the same trace', () => {
  testBadDaysOf(bots);

  test.each(named)('%s: %s says "%s"', (_, page, sentence) => {
    expect(readFileSync(join(import.meta.dirname, '../..', page), 'utf8').replace(/\s+/g, ' ')).toContain(sentence);
  });

  test('there are many of them, and a seed is kept only for one that exists', () => {
    const names = [...bots, ...botsOfExamples()].map(({ name }) => name);
    expect(bots.length).toBeGreaterThan(9);
    expect(Object.keys(failedOnce).filter((name) => !names.includes(name))).toEqual([]);
  });
});
