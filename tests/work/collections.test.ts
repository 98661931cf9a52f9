import { describe, expect, test, vi } from 'vitest';
import { FifoMap } from '../../src/work/fifo-map.js';
import { SortedList } from '../../src/work/memory.js';
import { fc } from '../support/fast-check.ts';

test('a sorted list has the first and the last of its items, whatever was added and deleted', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean())), (changes) => {
      const list = new SortedList<number>((a, b) => a < b);
      const expected = new Set<number>();
      for (const [item, isAdded] of changes) {
        if (!isAdded) {
          list.delete(item);
          expected.delete(item);
        } else if (!expected.has(item)) {
          list.add(item);
          expected.add(item);
        }
        const sorted = [...expected].sort((a, b) => a - b);
        expect([list.first, list.last]).toEqual([sorted[0], sorted.at(-1)]);
      }
    }),
  );
});

describe('a map whose oldest entry is found', () => {
  test('has the oldest entry of a plain map', () => {
    const change = fc.record({
      what: fc.constantFrom('set' as const, 'delete' as const, 'deleteOldest' as const, 'clear' as const),
      key: fc.constantFrom('a', 'b', 'c'),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const map = new FifoMap<number>();
        const expected = new Map<string, number>();
        for (const { what, key: name } of changes) {
          const changed = what === 'deleteOldest' ? (map.oldest() ?? name) : name;
          for (const each of [map, expected]) {
            if (what === 'set') each.set(changed, 1);
            else if (what === 'clear') each.clear();
            else each.delete(changed);
          }
          expect(map.oldest()).toBe([...expected.keys()][0]);
        }
      }),
    );
  });

  test('finds it with one iterator, however many entries there are: a new one passes over all that were deleted', () => {
    const made = (['keys', 'values', 'entries', 'forEach'] as const).map((name) => vi.spyOn(Map.prototype, name));
    made.push(vi.spyOn(Map.prototype, Symbol.iterator) as never);
    const map = new FifoMap<number>();
    for (let index = 0; index < 1_000; index += 1) map.set(`k${index}`, index);
    for (let index = 1_000; index < 3_000; index += 1) {
      map.set(`k${index}`, index);
      map.delete(map.oldest() ?? '');
    }
    const iterators = made.reduce((count, { mock }) => count + mock.calls.length, 0);
    vi.restoreAllMocks();
    expect(iterators).toBe(1);
    expect(map.oldest()).toBe('k2000');
  });

  test('keeps no more entries than its limit', () => {
    const map = new FifoMap<number>(2);
    for (const name of ['a', 'b', 'a', 'c']) map.set(name, 1);
    expect([...map.keys()]).toEqual(['b', 'c']);
  });
});
