import { fc } from '../support/fast-check.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { memoryStore } from '../../src/work/memory.js';
import { sqliteStore } from '../../src/work/sqlite.js';
import type { InnerStore as Store } from '../../src/work/store.js';
import { shown, stepsOf } from '../support/same-steps.js';
import type { Step } from '../support/same-steps.js';

beforeEach(() => vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_700_000_000_000 }));
afterEach(() => vi.useRealTimers());

async function all(store: Store, steps: readonly Step[]): Promise<unknown[]> {
  vi.setSystemTime(1_700_000_000_000);
  const results = await shown(store, steps, (ms) => void vi.advanceTimersByTime(ms));
  await store.close?.();
  return results;
}

test('whatever is done to it, a store in SQLite shows what a store in memory shows', async () => {
  await fc.assert(
    fc.asyncProperty(stepsOf(), async (steps) => {
      expect(await all(sqliteStore(':memory:'), steps)).toEqual(await all(memoryStore(), steps));
    }),
    { numRuns: 200 },
  );
});
