import { expect, test } from 'vitest';
import { FifoMap } from '../../src/work/fifo-map.js';
import { fc } from '../support/fast-check.ts';

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('set' as const), key: keys }),
    fc.record({ kind: fc.constant('delete' as const), key: keys }),
    fc.record({ kind: fc.constantFrom('oldest' as const, 'clear' as const), key: fc.constant('') }),
  ),
  { maxLength: 40 },
);

test('a map in the order of insertion is a list of its latest keys, whose first one is the oldest', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (all, limit) => {
      const map = new FifoMap<number>(limit);
      let model: string[] = [];
      for (const { kind, key } of all) {
        if (kind === 'set') map.set(key, 1);
        if (kind === 'set' && !model.includes(key)) model = [...model, key].slice(-limit);
        if (kind === 'delete') map.delete(key);
        if (kind === 'delete') model = model.filter((each) => each !== key);
        if (kind === 'clear') map.clear();
        if (kind === 'clear') model = [];
        if (kind === 'oldest') expect(map.oldest()).toBe(model[0]);
        expect([...map.keys()]).toEqual(model);
      }
      expect(map.oldest()).toBe(model[0]);
    }),
    { numRuns: 400 },
  );
});
