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

test('what is full is so for a quarter of a second, or until something is removed', () => {
  const counts = new OpenCounts();
  counts.set(work('a'), 100, 100);
  expect([counts.take(work('a')), counts.take(work('a'))]).toEqual(['full', 'full']);
  counts.forgetFull();
  expect(counts.take(work('a'))).toBe('count');
  counts.set(work('a'), 100, 100);
  vi.advanceTimersByTime(251);
  expect(counts.take(work('a'))).toBe('count');
});

test('what has ended here makes room for one, also where all was full', () => {
  const counts = new OpenCounts();
  counts.set(work('a'), 100, 100);
  counts.ended(work('a'));
  expect([counts.take(work('b')), counts.take(work('c'))]).toEqual(['free', 'full']);
  counts.ended(work('a', { owner: '8' }));
  expect(counts.take(work('c', { owner: '8' }))).toBe('count');
});

test('what takes long to count is not counted each second', () => {
  const counts = new OpenCounts();
  counts.set(work('a'), 5_000, 10_000);
  vi.advanceTimersByTime(49_000);
  expect(counts.take(work('a'))).toBe('free');
  vi.advanceTimersByTime(1_001);
  expect(counts.take(work('a'))).toBe('count');
});
