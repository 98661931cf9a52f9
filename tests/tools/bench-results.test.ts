import { expect, test } from 'vitest';
import type { Row } from '../../bench/measure.ts';
import { pageWith } from '../../bench/results.ts';

const row = (title: string, value: number): Row => ({
  title,
  unit: 'ms',
  goal: 'less',
  figures: [{ who: 'bare', value, spread: [value - 1, value + 1], ratio: 1 }],
});
const titles = (page: string): string[] => [...page.matchAll(/^## (.*)/gm)].map(([, title = '']) => title);

test('a benchmark replaces its own rows, and adds new ones beside them', () => {
  const first = pageWith('', [row('a', 10), row('b', 20), row('c', 30)], 'On Monday.');
  expect(titles(first)).toEqual(['a', 'b', 'c']);
  const second = pageWith(first, [row('a', 11), row('a2', 12), row('b', 21)], 'On Tuesday.');
  expect(titles(second)).toEqual(['a', 'a2', 'b', 'c']);
  expect(second).toContain('## b\n\nTo reach: less. On Tuesday.\n\n| | ms | middle half | ratio |\n');
  expect(second).toContain('| bare | 21.0 | 20.0 to 22.0 | 1.00 |\n\n## c\n\nTo reach: less. On Monday.\n');
  expect(second).not.toContain('20.0 |');
  expect(pageWith(second, [], '')).toBe(second);
});
