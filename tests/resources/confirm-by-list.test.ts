import { describe, expect, test } from 'vitest';
import type { KnownWrites, OtherWrite, Reading } from '../../src/core/operation/endpoint.js';
import { ageOf, compareText, confirmByList, readEnds, shownList } from '../../src/resources/confirm-by-list.js';
import type { ListedEntry, ShownPage } from '../../src/resources/confirm-by-list.js';

// The rules by which a list proves a write, at their boundaries: none, one and two entries, other writes before and after this
// one, and dates on both sides of each limit.

const noon = Date.parse('2026-03-02T12:00:00Z');
const timeOf = (ms: number) => ({ earliest: noon + ms, latest: noon + ms });
const dated = (ms: number): string => new Date(noon + ms).toISOString();
const minute = 60_000;

type Entry = ListedEntry<string, string>;
/** An entry with a text and with its milliseconds after noon. Its output is its name. */
const entry = (name: string, text: string, ms: number, more: Partial<Entry> = {}): Entry => ({
  entry: name,
  name,
  date: dated(ms),
  compare: (input) => compareText(text, input),
  ...more,
});
const other = (ms: number, more: Partial<OtherWrite> = {}): OtherWrite => ({
  input: 'It leaves today.',
  sent: timeOf(ms),
  isDone: false,
  isEqual: true,
  isInFlight: false,
  ...more,
});

interface Known {
  /** When the writes were sent that entries prove, in milliseconds after noon. */
  readonly sent?: Readonly<Record<string, number>>;
  readonly others?: readonly OtherWrite[];
  readonly proofs?: Readonly<Record<string, 'this' | 'another'>>;
  readonly taken?: readonly string[];
  readonly isComplete?: boolean;
}

/** What is found for a text that was sent at noon: the entry, `false`, or why nothing is known; `later` if that may change. */
async function found(entries: readonly Entry[], known: Known = {}): Promise<unknown> {
  const { others = [], proofs = {}, sent = {}, taken = [], isComplete = true } = known;
  const proved = new Map(Object.entries(proofs));
  const context = {
    look: async (): Promise<KnownWrites> => ({
      provedBy: (name) => proved.get(name),
      sentOf: (name) => (name in sent ? timeOf(sent[name]!) : undefined),
      others,
    }),
    claim: async (name: string) => {
      if (taken.includes(name)) proved.set(name, 'another');
      return !taken.includes(name);
    },
  };
  const list = { entries, isComplete, sent: timeOf(0) };
  const result = await confirmByList(list, 'It leaves today.', context);
  if (result.done) return result.output;
  return result.done ?? (result.mayChange ? 'later' : result.unknown);
}
const text = 'It leaves today.';
const [a, b] = [entry('a', text, minute), entry('b', text, 2 * minute)];
const datesUnsure = expect.stringContaining('nothing shows that the dates of this list are right') as unknown;
/** An entry of another write of this client, with its date in minutes after noon. */
const own = (minutes?: number): Entry =>
  entry('own', 'Thank you', (minutes ?? 0) * minute, minutes === undefined ? { date: undefined } : {});
/** What is known of it: when it was sent. */
const shown = (minutes: number): Known => ({ proofs: { own: 'another' }, sent: { own: minutes * minute } });
const looksLike = (count: number): unknown =>
  expect.stringMatching(count === 1 ? /^1 entry looks/ : new RegExp(`^${count} entries look`));

