import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { botsOfPages, named } from './bots/all.ts';
import { testBadDaysOf } from './bots/bad-days.ts';

const bots = botsOfPages();

describe('on bad days, nothing goes wrong that its page does not name', () => {
  testBadDaysOf(bots);

  test.each(named)('%s: %s says "%s"', (_, page, sentence) => {
    expect(readFileSync(join(import.meta.dirname, '../..', page), 'utf8').replace(/\s+/g, ' ')).toContain(sentence);
  });

  test('there are many of them', () => {
    expect(bots.length).toBeGreaterThan(9);
  });
});
