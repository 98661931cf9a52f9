import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Values } from '../../src/cli/command.js';
import {
  actionsOf,
  assertUsable,
  formatRows,
  formatStats,
  storedWork,
  filters,
} from '../../src/cli/commands/stored.js';
import type { WorkRow } from '../../src/cli/commands/stored.js';
import { DeadLetters, StoredLists, WaitingEntries } from '../../src/work/lists.js';
import type { Query, Status } from '../../src/work/store.js';

// What the commands for stored work do with none, one, two and more than a page of it, and at the limits of their filters.

const now = Date.parse('2030-01-02T12:00:00Z');
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** Stored work: how many are in each state, the last of them now, each other one a minute before the next. */
function stored(counts: Readonly<Record<'waiting' | 'dead' | 'rejected', number>>) {
  const calls: unknown[][] = [];
  const all = Object.entries(counts).flatMap(([state, count]) =>
    Array.from({ length: count }, (_, index): Status => {
      const at = now - (count - index - 1) * minute;
      const key = `${state.charAt(0)}${index + 1}`;
      const work = { key, kind: '*', group: key, owner: '7', sentAt: at, data: { key } };
      const reached = { failures: 1, stalls: 0, notes: {}, failure: `error ${(index + 1) % 2}` };
      return { ...work, ...reached, state: state as Status['state'], addedAt: at, endedAt: at, number: index + 1 };
    }),
  );
  const called =
    (name: string) =>
    (...args: unknown[]): Promise<boolean> =>
      Promise.resolve(calls.push([name, ...args]) > 0);
  const shown = {
    store: {
      list: ({ states, limit, after }: Query) =>
        Promise.resolve(all.filter(({ state, number }) => states.includes(state) && number > after).slice(0, limit)),
      get: (key: string) => Promise.resolve(all.find((each) => each.key === key)),
      again: called('again'),
      remove: called('remove'),
      reduce: called('reduce'),
    },
    kinds: ['*'],
    storedKey: (key: string) => key,
    entryOf: ({ data }: Status) => data as { key: string },
    keepKeysMs: 60_000,
    wake: () => undefined,
  };
  const opened = {
    stats: () => Promise.resolve(counts),
    waiting: new WaitingEntries(shown),
    deadLetters: new DeadLetters(shown),
    rejected: new StoredLists(shown).rejected,
    forget: called('forget'),
    close: () => Promise.resolve(),
  };
  return { work: storedWork(opened, ({ key }) => ({ topic: `Topic ${key.slice(-1)}` })), calls };
}

const lists = ['waiting', 'dead', 'rejected'] as const;

/** Runs an action with the options of a command line. */
async function run(action: string, [waiting, dead, rejected = 0]: readonly number[], options: object = {}) {
  const { work, calls } = stored({ waiting: waiting!, dead: dead!, rejected });
  const values = new Values({ limit: '100', ...options }, 'FILE', action);
  assertUsable(values, filters, lists);
  return { result: await actionsOf(lists)[action]?.(work, values), calls };
}
const keysOf = (result: unknown): unknown[] => (result as readonly WorkRow[]).map(({ key }) => key);
const keys = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

describe.each([
  ['waiting', 'w'],
  ['dead', 'd'],
  ['rejected', 'r'],
])('%s', (action, prefix) => {
  test.each([
    [0, '1', 0],
    [1, '1', 1],
    [2, '1', 1],
    [2, '2', 2],
    [2, '3', 2],
    [100, '100', 100],
    [101, '100', 100],
    [101, '101', 101],
    [250, '201', 201],
  ])('lists of %i with --limit %s the first %i', async (count, limit, listed) => {
    const { result } = await run(action, [count, count, count], { limit });
    expect(keysOf(result)).toEqual(keys(prefix, listed));
  });

  test('counts against --limit only what is meant', async () => {
    const { result } = await run(action, [250, 250, 250], { limit: '60', error: 'error 0' });
    expect(keysOf(result)).toEqual(keys(prefix, 120).filter((_, index) => index % 2 === 1));
  });

  test.each<[object, number[]]>([
    [{}, [1, 2, 3, 4]],
    [{ since: '3m' }, [1, 2, 3, 4]],
    [{ since: '2m' }, [2, 3, 4]],
    [{ since: '1m' }, [3, 4]],
    [{ since: '0m' }, [4]],
    [{ since: '1h' }, [1, 2, 3, 4]],
    [{ since: '2030-01-02T12:00:00Z' }, [4]],
    [{ since: '2030-01-02T12:00:00.001Z' }, []],
    [{ topic: 'topic 2' }, [2]],
    [{ error: 'error 1' }, [1, 3]],
    [{ error: 'error 1', since: '1m' }, [3]],
    [{ error: 'error 1', topic: 'Topic 2' }, []],
  ])('means with %j: %j', async (options, meant) => {
    const { result } = await run(action, [4, 4, 4], options);
    expect(keysOf(result)).toEqual(meant.map((number) => `${prefix}${number}`));
  });

  test.each([
    ['90d', 90 * day],
    ['2d', 2 * day],
    ['36h', 36 * hour],
    ['90m', 90 * minute],
  ])('--since %s is so long ago, to the millisecond', async (since, ms) => {
    vi.setSystemTime(now + ms);
    expect(keysOf((await run(action, [1, 1, 1], { since })).result)).toHaveLength(1);
    vi.setSystemTime(now + ms + 1);
    expect(keysOf((await run(action, [1, 1, 1], { since })).result)).toHaveLength(0);
  });
});

