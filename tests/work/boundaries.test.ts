import { AccessTokenError, OutcomeUnknownError } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  exponentialDelay,
  jitteredDelay,
  describeGivenUp,
  isLastingError,
  isUnknownOutcome,
  retryAfterOf,
} from '../../src/work/policy.js';
import { DeadLetters } from '../../src/work/lists.js';
import { endsWithin, PollLoop } from '../../src/work/worker.js';
import { FifoMap } from '../../src/work/fifo-map.js';
import { LedgerBook, RunWrites } from '../../src/work/writes.js';
import { MemoryLedger } from '../../src/work/memory.js';
import type { Polled } from '../../src/work/worker.js';
import type { Query, Status, InnerStore as Store } from '../../src/work/store.js';

// What inboxes and outboxes share: none, one and two of a thing, the last of a page, the second time, and the last millisecond.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe('a map in the order of insertion', () => {
  test.each([
    [1, ['c']],
    [2, ['b', 'c']],
    [3, ['a', 'b', 'c']],
  ])('of at most %i keys keeps %j', (limit, keys) => {
    const map = new FifoMap<number>(limit);
    for (const key of ['a', 'b', 'c']) map.set(key, 1);
    expect([...map.keys()]).toEqual(keys);
    expect(map.oldest()).toBe(keys[0]);
  });

  test('has another oldest key when that is deleted, and none when it is empty', () => {
    const map = new FifoMap<number>();
    expect(map.oldest()).toBeUndefined();
    for (const key of ['a', 'b', 'c']) map.set(key, 1);
    expect(map.oldest()).toBe('a');
    map.delete('b');
    expect(map.oldest()).toBe('a');
    map.delete('a');
    expect(map.oldest()).toBe('c');
    map.delete('c');
    expect(map.oldest()).toBeUndefined();
    map.set('d', 1);
    expect(map.oldest()).toBe('d');
    map.clear();
    expect(map.oldest()).toBeUndefined();
    map.set('e', 1);
    expect(map.oldest()).toBe('e');
  });

  test('a key that is set again keeps its place, and one that was deleted comes last', () => {
    const map = new FifoMap<number>(2);
    for (const key of ['a', 'b', 'a']) map.set(key, 1);
    expect(map.oldest()).toBe('a');
    map.delete('a');
    map.set('a', 1);
    map.set('c', 1);
    expect([...map.keys()]).toEqual(['a', 'c']);
  });
});

