import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Values } from '../../src/cli/options.js';
import { actions, assertUsable } from '../../src/cli/stored/actions.js';
import { formatRows, formatStats } from '../../src/cli/stored/format-work.js';
import type { GivenUpFacts, StoredWork, WaitingFacts, WorkRow } from '../../src/cli/stored/stored-work.js';
import { DeadLetters } from '../../src/work/dead-letters.js';
import { WaitingEntries } from '../../src/work/waiting-entries.js';

// What the commands for stored work do with none, one, two and more than a page of it, and at the limits of their filters.

const now = Date.parse('2030-01-02T12:00:00Z');
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** Stored work: how many wait and how many were given up, the last of them now, each other one a minute before the next. */
function storedWork(waiting: number, dead: number) {
  const calls: unknown[][] = [];
  const several = <T>(count: number, of: (number: number, at: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => of(index + 1, now - (count - index - 1) * minute));
  const failure = (number: number): string => `error ${number % 2}`;
  const waits = several<WaitingFacts>(waiting, (number, addedAt) => ({
    entry: { key: `w${number}` }, number, addedAt, attempts: 1, failure: failure(number), nextInMs: 0,
  })); // prettier-ignore
  const letters = several<GivenUpFacts>(dead, (number, deadLetteredAt) => ({
    entry: { key: `d${number}` }, number, deadLetteredAt, attempts: 2, failure: failure(number),
  })); // prettier-ignore
  const page = <T extends { number: number }>(all: readonly T[], limit: number, after = 0): Promise<T[]> =>
    Promise.resolve(all.filter(({ number }) => number > after).slice(0, limit));
  const called = (name: string) => (...args: unknown[]) => Promise.resolve(calls.push([name, ...args]) > 0); // prettier-ignore
  const store = {
    waiting: (limit: number, after?: number) => page(waits, limit, after),
    deadLetters: (limit: number, after?: number) => page(letters, limit, after),
    retryNow: called('retryNow'),
    removeWaiting: called('removeWaiting'),
    redrive: called('redrive'),
    removeDeadLetter: called('removeDeadLetter'),
  };
  const work: StoredWork = {
    stats: () => Promise.resolve({ waiting, dead }),
    waiting: new WaitingEntries<WaitingFacts>(store, () => undefined),
    deadLetters: new DeadLetters<GivenUpFacts>(store, () => undefined),
    columnsOf: ({ key }) => ({ topic: `Topic ${key.slice(-1)}` }),
    close: () => Promise.resolve(),
  };
  return { work, calls };
}

/** Runs an action with the options of a command line. */
async function run(action: string, counts: readonly [waiting: number, dead: number], options: object = {}) {
  const { work, calls } = storedWork(...counts);
  const values = new Values({ limit: '100', ...options }, 'FILE', action);
  assertUsable(values);
  return { result: await actions[action]?.(work, values), calls };
}
const keysOf = (result: unknown): unknown[] => (result as readonly WorkRow[]).map(({ key }) => key);
const keys = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

describe.each([
  ['waiting', 'w'],
  ['dead', 'd'],
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
    const { result } = await run(action, [count, count], { limit });
    expect(keysOf(result)).toEqual(keys(prefix, listed));
  });

  test('counts against --limit only what is meant', async () => {
    const { result } = await run(action, [250, 250], { limit: '60', error: 'error 0' });
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
    const { result } = await run(action, [4, 4], options);
    expect(keysOf(result)).toEqual(meant.map((number) => `${prefix}${number}`));
  });

  test.each([
    ['90d', 90 * day],
    ['2d', 2 * day],
    ['36h', 36 * hour],
    ['90m', 90 * minute],
  ])('--since %s is so long ago, to the millisecond', async (since, ms) => {
    vi.setSystemTime(now + ms);
    expect(keysOf((await run(action, [1, 1], { since })).result)).toHaveLength(1);
    vi.setSystemTime(now + ms + 1);
    expect(keysOf((await run(action, [1, 1], { since })).result)).toHaveLength(0);
  });
});

describe('what is changed', () => {
  test.each<[string, object, unknown, unknown[][]]>([
    // A person has looked at the one that is named, and not at all others: what is unknown of those stays so.
    ['replay', { key: 'd2' }, { replayed: 1 }, [['redrive', 'd2', true]]],
    ['replay', {}, { replayed: 3 }, [['redrive', 'd1'], ['redrive', 'd2'], ['redrive', 'd3']]],
    ['replay', { error: 'error 0' }, { replayed: 1 }, [['redrive', 'd2']]],
    ['replay', { error: 'nothing' }, { replayed: 0 }, []],
    ['retry-now', {}, { retried: 2 }, [['retryNow', 'w1'], ['retryNow', 'w2']]],
    ['retry-now', { key: 'w2' }, { retried: 1 }, [['retryNow', 'w2']]],
    ['remove', { key: 'w2', state: 'waiting' }, { removed: 1 }, [['removeWaiting', 'w2']]],
    ['remove', { key: 'w2', state: 'dead' }, { removed: 0 }, []],
    ['remove', { since: '1m', state: 'dead' }, { removed: 2 }, [['removeDeadLetter', 'd2'], ['removeDeadLetter', 'd3']]],
  ])('%s with %j: %j', async (action, options, result, calls) => {
    expect(await run(action, [2, 3], options)).toEqual({ result, calls });
  }); // prettier-ignore

  test('remove needs a filter and a state, and --limit is a number above 0', async () => {
    await expect(run('remove', [1, 1], { state: 'dead' })).rejects.toThrow('remove needs --key');
    for (const state of [undefined, 'open']) await expect(run('remove', [1, 1], { key: 'w1', state })).rejects.toThrow('--state');
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