describe('a text that was sent at noon', () => {
  test.each<[string, Entry[], Known, unknown]>([
    ['no entry', [], {}, false],
    ['no entry, in a part of the list', [], { isComplete: false }, expect.stringContaining('newest entry')],
    ['one', [a], {}, 'a'],
    ['one, in a part of the list', [a], { isComplete: false }, 'a'],
    ['two, the oldest first', [a, b], {}, 'a'],
    ['two, the newest first', [b, a], {}, 'a'],
    ['one without a name', [{ ...a, name: undefined }], {}, 'a'],
    ['one that may be of another', [{ ...a, uncertainty: 'of another' }], {}, 'of another'],
    ['two that may be of another', [a, b].map((each) => ({ ...each, uncertainty: 'of another' })), {}, looksLike(2)],
    ['one that proves another write', [a], { proofs: { a: 'another' } }, false],
    ['two, of which one proves another write', [a, b], { proofs: { a: 'another' } }, 'b'],
    ['one that proves this write, with another text', [entry('a', 'x', 0)], { proofs: { a: 'this' } }, 'a'],
    ['one that another process takes', [a], { taken: ['a'] }, false],
    ['two, of which another process takes one', [a, b], { taken: ['a'] }, 'b'],
    ['two, of which another process takes both', [a, b], { taken: ['a', 'b'] }, false],
    ['one from before', [entry('a', text, -16 * minute)], {}, datesUnsure],
    ['one from days before', [entry('a', text, -9000 * minute)], {}, datesUnsure],
    ['one from before, beside one of another write', [entry('a', text, -16 * minute), own(-20)], shown(-20), false],
    ['one from before, beside one without a date', [entry('a', text, -16 * minute), own()], shown(-20), datesUnsure],
    ['one from before, beside one that is not known', [entry('a', text, -16 * minute), own(-20)], {}, datesUnsure],
    [
      'one that seems to be from before by clocks that differ',
      [entry('a', text, -29 * minute), own(-40)],
      shown(-10),
      'a',
    ],
    ['one from before, and a new one', [entry('z', text, -16 * minute), a], {}, 'a'],
    ['one that may be from before', [entry('a', text, -15 * minute)], {}, looksLike(1)],
    ['one that may be from before, and a new one', [entry('z', text, -minute), a], {}, looksLike(2)],
    ['one without a date', [{ ...a, date: undefined }], {}, looksLike(1)],
    ['another text', [entry('a', 'Sorry for the wait', minute)], {}, expect.stringContaining('another entry since')],
    ['another text from before', [entry('a', 'Sorry for the wait', -16 * minute)], {}, false],
    ['a similar text', [entry('a', 'It leaves', minute)], {}, expect.stringContaining('a similar entry')],
    ['a similar text from before', [entry('a', 'It leaves', -16 * minute)], {}, false],
    ['a similar text, and the same', [entry('z', 'It leaves', minute), b], {}, 'b'],
  ])('%s', async (_, entries, known, expected) => {
    expect(await found(entries, known)).toEqual(expected);
  });

  test.each<[string, Entry[], OtherWrite[], unknown]>([
    ['one entry, and an equal write that has ended', [a], [other(0)], 'a'],
    ['one entry, and an equal write that is being sent', [a], [other(0, { isInFlight: true })], 'later'],
    ['two entries, and an equal write that is being sent', [a, b], [other(0, { isInFlight: true })], 'a'],
    ['two, and two that are being sent', [a, b], [0, 1].map((ms) => other(ms, { isInFlight: true })), 'later'],
    ['no entry, and an equal write that is being sent', [], [other(0, { isInFlight: true })], false],
    ['one entry, and an equal write that was carried out', [a], [other(0, { isDone: true })], false],
    ['two entries, and an equal write that was carried out', [a, b], [other(0, { isDone: true })], 'b'],
    ['three, and two equal ones that were carried out',
      [a, b, entry('c', text, 3 * minute)], [0, 1].map((ms) => other(ms, { isDone: true })), 'c'],
    ['one entry, and an equal write an hour before', [entry('a', text, -59 * minute)], [other(-60 * minute)], 'a'],
    ['an entry before each of two equal writes', [entry('a', text, -90 * minute)], [other(-60 * minute)], datesUnsure],
    ['an entry between two equal writes and one after both',
      [entry('z', text, -59 * minute), a], [other(-60 * minute)], 'a'],
    ['the same, with an equal write between them',
      [entry('z', text, -119 * minute), a], [other(-120 * minute), other(-60 * minute)], 'a'],
    ['an entry with the text of another write',
      [entry('a', 'Sorry', minute)], [other(0, { input: 'Sorry', isEqual: false })], false],
    ['an entry from before with the text of another write',
      [entry('a', 'Sorry', -minute)], [other(0, { input: 'Sorry', isEqual: false })], expect.stringContaining('since')],
    ['two with the text of one other write',
      [a, b].map((each) => ({ ...each, compare: (input: string) => compareText('Sorry', input) })),
      [other(0, { input: 'Sorry', isEqual: false })], expect.stringContaining('since')],
  ])('%s', async (_, entries, others, expected) => {
    for (const each of [entries, entries.toReversed()]) expect(await found(each, { others })).toEqual(expected);
  }); // prettier-ignore
});

test.each([true, false])('an hour after an equal write that was carried out, the new entry counts: %s', async (isNewestFirst) => {
  const entries = [entry('before', text, -59 * minute), a];
  const others = [other(-60 * minute, { isDone: true })];
  expect(await found(isNewestFirst ? entries.toReversed() : entries, { others })).toBe('a');
}); // prettier-ignore

