import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OpenCounts } from '../../src/work/sql/store.js';
import { work } from '../support/work.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('an eighth of the room that was counted is used without counting again, for a second', () => {
  const counts = new OpenCounts();
  expect(counts.take(work('a'))).toBe('count');
  counts.set(work('a'), 76, 100);
  expect(Array.from({ length: 4 }, () => counts.take(work('b')))).toEqual(['free', 'free', 'free', 'count']);
  counts.set(work('a'), 0, 100);
  expect(counts.take(work('b', { owner: '8' }))).toBe('count');
  vi.advanceTimersByTime(1_001);
  expect(counts.take(work('b'))).toBe('count');
});

test.each([93, 99])('with %i of 100, each is counted', (open) => {
  const counts = new OpenCounts();
  counts.set(work('a'), open, 100);
  expect(counts.take(work('a'))).toBe('count');
});

test('what is full is so for a quarter of a second, or until something ends', () => {
  const counts = new OpenCounts();
  counts.set(work('a'), 100, 100);
  expect([counts.take(work('a')), counts.take(work('a'))]).toEqual(['full', 'full']);
  counts.freed();
  expect(counts.take(work('a'))).toBe('count');
  counts.set(work('a'), 100, 100);
  vi.advanceTimersByTime(251);
  expect(counts.take(work('a'))).toBe('count');
});
