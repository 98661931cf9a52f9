import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DeadLetters } from '../../src/work/lists.js';
import type { InnerStore, Query, Status } from '../../src/work/store.js';

// All dead letters are read in pages, each once, and replayed with what their runs have reached.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** Dead letters of a store that has these. */
function lettersIn(dead: Pick<Status, 'key' | 'number' | 'endedAt'>[], again: InnerStore['again']) {
  const asked: number[] = [];
  const store = {
    list: ({ limit, after }: Query) => {
      asked.push(after);
      const found = dead.filter(({ number }) => number > after).sort((a, b) => a.number - b.number);
      return Promise.resolve(found.slice(0, limit).map(statusOf));
    },
    get: (key: string) => Promise.resolve(dead.filter((each) => each.key === key).map(statusOf)[0]),
    again,
    remove: () => Promise.resolve(true),
    reduce: () => Promise.resolve(true),
  };
  const wake = vi.fn();
  const entryOf = ({ key }: Status): { readonly key: string } => ({ key });
  const letters = new DeadLetters({
    store,
    kinds: ['job'],
    storedKey: (key) => key,
    entryOf,
    keepKeysMs: 60_000,
    wake,
  });
  return { letters, asked, wake };
}
function statusOf(found: Pick<Status, 'key' | 'number' | 'endedAt'>): Status {
  const work = { kind: 'job', group: found.key, owner: '7', sentAt: 0, data: {} };
  return { ...work, state: 'dead', failures: 1, stalls: 0, notes: {}, addedAt: 0, ...found };
}

test.each([
  [0, [0]],
  [1, [0]],
  [99, [0]],
  [100, [0, 100]],
  [101, [0, 100]],
  [200, [0, 100, 200]],
  [201, [0, 100, 200]],
])('%i entries are read in pages behind %j, each once', async (count, expected) => {
  const all = Array.from({ length: count }, (_, index) => ({ key: `${index}`, number: index + 1, endedAt: 0 }));
  const { letters, asked } = lettersIn(all, () => Promise.resolve(true));
  const read: string[] = [];
  const removed = await letters.removeAll(({ entry }) => read.push(entry.key) > 0);
  expect(removed).toBe(count);
  expect(read).toEqual(all.map(({ key }) => key));
  expect(asked).toEqual(expected);
});

test.each([-3_600_000, 0, 3_600_000])(
  'all are replayed once, and not again what fails again, where a clock is %i ms ahead',
  async (aheadMs) => {
    const dead = Array.from({ length: 98 }, (_, index) => ({ key: `old ${index}`, number: index + 1, endedAt: 0 }));
    for (const endedAt of [Date.now() - 1, Date.now()])
      dead.push({ key: `${dead.length}`, number: dead.length + 1, endedAt: endedAt + aheadMs });
    const replayed: string[] = [];
    const { letters, wake } = lettersIn(dead, async (key) => {
      replayed.push(key);
      await pass(1);
      dead.push({ key, number: dead.length + 1, endedAt: Date.now() + aheadMs });
      return true;
    });
    expect(await letters.replayAll(({ entry }) => !entry.key.startsWith('old'))).toBe(2);
    expect(replayed).toEqual(['98', '99']);
    expect(wake).toHaveBeenCalled();
  },
);

test('a dead letter that is replayed has what its runs have reached, without its failures', async () => {
  const write = (state: 'sent' | 'done') => ({ id: state, target: 'a 7', input: {}, sentAt: 1, state });
  const notes = { writes: [write('sent'), write('done')], outputs: [{ at: 1 }], unknowns: 3, wasLasting: true };
  const given: unknown[] = [];
  const { letters } = lettersIn([{ key: 'a', number: 1, endedAt: 0, notes } as never], async (_, __, noted) => {
    given.push(noted);
    return Promise.resolve(true);
  });
  await letters.replay('a');
  await letters.replayAll();
  const { outputs } = notes;
  // A person has looked at the one that is named: what is unknown of it is sent again.
  expect(given).toEqual([
    { outputs, writes: [write('done')] },
    { outputs, writes: notes.writes },
  ]);
});
