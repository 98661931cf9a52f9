import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BookedWrite, WriteBook } from '../../src/core/operation/endpoint.js';
import { BookView, MemoryBook, RememberedWrite } from '../../src/core/recover/memory-book.js';
import { targetOf } from '../../src/core/recover/write-hook.js';
import { messageEndpoints } from '../../src/resources/messages/endpoints.js';

// What is known of other writes, for one that is read back. That they are forgotten, tests/memory/writes.test.ts shows.

const { send } = messageEndpoints;
const now = Date.parse('2026-03-02T12:00:00Z');
const day = 24 * 3_600_000;
beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const input = (pack_id: number | string, text: string): object => ({ pack_id, user_id: 7, to: { user_id: 9 }, text });
/** A write to the conversation of a pack, with its milliseconds after noon. */
const write = (id: string, ms = 0, more: { text?: string | undefined; pack_id?: number } = {}): RememberedWrite =>
  new RememberedWrite({
    id,
    endpoint: send,
    input: input(more.pack_id ?? 1, more.text ?? 'Hello'),
    token: undefined,
    calledAt: now + ms,
    sentAt: now + ms,
  });
const target = targetOf(send, input(1, ''), undefined);
const idsOf = (writes: readonly { id: string }[]): string[] => writes.map(({ id }) => id);

describe('a book in memory', () => {
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

  test.each<[string, string, number, string, boolean]>([
    ['none', '', 0, 'stored', false],
    ['the same', 'a 0', 0, 'a', false],
    ['one a millisecond before, which a clock may round', 'a -1', 0, 'a', false],
    ['one two milliseconds before', 'a -2', 0, 'stored', false],
    ['one a minute later', 'a 60000', 0, 'a', false],
    ['one more than a minute later', 'a 60001', 0, 'stored', true],
    ['one with another text', 'a 0 Bye', 0, 'stored', false],
    ['the first of two', 'a 0; b 10', 0, 'a', false],
    ['the second of two', 'a 0; b 10', 10, 'b', false],
  ])('a write that was stored is that in memory: %s', (_, writes, ms, id, isUncertain) => {
    const book = new MemoryBook();
    for (const [each = '', at, text] of writes.split('; ').map((one) => one.split(' ')))
      if (each) book.add(write(each, Number(at), { text }));
    const found = book.askFor(write('stored', ms));
    expect([found.write.id, found.isUncertain]).toEqual([id, isUncertain]);
  });

  test('equal writes that were stored in the same millisecond are found in turn, also the third time', () => {
    const book = new MemoryBook();
    for (const id of ['a', 'b']) book.add(write(id));
    expect([1, 2, 3, 4].map(() => book.askFor(write('stored')).write.id)).toEqual(['a', 'b', 'a', 'b']);
  });

  test('notes no time of the service for what is sent after the clock was set, until its next header', () => {
    const book = new MemoryBook();
    const headers = new Headers({ date: new Date(now).toUTCString() });
    const noted = [0, -3_600_000, 3_600_000].map((ms) => {
      vi.setSystemTime(now + ms);
      const before = book.timesNow(`before ${ms}`).latestAt;
      book.clock.observe(Date.now(), headers, () => {});
      return [before, book.timesNow(`after ${ms}`).latestAt];
    });
    expect(noted).toEqual(noted.map(() => [undefined, now + 1000]));
  });
});

describe('the view of a write', () => {
  const booked = (id: string, ms: number, more: Partial<BookedWrite> = {}): BookedWrite => ({
    id,
    target,
    input: input(1, 'Hello'),
    sentAt: now + ms,
    state: 'sent',
    ...more,
  });
  const sent = { earliest: 1000, latest: 2000 };
  async function look(inMemory: readonly RememberedWrite[], stored: readonly BookedWrite[], entries: string[] = []) {
    const memory = new MemoryBook();
    memory.clock.observe(now, new Headers({ date: new Date(now).toUTCString() }), () => {});
    const own = memory.add(write('own'));
    for (const each of inMemory) memory.add(each);
    const book: WriteBook = {
      look: (of, names) =>
        Promise.resolve(stored.filter((each) => each.target === of || names.includes(each.entry ?? ''))),
      claim: () => Promise.resolve(true),
    };
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
    const stored = [
      booked('a', 10),
      booked('own', 0),
      booked('b', 20, { state: 'rejected' }),
      booked('c', 30, { entry: 'message 3' }),
    ];
    const { others } = await look([write('a', 10)], stored);
    expect(others).toHaveLength(1);
  });

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
