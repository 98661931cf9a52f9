import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BookedWrite, WriteBook } from '../../src/core/operation/endpoint.js';
import { BookView, MemoryBook, RememberedWrite } from '../../src/core/recover/memory-book.js';
import { targetOf } from '../../src/core/recover/write-hook.js';
import { messageEndpoints } from '../../src/resources/messages/endpoints.js';

// What is known of writes: of none, one and two, the first and the last one, after a day, and asked for a second time.

const { send } = messageEndpoints;
const now = Date.parse('2026-03-02T12:00:00Z');
const day = 24 * 3_600_000;
beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const input = (pack_id: number | string, text: string): object => ({ pack_id, user_id: 7, to: { user_id: 9 }, text });
/** A write to the conversation of a pack, with its milliseconds after noon. */
const write = (id: string, ms = 0, more: { text?: string; pack_id?: number; isInFlight?: boolean } = {}): RememberedWrite =>
  new RememberedWrite({
    id,
    endpoint: send,
    input: input(more.pack_id ?? 1, more.text ?? 'Hello'),
    token: undefined,
    calledAt: now + ms,
    sentAt: now + ms,
    isInFlight: more.isInFlight,
  }); // prettier-ignore
const target = targetOf(send, input(1, ''), undefined);
const idsOf = (writes: readonly { id: string }[]): string[] => writes.map(({ id }) => id);

describe('a book in memory', () => {
  test.each([
    [day - 1, ['a', 'b', 'c']],
    [day, ['b', 'c']],
    [day + 1, ['c']],
  ])('forgets with the next write those of %i ms ago', async (ms, ids) => {
    const book = new MemoryBook();
    for (const each of [write('a', 0), write('b', 1)]) book.add(each);
    vi.setSystemTime(now + ms);
    book.add(write('c', ms));
    expect(idsOf(await book.look(target, []))).toEqual(ids);
  });

  test('keeps the latest 20,000', async () => {
    const book = new MemoryBook();
    for (let index = 0; index < 20_000; index += 1) book.add(write(`${index}`));
    expect(await book.look(target, [])).toHaveLength(20_000);
    book.add(write('last'));
    const kept = await book.look(target, []);
    expect([kept.length, kept[0]?.id, kept.at(-1)?.id]).toEqual([20_000, '1', 'last']);
  });

  test('lets an entry prove one write, however often it asks, and another one once that is forgotten', async () => {
    const book = new MemoryBook();
    for (const each of [write('a', 0), write('b', 1)]) book.add(each);
    expect(await book.claim('message 1', 'a')).toBe(true);
    expect(await book.claim('message 1', 'a')).toBe(true);
    expect(await book.claim('message 1', 'b')).toBe(false);
    expect((await book.look(target, [])).map(({ entry }) => entry)).toEqual(['message 1', undefined]);
    vi.setSystemTime(now + day);
    book.add(write('c', day));
    expect(await book.claim('message 1', 'b')).toBe(true);
  });

  test('shows the writes to a target and those that an entry proves, of another target too', async () => {
    const book = new MemoryBook();
    for (const each of [write('a'), write('b', 0, { pack_id: 2 }), write('c', 0, { pack_id: 3 })]) book.add(each);
    await book.claim('message 2', 'b');
    expect(idsOf(await book.look(target, []))).toEqual(['a']);
    expect(idsOf(await book.look(target, ['message 1', 'message 2']))).toEqual(['a', 'b']);
  });

  test('a write that was rejected is forgotten, and one whose response was lost is not', async () => {
    const book = new MemoryBook();
    const [lost, rejected, done] = [write('a'), write('b'), write('c')];
    for (const each of [lost, rejected, done]) book.add(each);
    expect(book.end(lost, { state: 'sent' })).toBeUndefined();
    expect(book.end(rejected, { state: 'rejected' })).toBeUndefined();
    expect(book.end(done, { state: 'done', output: { id: 'm1' } })).toBe('message m1');
    expect((await book.look(target, [])).map(({ id, state }) => [id, state])).toEqual([['a', 'sent'], ['c', 'done']]);
    expect(await book.claim('message m1', 'a')).toBe(false);
  }); // prettier-ignore

  test.each<[string, [id: string, ms: number, text?: string][], number, string, boolean]>([
    ['none', [], 0, 'stored', false],
    ['the same', [['a', 0]], 0, 'a', false],
    ['one a millisecond before, which a clock may round', [['a', -1]], 0, 'a', false],
    ['one two milliseconds before', [['a', -2]], 0, 'stored', false],
    ['one a minute later', [['a', 60_000]], 0, 'a', false],
    ['one more than a minute later', [['a', 60_001]], 0, 'stored', true],
    ['one with another text', [['a', 0, 'Bye']], 0, 'stored', false],
    ['the first of two', [['a', 0], ['b', 10]], 0, 'a', false],
    ['the second of two', [['a', 0], ['b', 10]], 10, 'b', false],
  ])('a write that was stored is that in memory: %s', (_, writes, ms, id, isUncertain) => {
    const book = new MemoryBook();
    for (const [each, at, text] of writes) book.add(write(each, at, text === undefined ? {} : { text }));
    const found = book.askFor(write('stored', ms));
    expect([found.write.id, found.isUncertain]).toEqual([id, isUncertain]);
  }); // prettier-ignore

  test('of three equal writes that were sent at once, each is asked for once, and then the same again', () => {
    const book = new MemoryBook();
    for (const id of ['a', 'b', 'c']) book.add(write(id));
    const ask = (): string => book.askFor(write('stored')).write.id;
    expect([ask(), ask(), ask()]).toEqual(['a', 'b', 'c']);
    expect([ask(), ask(), ask()]).toEqual(['a', 'b', 'c']);
  });
});

