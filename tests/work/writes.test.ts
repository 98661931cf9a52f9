import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WriteDecision, WriteRecord } from '../../src/core/recover/write-hook.js';
import { MemoryLedger } from '../../src/work/memory.js';
import { LedgerBook, RunWrites } from '../../src/work/writes.js';

// The writes of a run are noted before they are sent, and known to all runs in a ledger.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

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
    // Of a run that has not entered it yet.
    await new LedgerBook(ledger, [write('c')]).claim('message 3', 'c');
    expect(await book.look('messages.send 8', ['message 3'])).toMatchObject([{ id: 'c', target }]);
  });

  test('shows a write once, with its newest state, in the order of entering', async () => {
    const { book, ledger } = bookOf();
    // Two processes enter one at once.
    await Promise.all(['a', 'b'].map(async (id) => new LedgerBook(ledger).enter([write(id)])));
    await book.enter([write('a', { state: 'done' })]);
    await book.enter([write('other', { target: 'messages.send 8' })]);
    expect((await book.look(target, [])).map(({ id, state }) => [id, state])).toEqual([
      ['b', 'sent'],
      ['a', 'done'],
    ]);
    await book.claim('message 1', 'a');
    expect((await book.look(target, ['message 1', 'message 2'])).map(({ id, entry }) => [id, entry])).toEqual([
      ['b', undefined],
      ['a', 'message 1'],
    ]);
  });

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
    memory: { timesNow: () => ({ sentAt: Date.now() }), ageMs: () => 0 },
    readBefore: () => Promise.resolve(undefined),
    confirm: () => Promise.resolve({ done: false as const }),
  } as never;
  const runOf = (note: () => Promise<boolean> = () => Promise.resolve(true), writes: readonly WriteRecord[] = []) => {
    const controller = new AbortController();
    const noted = vi.fn(note);
    const ledger = new MemoryLedger();
    const run = new RunWrites({ writes, note: noted, ledger, failed: vi.fn(), signal: controller.signal });
    return { run, noted, controller, ledger };
  };

  test('are noted before they are sent, and entered in the book', async () => {
    const { run, noted, ledger } = runOf();
    expect(await run.records.begin(pending)).toMatchObject({ isDone: false });
    expect(noted).toHaveBeenCalledTimes(1);
    expect(await new LedgerBook(ledger).look('x', [])).toMatchObject([{ target: 'x', state: 'sent' }]);
    expect(await run.end()).toMatchObject([{ target: 'x', state: 'sent' }]);
  });

  const sent = async ({ run }: ReturnType<typeof runOf>) =>
    (await run.records.begin(pending)) as Extract<WriteDecision, { isDone: false }>;

  test.each([
    [99, 1],
    [100, 2],
    [-3_600_000, 2],
  ])('that are sent %i ms later, by the clock, are noted %i times', async (ms, times) => {
    const given = runOf();
    const { beforeSend } = await sent(given);
    vi.setSystemTime(Date.now() + ms);
    await beforeSend();
    expect(given.noted).toHaveBeenCalledTimes(times);
  });

  test('may still be carried out for as long as they could when they were read back', async () => {
    const earlier = { id: 'a', target: 'x', endpoint: 'x', input: {}, sentAt: 0, state: 'sent' } as const;
    const { run } = runOf(undefined, [earlier]);
    const confirm = async () => {
      vi.advanceTimersByTime(600);
      return { done: false };
    };
    const write = { ...(pending as object), confirm, memory: { ageMs: () => 1_200 } } as never;
    await expect(run.records.begin(write)).rejects.toMatchObject({ retryAfterMs: 400 });
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