test.each<[string, number, number, string]>([
  // 15 minutes, as far as clocks may differ
  ['2026-03-02T11:45:00.001Z', 0, 0, 'unclear'],
  ['2026-03-02T11:45:00Z', 0, 0, 'unclear'],
  ['2026-03-02T11:44:59.999Z', 0, 0, 'older'],
  // the part of a second that a date leaves out, and what synchronised clocks differ
  ['2026-03-02T11:59:59Z', 0, 0, 'newer'],
  ['2026-03-02T11:59:58Z', 0, 0, 'unclear'],
  ['2026-03-02T11:59:59.900Z', 0, 0, 'newer'],
  ['2026-03-02T11:59:59.899Z', 0, 0, 'unclear'],
  ['2026-03-02T11:59:59.000Z', 0, 0, 'newer'],
  ['2026-03-02T12:00:00Z', 0, 0, 'newer'],
  // two clocks that differ by a minute: older by the earlier, newer by the later
  ['2026-03-02T11:44:30Z', -minute, 0, 'unclear'],
  ['2026-03-02T11:43:59Z', -minute, 0, 'older'],
  ['2026-03-02T12:00:30Z', 0, minute, 'unclear'],
  ['2026-03-02T12:00:59Z', 0, minute, 'newer'],
  // a date without a zone, and one without a time, prove little
  ['2026-03-02T12:00:30', 0, 0, 'unclear'],
  ['2026-03-03T12:00:00', 0, 0, 'unclear'],
  ['2026-03-01T20:45:00', 0, 0, 'unclear'],
  ['2026-03-01T20:44:59', 0, 0, 'older'],
  ['2026-03-02', 0, 0, 'unclear'],
  ['2026-03-01', 0, 0, 'unclear'],
  ['2026-02-28', 0, 0, 'older'],
  ['2026-03-09', 0, 0, 'unclear'],
  ['soon', 0, 0, 'unclear'],
  ['', 0, 0, 'unclear'],
])('an entry of %s is, for a write at noon by clocks that are %i and %i ms off: %s', (date, early, late, age) => {
  expect(ageOf(date, { earliest: noon + early, latest: noon + late })).toBe(age);
});

test.each<[string | null | undefined, string, string]>([
  ['Red shoes', 'Red shoes', 'same'],
  [' Red\n shoes ', 'Red shoes', 'same'],
  ['red shoes', 'Red shoes', 'similar'],
  ['Red shóes', 'Red shoes', 'similar'],
  ['Red', 'Red shoes', 'similar'],
  ['Red shoes, size 40', 'Red shoes', 'similar'],
  ['shoes *** big', 'red big shoes', 'similar'],
  // one word of two is no more than half, two of three are
  ['blue shoes', 'Red shoes', 'other'],
  ['two blue shoes', 'two Red shoes', 'similar'],
  ['one blue shoes', 'two Red shoes', 'other'],
  ['blue shoes are nice to have', 'Red shoes', 'other'],
  // one letter is no word, and a text without words may have been masked
  ['a b', 'Red shoes', 'similar'],
  ['***', 'Red shoes', 'similar'],
  ['', 'Red shoes', 'similar'],
  [null, 'Red shoes', 'similar'],
  [undefined, 'Red shoes', 'similar'],
  ['Blue hats', 'Red shoes', 'other'],
])('%j, for a text %j, is: %s', (read, sent, likeness) => {
  expect(compareText(read, sent)).toBe(likeness);
});

const page = (count: number, total: number | null | undefined, isBare = false): ShownPage<number> => {
  const entries = Array.from({ length: count }, (_, index) => index);
  return { reading: { body: isBare ? entries : { entries }, sent: timeOf(0) } as Reading, entries, total };
};

test.each<[number, number | null | undefined, boolean, boolean]>([
  [0, 0, false, true],
  [1, 1, false, true],
  [2, 3, false, false],
  [3, 2, false, false],
  [0, undefined, false, false],
  [2, null, false, false],
  // a bare list, of pages of three
  [0, undefined, true, false],
  [1, undefined, true, true],
  [2, undefined, true, true],
  [3, undefined, true, false],
  [4, undefined, true, false],
  [3, 3, true, true],
])('%i entries of %s, as a bare list: %s, are the whole list: %s', (count, total, isBare, isComplete) => {
  expect(shownList(page(count, total, isBare), 3)).toMatchObject({ isComplete, sent: timeOf(0) });
});

test('a response without a list shows nothing', () => {
  expect(() => shownList({ ...page(0, 0), entries: null }, 3)).toThrow(TypeError);
});

/** The ends of a list of `first` entries that has `then` entries at the second reading, in pages of three. */
async function ends(first: number, then: number) {
  const offsets: (number | undefined)[] = [];
  const { entries, isComplete } = await readEnds(async (offset) => {
    offsets.push(offset);
    const total = offset === undefined ? first : then;
    const all = Array.from({ length: total }, (_, index) => index);
    return { ...page(0, total), entries: all.slice(offset ?? 0, (offset ?? 0) + 3) };
  }, 3);
  return { offsets, entries, isComplete };
}

test.each<[number, number, (number | undefined)[], number[], boolean]>([
  [0, 0, [undefined], [], true],
  [1, 1, [undefined], [0], true],
  [3, 3, [undefined], [0, 1, 2], true],
  [4, 4, [undefined, 3], [0, 1, 2, 3], true],
  [5, 5, [undefined, 3], [0, 1, 2, 3, 4], true],
  [6, 6, [undefined, 3], [0, 1, 2, 3, 4, 5], true],
  [7, 7, [undefined, 4], [0, 1, 2, 4, 5, 6], true],
  [4, 5, [undefined, 3], [0, 1, 2, 3, 4], false],
  [5, 4, [undefined, 3], [0, 1, 2, 3], false],
])('of %i entries, and then %i, both ends are read', async (first, then, offsets, entries, isComplete) => {
  expect(await ends(first, then)).toEqual({ offsets, entries, isComplete });
});