describe('the view of a write', () => {
  const booked = (id: string, ms: number, more: Partial<BookedWrite> = {}): BookedWrite => ({
    id, target, input: input(1, 'Hello'), sentAt: now + ms, state: 'sent', ...more,
  }); // prettier-ignore
  const sent = { earliest: 1000, latest: 2000 };
  async function look(inMemory: readonly RememberedWrite[], stored: readonly BookedWrite[], entries: string[] = []) {
    const memory = new MemoryBook();
    memory.clock.observe(now, new Headers({ date: new Date(now).toUTCString() }), () => {});
    const own = memory.add(write('own'));
    for (const each of inMemory) memory.add(each);
    const book: WriteBook = {
      look: (of, names) => Promise.resolve(stored.filter((each) => each.target === of || names.includes(each.entry ?? ''))),
      claim: () => Promise.resolve(true),
    }; // prettier-ignore
    const view = new BookView({ endpoint: send, write: own, memory, stored: book, timeoutMs: 10_000 });
    return { ...(await view.look([entries], sent, undefined)), view };
  }

  test('shows the other writes in the order of sending, wherever they are known', async () => {
    const { others } = await look([write('c', 30), write('a', 10)], [booked('d', 40), booked('b', 20)]);
    expect(others.map(({ sent: { earliest, latest } }) => [earliest, latest])).toEqual([
      [1010, 2010],
      [1020, 2020],
      [1030, 2030],
      [1040, 2040],
    ]);
  });

  test('shows no write twice, and none that was rejected or is proved', async () => {
    const stored = [booked('a', 10), booked('own', 0), booked('b', 20, { state: 'rejected' }), booked('c', 30, { entry: 'message 3' })];
    const { others } = await look([write('a', 10)], stored);
    expect(others).toHaveLength(1);
  }); // prettier-ignore

  test.each<[Partial<BookedWrite>, object]>([
    [{}, { isDone: false, isEqual: true, isInFlight: true }],
    [{ state: 'done' }, { isDone: true, isInFlight: false }],
    [{ sentAt: now - 10_000, latestAt: now - 9_999 }, { isInFlight: true }],
    [{ sentAt: now - 9_999, latestAt: now - 10_000 }, { isInFlight: true }],
    [{ sentAt: now - 10_000, latestAt: now - 10_000 }, { isInFlight: false }],
    [{ sentAt: now - 60_000 }, { isInFlight: true }],
    [{ input: input(1, 'Bye') }, { isEqual: false }],
    [{ input: input('1', 'Hello') }, { isEqual: true }],
  ])('says of another one, %j: %j', async (more, expected) => {
    const { others } = await look([], [booked('a', 0, more)]);
    expect(others).toMatchObject([expected]);
  });

  test.each([true, false])('whether another write in memory is in flight is known: %s', async (isInFlight) => {
    expect((await look([write('a', -60_000, { isInFlight })], [])).others).toMatchObject([{ isInFlight }]);
  });

  test('knows what an entry proves, and when that was sent, also for another target', async () => {
    const stored = [
      booked('own', 0, { entry: 'message 1' }),
      booked('a', 50, { entry: 'message 2', target: 'another' }),
      booked('b', 0, { entry: 'message 3', sentAt: 0 }),
    ];
    const entries = ['message 1', 'message 2', 'message 3', 'message 4'];
    const { provedBy, sentOf, others } = await look([], stored, entries);
    expect(entries.map(provedBy)).toEqual(['this', 'another', 'another', undefined]);
    expect(entries.map(sentOf)).toEqual([undefined, { earliest: 1050, latest: 2050 }, undefined, undefined]);
    expect(others).toEqual([]);
  });
});
