import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compare } from '../../bench/measure.ts';
import type { Figure, Limit, Row } from '../../bench/measure.ts';
import { scenarios } from '../../bench/faults/scenarios.ts';
import { faultRows, faultsRegion, merged, page, regions, scoresOf, withRegions } from '../../bench/results.ts';
import type { Result } from '../../bench/results.ts';

const own = 'marketplace-seller-sdk';
const row = (title: string, figures: readonly Figure[]): Row => ({ title, unit: 'ms', goal: 'less', figures });
const one = (title: string, value: number): Row => row(title, [{ who: 'bare', value, range: [value - 1, value + 1] }]);

test('a benchmark replaces its own rows, and adds new ones beside them', () => {
  const first = merged([], [one('a', 10), one('b', 20), one('c', 30)], 'On Monday.');
  expect(first.map(({ title }) => title)).toEqual(['a', 'b', 'c']);
  const second = merged(first, [one('a', 11), one('a2', 12), one('b', 21)], 'On Tuesday.');
  expect(second.map(({ title }) => title)).toEqual(['a', 'a2', 'b', 'c']);
  const text = page(second);
  expect(text).toContain('## b\n\nTo reach: less. On Tuesday.\n\n| | ms | range | ratio | range |\n');
  expect(text).toContain('| bare | 21 | 20 to 22 |  |  |\n\n## c\n\nTo reach: less. On Monday.\n');
});

test('a figure is the median of its runs, compared run by run, with the lowest and the highest', () => {
  const [, ours] = compare({ bare: [10, 20, 10, 10, 10], ours: [5, 10, 6, 4, 5] });
  expect(ours).toEqual({ who: 'ours', value: 5, range: [4, 10], ratio: 0.5, ratioRange: [0.4, 0.6] });
});

test('many measurements are seven runs', () => {
  const slow = Array.from({ length: 70 }, (_, index) => (index % 10 === 9 ? 1000 : Math.floor(index / 10)));
  const [figure] = compare({ slow });
  expect(figure).toMatchObject({ value: 3, range: [0, 6] });
});

test('bold is what is lowest, and whose range touches no other', () => {
  const figures = (stripe: readonly [number, number]): Figure[] => [
    { who: own, value: 1, ratio: 0.5, ratioRange: [0.4, 0.6] },
    { who: 'Stripe', value: 1, ratio: 0.7, ratioRange: stripe },
  ];
  const tableOf = (stripe: readonly [number, number]): string => {
    const title = 'CPU of a call over loopback, 1 KB, 16 at a time';
    return regions(merged([], [row(title, figures(stripe))], '')).calls ?? '';
  };
  expect(tableOf([0.61, 0.8])).toContain('| **0.50 (0.40 to 0.60)** | – | 0.70 (0.61 to 0.80) |');
  expect(tableOf([0.6, 0.8])).toContain('| 0.50 (0.40 to 0.60) | – | 0.70 (0.60 to 0.80) |');
});

test('a row says whether its goal was met', () => {
  const figures: Figure[] = [
    { who: own, value: 4, ratio: 0.8 },
    { who: 'Stripe', value: 5, ratio: 1 },
    { who: 'ky', value: 5, ratio: 0.5 },
  ];
  const verdict = (...limits: Limit[]): string =>
    /less\.( .*\.)?/.exec(page(merged([], [{ ...row('a', figures), limits }], '')))?.[1] ?? '';
  expect(verdict({ who: own, ratio: 0.8, value: 4, below: ['Stripe'] })).toContain('Met');
  expect(verdict({ who: own, ratio: 0.79 })).toContain('Missed');
  expect(verdict({ who: own, value: 3.9 })).toContain('Missed');
  expect(verdict({ who: own, ratio: 0.8 }, { who: 'Stripe', below: [own] })).toContain('Missed');
  expect(verdict({ who: own, ratio: 1.6, of: 'ky' })).toContain('Met');
  expect(verdict({ who: own, ratio: 1.5, of: 'ky' })).toContain('Missed');
  expect(verdict({ who: 'nobody', ratio: 9 })).toContain('Missed');
  expect(page(merged([], [row('a', figures)], ''))).not.toMatch(/Met|Missed/);
});

test('the table of faults in the guide is that of bench/faults.md', () => {
  const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
  const cells = (text = ''): string[][] =>
    text
      .split('\n')
      .filter((line) => /^\|(?! *:?-)/.test(line))
      .map((line) => line.split('|').map((cell) => cell.trim()));
  const inGuide = /<!-- #region faults -->([\s\S]*?)<!-- #endregion faults -->/.exec(
    read('docs/guide/performance.md'),
  )?.[1];
  const written = faultsRegion(read('bench/faults.md'));
  expect(cells(written).length).toBeGreaterThan(15);
  expect(cells(inGuide)).toEqual(cells(written));
});

test('the scores of bench/faults.md are those of its rows, and do not count what does not apply', () => {
  const text = readFileSync(join(import.meta.dirname, '../../bench/faults.md'), 'utf8');
  const [, counted = ''] = /^\| \*\*passed[^|]*\*\* \| \| (.+) \|$/m.exec(text) ?? [];
  const rows = faultRows(text);
  expect(rows.map(([name]) => name)).toEqual(scenarios.map(({ name }) => name));
  expect(counted.replaceAll('**', '').split(' | ')).toEqual(scoresOf(rows));
  expect(
    scoresOf([
      ['a', '', '✓ yes', '– no'],
      ['b', '', '✗ no', '✓ yes'],
    ]),
  ).toEqual(['1 of 2', '1 of 1']);
});

test('the days on which the shown rows were measured are on one line', () => {
  const results = ['import alone', 'packages installed', 'installed, with dependencies'].map((title, index) => ({
    ...row(title, []),
    origin: `Measured on 2026-11-2${3 - index} with Node v24.`,
  }));
  const { legend = '' } = regions(results);
  expect(legend.split('\n').slice(3)).toEqual(['Measured on 2026-11-21, 2026-11-22, and 2026-11-23 with Node v24.']);
});

test('a document keeps everything outside its regions', () => {
  const text =
    'About <!-- #region kib -->1<!-- #endregion kib --> KiB.\n\n<!-- #region x -->\n\nold\n\n<!-- #endregion x -->\n';
  expect(withRegions(text, { kib: '67' })).toBe(text.replace('>1<', '>67<'));
  expect(withRegions(text, { x: 'new' })).toBe(text.replace('old', 'new'));
  const empty = text.replace('old', '');
  expect(withRegions(empty, { x: 'new' })).toBe(text.replace('old', 'new'));
});

test('the README and the guide show the figures of bench/results.json', () => {
  const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
  const contents = regions(JSON.parse(read('bench/results.json')) as Result[]);
  const figures = (text = ''): string[] => text.match(/\d[\d.]*/g) ?? [];
  const shown = new Map<string, string>();
  for (const document of ['README.md', 'docs/index.md', 'docs/guide/performance.md'])
    for (const [, name = '', text = ''] of read(document).matchAll(
      /<!-- #region (\S+) -->([\s\S]*?)<!-- #endregion \1 -->/g,
    )) {
      if (!(name in contents)) continue;
      shown.set(name, text);
      expect({ document, name, figures: figures(text) }).toEqual({ document, name, figures: figures(contents[name]) });
    }
  expect([...shown.keys()].toSorted()).toEqual(Object.keys(contents).toSorted());
});
