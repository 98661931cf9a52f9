import { memoryStore } from '../../src/work/memory.js';
import { sqliteStore } from '../../src/work/sqlite.js';
import type { InnerStore as Store } from '../../src/work/store.js';
import { describe, expect, test } from 'vitest';
import { storeRules } from '../support/store-rules.ts';
import { newFiles } from '../support/new-files.ts';
import type { OpenStore } from '../support/store-rules.ts';
import { claim, keysOf, lease, released, work } from '../support/work.ts';

const newFile = newFiles();

/** Makes an empty place. */
const places: Readonly<Record<string, () => OpenStore>> = {
  memory: () => {
    const store = memoryStore();
    return () => store;
  },
  SQLite: () => {
    const path = newFile();
    return () => sqliteStore(path);
  },
  'SQLite in memory': () => {
    const store = sqliteStore(':memory:');
    return () => store;
  },
};

describe.each(Object.keys(places))('in a store in %s', (name) => {
  const opened: Store[] = [];
  test.each(Object.keys(storeRules))('%s', async (rule) => {
    const open = places[name]!();
    const kept = (): Store => {
      const store = open();
      opened.push(store);
      return store;
    };
    await storeRules[rule]!(kept);
    await Promise.all(opened.splice(0).map(async (store) => store.close?.()));
  });
});

test('a store says whether it is durable and shared', () => {
  const said = [memoryStore(), sqliteStore(':memory:'), sqliteStore(newFile())];
  expect(said.map(({ durable, shared }) => [durable, shared])).toEqual([
    [false, false],
    [false, false],
    [true, true],
  ]);
});

test('a restart loses nothing', async () => {
  const open = places.SQLite!();
  const first = open();
  await first.add(work('a'));
  await first.add(work('b'));
  await first.settle(await lease(first), { ...released, inMs: 0, notes: { writes: [{ id: '1' }] } });
  await first.close?.();
  const second = open();
  expect(await second.add(work('a'))).toBe('known');
  const { leases } = await claim(second);
  expect(keysOf({ leases }).toSorted()).toEqual(['a', 'b']);
  expect(leases.find(({ key }) => key === 'a')?.notes).toEqual({ writes: [{ id: '1' }] });
  await second.close?.();
});