/** Dead letters of a store that has these. */
function lettersIn(dead: Pick<Status, 'key' | 'number' | 'endedAt'>[], again: Store['again']) {
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

test('all dead letters are replayed once: also one of this moment, and not one that fails again at once', async () => {
  const dead = Array.from({ length: 98 }, (_, index) => ({ key: `old ${index}`, number: index + 1, endedAt: 0 }));
  for (const endedAt of [Date.now() - 1, Date.now()])
    dead.push({ key: `${dead.length}`, number: dead.length + 1, endedAt });
  const replayed: string[] = [];
  const { letters, wake } = lettersIn(dead, async (key) => {
    replayed.push(key);
    await pass(1);
    dead.push({ key, number: dead.length + 1, endedAt: Date.now() });
    return true;
  });
  expect(await letters.replayAll(({ entry }) => !entry.key.startsWith('old'))).toBe(2);
  expect(replayed).toEqual(['98', '99']);
  expect(wake).toHaveBeenCalled();
});

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

describe('a failure', () => {
  /** An error behind others, each the cause of the next. */
  const wrapped = (inner: unknown, times: number): unknown =>
    times === 0 ? inner : new Error('outer', { cause: wrapped(inner, times - 1) });
  const lost = new OutcomeUnknownError('lost', { cause: undefined, attempts: 1 });

  test.each([
    [0, true],
    [1, true],
    [4, true],
    [5, false],
  ])('of unknown outcome is found behind %i others: %s', (times, expected) => {
    expect(isUnknownOutcome(wrapped(lost, times))).toBe(expected);
  });

  test.each<[string, unknown, boolean]>([
    ['nothing', undefined, false],
    ['a text', 'lost', false],
    ['one of a token that was lost on its way', new AccessTokenError('no', { cause: lost }), false],
    ['one that has a token behind it', Object.assign(new Error('x', { cause: new AccessTokenError('no') }), { outcomeUnknown: true }), true],
    ['the mark of another copy of the package', { outcomeUnknown: true }, true],
    ['a mark that is no boolean', { outcomeUnknown: 1 }, false],
  ])('%s is of unknown outcome: %s', (_, error, expected) => {
    expect(isUnknownOutcome(error)).toBe(expected);
  }); // prettier-ignore

  test.each<[unknown, boolean]>([
    [undefined, false],
    [null, false],
    [{ isLasting: true }, true],
    [{ isPermanent: true }, false],
    [{ isLasting: 1 }, false],
  ])('%j lasts: %s', (error, expected) => {
    expect(isLastingError(error)).toBe(expected);
  });

  test.each<[unknown, number]>([
    [undefined, 0],
    [null, 0],
    [{ retryAfterMs: 0 }, 0],
    [{ retryAfterMs: -1 }, 0],
    [{ retryAfterMs: '5' }, 0],
    [{ retryAfterMs: 1 }, 1],
    [{ retryAfterMs: 1000 }, 1000],
    [{ retryAfterMs: 1001 }, 1000],
  ])('%j waits %i ms, of at most 1,000', (error, ms) => {
    expect(retryAfterOf(error, 1000)).toBe(ms);
  });

  test.each<[('sent' | 'done' | 'rejected')[], string[], string]>([
    [[], [], ''],
    [['done', 'rejected'], ['a 7', 'b 7'], ''],
    [['sent'], ['messages.send 7 {}'], ' (messages.send may have been carried out)'],
    [['sent', 'sent'], ['a 7', 'a 8'], ' (a may have been carried out)'],
    [['sent', 'done', 'sent'], ['a 7', 'b 7', 'c 7'], ' (a and c may have been carried out)'],
  ])('names with writes that are %j of %j those that are open', (states, targets, open) => {
    const writes = states.map((state, index) => ({ state, target: targets[index] ?? '' }));
    expect(describeGivenUp(new Error('no'), writes)).toBe(`Error: no${open}`);
  });
});

test.each([
  [1, 1000],
  [2, 2000],
  [3, 4000],
  [4, 5000],
  [50, 5000],
])('after attempt %i the delay is at most %i ms, and at least half of it', (attempt, ms) => {
  const backoff = { firstDelayMs: 1000, maxDelayMs: 5000 };
  expect(exponentialDelay(attempt, backoff)).toBe(ms);
  for (const [random, delay] of [[0, ms], [0.5, ms * 0.75], [0.999999, ms / 2]] as const) {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    expect(jitteredDelay(attempt, backoff)).toBeCloseTo(delay, 1);
  }
}); // prettier-ignore

test.each([
  [99, true],
  [101, false],
])('what takes %i ms ends within 100: %s', async (ms, expected) => {
  const work = new Promise((resolve) => setTimeout(resolve, ms));
  const result = endsWithin(100, work);
  await pass(ms);
  expect(await result).toBe(expected);
  expect(vi.getTimerCount()).toBe(0);
});

describe('a loop that polls', () => {
  function loopOf(more: Partial<Polled> = {}, isShared = true) {
    const state = { polls: 0, isOpen: true, errors: 0 };
    const loop = new PollLoop({
      store: { durable: true, shared: isShared },
      isOpen: () => state.isOpen,
      poll: () => Promise.resolve(void (state.polls += 1)),
      onError: () => void (state.errors += 1),
      ...more,
    });
    return { loop, state };
  }

  test.each([
    // What other processes add is not told, so a shared store is asked again after `pollMs`.
    [true, 300, 300],
    [true, 5000, 1000],
    [true, undefined, 1000],
    [false, 300, 300],
    [false, 5000, 5000],
    [false, 0, 1],
  ])('of a store that is shared: %s, with something to do in %s ms, polls after %i', async (isShared, nextInMs, ms) => {
    const { loop, state } = loopOf({}, isShared);
    loop.later(nextInMs);
    await pass(ms - 1);
    expect(state.polls).toBe(0);
    await pass(1);
    expect(state.polls).toBe(1);
  });

  test.each([
    [false, 0],
    // Another object may have the same file.
    [true, 600_000],
  ])(
    'of a store of its own that is durable: %s, with nothing to do, polls after %i ms or never',
    async (durable, ms) => {
      const { loop, state } = loopOf({ store: { durable, shared: false } });
      loop.later();
      expect(vi.getTimerCount()).toBe(durable ? 1 : 0);
      await pass(Math.max(0, ms - 1));
      expect(state.polls).toBe(0);
      await pass(1);
      expect(state.polls).toBe(durable ? 1 : 0);
    },
  );

  test('polls once more if it is woken twice while it polls, and the later of two times counts', async () => {
    const ends: (() => void)[] = [];
    const { loop } = loopOf({ poll: () => new Promise<void>((resolve) => void ends.push(resolve)) });
    loop.wake();
    loop.wake();
    loop.wake();
    ends[0]?.();
    await pass(0);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await pass(0);
    expect([ends.length, loop.ended]).toEqual([2, undefined]);
    loop.later(100);
    loop.later(300);
    await pass(299);
    expect(ends).toHaveLength(2);
    await pass(1);
    expect(ends).toHaveLength(3);
    ends[2]?.();
  });

  test('polls again after a failure, as often as it fails, and not once it is closed', async () => {
    let polls = 0;
    const { loop, state } = loopOf({ poll: () => ((polls += 1), Promise.reject(new Error('disk'))) });
    loop.wake();
    await pass(999);
    expect([polls, state.errors]).toEqual([1, 1]);
    await pass(1);
    expect([polls, state.errors]).toEqual([2, 2]);
    state.isOpen = false;
    await pass(5000);
    loop.wake();
    await pass(5000);
    expect(polls).toBe(2);
  });
});

describe('a book in a ledger', () => {
  const target = 'messages.send 7';
  const write = (id: string, more: object = {}) =>
    ({ id, target, input: { text: id }, sentAt: Date.now(), state: 'sent', ...more }) as const;
  const idsOf = (writes: readonly { id: string }[]): string[] => writes.map(({ id }) => id);
  const bookOf = (ledger = new MemoryLedger()) => ({ ledger, book: new LedgerBook(ledger) });

  test('lets an entry prove one write, however often it asks', async () => {
    const { book, ledger } = bookOf();
    await book.enter([write('a'), write('b')]);
    expect([await book.claim('message 1', 'a'), await book.claim('message 1', 'a')]).toEqual([true, true]);
    expect(await new LedgerBook(ledger).claim('message 1', 'a')).toBe(true);
    expect([await book.claim('message 1', 'b'), await book.claim('message 2', 'b')]).toEqual([false, true]);
  });

  test('shows a write once, with its newest state, in the order of entering', async () => {
    const { book } = bookOf();
    await book.enter([write('a'), write('b')]);
    await book.enter([write('a', { state: 'done' })]);
    await book.enter([write('other', { target: 'messages.send 8' })]);
    expect((await book.look(target, [])).map(({ id, state }) => [id, state])).toEqual([['b', 'sent'], ['a', 'done']]);
    await book.claim('message 1', 'a');
    expect((await book.look(target, ['message 1', 'message 2'])).map(({ id, entry }) => [id, entry])).toEqual([
      ['b', undefined],
      ['a', 'message 1'],
    ]);
  }); // prettier-ignore

  test.each([
    [86_399_999, ['a', 'b', 'c']],
    [86_400_000, ['b', 'c']],
    [86_400_001, ['c']],
  ])('forgets with the next write those of %i ms ago', async (ms, ids) => {
    const { book, ledger } = bookOf();
    await book.enter([write('a'), write('b', { sentAt: Date.now() + 1 })]);
    vi.spyOn(ledger, 'get').mockResolvedValueOnce(await ledger.get(`writes ${target}`));
    vi.setSystemTime(Date.now() + ms);
    const found: string[] = [];
    vi.spyOn(ledger, 'replace').mockImplementation(async (_key, _known, value) => {
      found.push(...idsOf(JSON.parse(value) as { id: string }[]));
      return true;
    });
    await book.enter([write('c')]);
    expect(found).toEqual(ids);
  });
});

describe('the writes of a run', () => {
  const pending = {
    endpoint: { name: 'x', method: 'POST', path: '/x', retry: 'unsafe', errors: [] },
    input: {},
    target: 'x',
    timeoutMs: 1000,
    timesNow: () => ({ sentAt: Date.now() }),
    ageMs: () => 0,
    readBefore: () => Promise.resolve(undefined),
    confirm: () => Promise.resolve({ done: false as const }),
  } as never;
  const runOf = (note: () => Promise<boolean> = () => Promise.resolve(true)) => {
    const controller = new AbortController();
    const noted = vi.fn(note);
    const ledger = new MemoryLedger();
    const run = new RunWrites({ writes: [], note: noted, ledger, failed: vi.fn(), signal: controller.signal });
    return { run, noted, controller, ledger };
  };

  test('are noted before they are sent, and entered in the book', async () => {
    const { run, noted, ledger } = runOf();
    expect(await run.records.begin(pending)).toMatchObject({ isDone: false });
    expect(noted).toHaveBeenCalledTimes(1);
    expect(await new LedgerBook(ledger).look('x', [])).toMatchObject([{ target: 'x', state: 'sent' }]);
    expect(await run.end()).toMatchObject([{ target: 'x', state: 'sent' }]);
  });

  test.each<[string, (given: ReturnType<typeof runOf>) => unknown, number]>([
    ['that has ended', ({ run }) => run.end(), 0],
    ['that was aborted', ({ controller }) => controller.abort(new Error('Not sent: closing')), 0],
    ['whose lease is lost', ({ noted }) => noted.mockResolvedValue(false), 1],
  ])('of a run %s are not sent, and forgotten', async (_, end, notes) => {
    const given = runOf();
    await end(given);
    await expect(given.run.records.begin(pending)).rejects.toThrow('Not sent');
    expect(given.noted).toHaveBeenCalledTimes(notes);
    expect(await given.run.end()).toEqual([]);
    expect(await new LedgerBook(given.ledger).look('x', [])).toEqual([]);
  });
});