const again = (key: string): unknown[] => ['again', key, 'dead', { writes: [] }];

describe('what is changed', () => {
  test.each<[string, object, unknown, unknown[][]]>([
    // A person has looked at the one that is named, and not at all others: what is unknown of those stays so.
    ['replay', { key: 'd2' }, { replayed: 1 }, [again('d2')]],
    ['replay', {}, { replayed: 3 }, [again('d1'), again('d2'), again('d3')]],
    ['replay', { error: 'error 0' }, { replayed: 1 }, [again('d2')]],
    ['replay', { error: 'nothing' }, { replayed: 0 }, []],
    ['retry-now', {}, { retried: 2 }, [['again', 'w1', 'open'], ['again', 'w2', 'open']]],
    ['retry-now', { key: 'w2' }, { retried: 1 }, [['again', 'w2', 'open']]],
    ['remove', { key: 'w2', state: 'waiting' }, { removed: 1 }, [['remove', 'w2', ['waiting']]]],
    ['remove', { key: 'w2', state: 'dead' }, { removed: 0 }, []],
    ['remove', { since: '1m', state: 'dead' }, { removed: 2 }, [['reduce', 'd2', ['dead'], 60_000], ['reduce', 'd3', ['dead'], 60_000]]],
    ['remove', { key: 'r1', state: 'rejected' }, { removed: 1 }, [['reduce', 'r1', ['rejected'], 60_000]]],
    ['forget', { key: 'd2' }, { forgotten: 1 }, [['forget', 'd2']]],
  ])('%s with %j: %j', async (action, options, result, calls) => {
    expect(await run(action, [2, 3, 1], options)).toEqual({ result, calls });
  }); // prettier-ignore

  test('forget needs a key, remove a filter and a state, and --limit is a number above 0', async () => {
    await expect(run('remove', [1, 1], { state: 'dead' })).rejects.toThrow('remove needs --key');
    for (const state of [undefined, 'open']) await expect(run('remove', [1, 1], { key: 'w1', state })).rejects.toThrow('--state');
    await expect(run('forget', [1, 1], { since: '1h' })).rejects.toThrow('forget needs --key');
    for (const limit of ['0', '01', '-1', '1x', '', '1234567890']) await expect(run('dead', [1, 1], { limit })).rejects.toThrow('--limit');
  }); // prettier-ignore
});

test.each([
  [0, 'now'],
  [1, 'under 1 s'],
  [999, 'under 1 s'],
  [1_000, '1 s'],
  [59_999, '59 s'],
  [minute, '1 min'],
  [minute + 999, '1 min'],
  [minute + 1_000, '1 min 1 s'],
  [hour - 1, '59 min 59 s'],
  [hour, '1 h'],
  [hour + 59_999, '1 h'],
  [2 * hour + 5 * minute, '2 h 5 min'],
  [day - 1, '23 h 59 min'],
  [day, '1 d'],
  [day + hour - 1, '1 d'],
  [9 * day + 23 * hour, '9 d 23 h'],
])('a duration of %i ms is written as "%s"', (ms, written) => {
  expect(formatStats({ oldestAgeMs: ms })).toBe(`oldest age  ${written}`);
});

test('a table has a column for each field of any row, and - where a row has none', () => {
  const rows = [
    { key: 'a', addedAt: now, nextInMs: null },
    { key: 'longer', attempts: 2 },
  ];
  expect(formatRows(rows).split('\n')).toEqual([
    'key     added                 next in  attempts',
    'a       2030-01-02T12:00:00Z  -        -',
    'longer  -                     -        2',
  ]);
});
