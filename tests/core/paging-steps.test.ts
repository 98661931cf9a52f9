import { describe, expect, test } from 'vitest';
import { OffsetTracker } from '../../src/core/paging/page-reader.js';
import type { PageStep } from '../../src/core/paging/page-reader.js';

// What is requested next, page by page: the first and the last page of each kind, and the second time of each thing.

/** Reads a list of pages of three as an iteration does; `keysAt` is what the service shows at an offset. */
function readAll(
  keysAt: (offset: number, request: number) => readonly unknown[],
  total?: (request: number) => number | undefined,
) {
  const tracker = new OffsetTracker(0);
  const seen = new Set<unknown>();
  const offsets: number[] = [];
  const steps: PageStep[] = [];
  while (steps.at(-1) !== 'end' && offsets.length < 500) {
    const { offset } = tracker;
    const keys = keysAt(offset, offsets.length);
    const known = keys.map((key) => seen.has(key));
    offsets.push(offset);
    const stated = total?.(offsets.length - 1);
    steps.push(
      tracker.observe({ offset, limit: 3 }, { keys, known, length: keys.length, total: stated, limit: undefined }),
    );
    if (steps.at(-1) !== 'search') for (const key of keys) seen.add(key);
  }
  return { offsets, steps, count: seen.size };
}
const list = (length: number) => (offset: number) =>
  Array.from({ length: Math.max(0, Math.min(3, length - offset)) }, (_, index) => offset + index);

describe('a list of pages of three', () => {
  test.each([
    [0, [0]],
    [1, [0, 0]],
    [2, [0, 1]],
    [3, [0, 2]],
    [4, [0, 2, 3]],
    [5, [0, 2, 4]],
    [6, [0, 2, 4, 5]],
  ])('with %i entries is read at %j', (length, offsets) => {
    expect(readAll(list(length))).toMatchObject({ offsets, count: length });
  });

  test('whose service repeats a page ends with the fourth of the same that does not overlap the one before', () => {
    const { steps, offsets } = readAll(() => ['a', 'b', 'c']);
    expect(steps).toEqual(['advance', 'search', 'search', 'search', 'search', 'end']);
    // The page at 4 overlaps that at 2.
    expect(offsets).toEqual([0, 2, 4, 9, 17, 31]);
  });

  test.each<[number[], PageStep[]]>([
    [
      [3, 6, 9, 12],
      ['search', 'search', 'search', 'end'],
    ],
    [
      [3, 5, 8, 11, 14],
      ['search', 'search', 'search', 'search', 'end'],
    ],
    [
      [3, 4, 5, 6, 7, 8],
      ['search', 'search', 'search', 'search', 'search', 'search'],
    ],
  ])('whose service repeats a page at 0 and at %j', (offsets, expected) => {
    const observe = observing();
    observe(0, 'abc', '');
    expect(offsets.map((offset) => observe(offset, 'abc', 'abc'))).toEqual(expected);
  });

  const shown = (page: number): string[] => [page === 0 ? 'first' : `${page - 1} last`, `${page}`, `${page} last`];

  test.each([
    [1, 2, 7],
    [4, 2, 7],
    [4, 3, 9],
    [5, 2, 3],
  ])(
    'whose service repeats each page, up to %i of them for one, has of %i more pages: %i entries',
    (times, more, count) => {
      expect(readAll((_, request) => shown(Math.min(Math.floor(request / (times + 1)), more))).count).toBe(count);
    },
  );

  test('whose service shows the same pages in turn ends after 64 of them', () => {
    const { steps } = readAll((_, request) => (request % 2 === 0 ? shown(0) : shown(0).toReversed()));
    expect(steps.length).toBe(1 + 64);
  });

  test('has 64 such pages again behind each new entry', () => {
    const keysAt = (_: number, request: number): string[] => {
      const keys = shown(Math.min(Math.floor(request / 50), 4));
      return request % 2 === 0 ? keys : keys.toReversed();
    };
    expect(readAll(keysAt)).toMatchObject({ count: 11, steps: { length: 4 * 50 + 1 + 64 } });
  });

  /** Shows pages to an iteration. One of `leftOut` entries has no keys. */
  function observing() {
    const tracker = new OffsetTracker(0);
    return (offset: number, shownKeys: string, seen: string, total?: number, leftOut = 0): PageStep => {
      const keys = shownKeys.split('');
      const known = keys.map((key) => seen.includes(key));
      const page = { keys, known, length: keys.length + leftOut, total, limit: undefined };
      return tracker.observe({ offset, limit: 3 }, page);
    };
  }

  test('needs no anchor directly behind a page without new entries, and needs one at the same offset later', () => {
    const observe = observing();
    const steps = [observe(0, 'abc', '', 5), observe(2, 'c', 'c', 5), observe(3, 'de', '', 5), observe(4, '', '')];
    expect([...steps, observe(3, 'x', '')]).toEqual(['advance', 'search', 'advance', 'search', 'search']);
  });

  test('is read on behind a page of which nothing could be read, although others were repeated before', () => {
    const observe = observing();
    observe(0, 'abc', '');
    for (const offset of [3, 6, 9]) expect(observe(offset, 'abc', 'abc')).toBe('search');
    expect([observe(12, 'cde', 'c'), observe(14, '', '', undefined, 3)]).toEqual(['advance', 'search']);
  });

  test('is read on behind a page without new entries, if that or the page before states a total', () => {
    const keysAt = (offset: number): number[] => (offset < 2 ? [0, 1, 2] : offset < 4 ? [1, 2] : [3, 4]);
    for (const totals of [
      [5, 5],
      [undefined, 5],
    ])
      expect(readAll(keysAt, (request) => totals[request]).count).toBe(5);
    for (const totals of [[5], [undefined, 4], []]) expect(readAll(keysAt, (request) => totals[request]).count).toBe(3);
  });
});

test.each<[number | undefined, number | undefined, PageStep]>([
  // One entry has been removed since the first page: what is at the next offset now is not what comes next.
  [undefined, 2, 'search'],
  [3, 2, 'search'],
  [undefined, 3, 'advance'],
  [undefined, undefined, 'advance'],
  [2, 2, 'advance'],
])(
  'in a list of pages of one with the totals 3, %s and %s, a new entry behind a repeated one means: %s',
  (second, third, step) => {
    const tracker = new OffsetTracker(0);
    const observe = (offset: number, key: string, isKnown: boolean, total: number | undefined): PageStep =>
      tracker.observe({ offset, limit: 1 }, { keys: [key], known: [isKnown], length: 1, total, limit: undefined });
    expect(observe(0, 'a', false, 3)).toBe('advance');
    expect(observe(1, 'a', true, second)).toBe('search');
    expect(tracker.offset).toBe(2);
    expect(observe(2, 'b', false, third)).toBe(step);
  },
);
