import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Callers } from '../../src/testing/tape/callers.js';
import { isSameLeaf } from '../../src/testing/tape/compare-leaf.js';
import { differencesOf } from '../../src/testing/tape/compare.js';
import { TapeIds } from '../../src/testing/tape/ids.js';
import { isCount } from '../../src/testing/tape/mask-text.js';
import { Masker } from '../../src/testing/tape/mask.js';
import { verifyTape } from '../../src/testing/tape/replay.js';
import { Seen } from '../../src/testing/tape/seen.js';
import type { TapeExchange } from '../../src/testing/tape/tape.js';

// Two of a thing on a tape: ids, new entries, tokens of a user, an entry that is shown twice; and the clock after the last exchange.

const at = '2030-03-04T12:00:00.000Z';
/** An exchange of a tape. */
function exchange(endpoint: string, path: string, response: unknown, more: Partial<TapeExchange> = {}): TapeExchange {
  const none = { kind: 'none', value: null };
  const named = { endpoint, caller: 'user 1', user: null, token: 'valid' as const };
  const got = { status: 200, responseHeaders: {}, response: { kind: 'json', value: response } };
  return { at, method: 'GET', path, ...named, headers: {}, request: none, ...got, ...more };
}

/** A marketplace with a buyer and two sellers, and what the ids of a tape stand for in it. */
function replayed(tape: readonly TapeExchange[] = []) {
  const marketplace = new FakeMarketplace({ now: at });
  const users = [1000, 1001, 1002].map((user_id) => marketplace.addUser({ user_id }));
  for (const { user_id: seller_id } of users.slice(1)) marketplace.addItem({ seller_id });
  const masker = new Masker();
  const ids = new TapeIds(tape, marketplace, masker);
  const masked = (id: number): string => masker.id(String(id)) ?? '';
  return { marketplace, ids, masked };
}

describe('an id of a tape', () => {
  const [first, second] = ['91234500011', '91234500022'];

  test('stands for what it met first, and no other id stands for that', () => {
    const { ids, masked } = replayed();
    const [a, b] = [masked(5_000_000_001), masked(5_000_000_002)];
    const told = [
      [first, a],
      [second, a],
      [second, b],
      [first, b],
      [first, a],
      [second, b],
    ].map(([expected = '', actual = '']) => ids.isSame(expected, actual));
    expect(told).toEqual([true, false, true, false, true, true]);
  });

  test('stands for nothing of another form', () => {
    const { ids, masked } = replayed();
    expect(ids.isSame('MLA9123450001', masked(5_000_000_001))).toBe(false);
    expect(ids.isSame(first, masked(5_000_000_001))).toBe(true);
  });
});

describe('entries that the fake has made meanwhile', () => {
  /** A page of questions, with ids. */
  const page = (...ids: (string | number)[]): TapeExchange => {
    const questions = ids.map((id) => ({ id: Number(id), text: 'Xxx' }));
    return exchange('questions.search', '/questions/search?seller_id=1001', { total: ids.length, questions });
  };
  const raw = [5_000_000_001, 5_000_000_002, 5_000_000_003, 5_000_000_004];
  const onTape = ['91234500011', '91234500022', '91234500033', '91234500044'];

  test.each([1, 2, 3])('%i of them are compared one by one, behind the one that is known', (count) => {
    const { ids, masked } = replayed();
    expect(ids.isSame(onTape[0]!, masked(raw[0]!))).toBe(true);
    const [expected, actual] = [page(...onTape.slice(0, count + 1)), page(...raw.slice(0, count + 1).map(masked))];
    for (let time = 0; time < 2; time += 1)
      expect(differencesOf(expected, actual, { ids, typesOnly: false })).toEqual([]);
    const stands = onTape.slice(0, count + 1).map((id) => ids.of(id));
    expect(stands).toEqual(raw.slice(0, count + 1).map(String));
  });

  test('one that is missing, one too many and two that are swapped differ', () => {
    const { ids, masked } = replayed();
    for (const [index, id] of onTape.entries()) expect(ids.isSame(id, masked(raw[index]!))).toBe(true);
    const expected = page(...onTape.slice(0, 3));
    const whatOf = (...indexes: number[]): string[] =>
      differencesOf(expected, page(...indexes.map((index) => masked(raw[index]!))), { ids, typesOnly: false })
        .filter(({ path }) => path === 'questions[]')
        .map(({ what }) => what);
    expect([whatOf(0, 1, 2), whatOf(0, 1), whatOf(0, 1, 2, 3), whatOf(0, 2, 1)]).toEqual([
      [],
      ['entries'],
      ['entries'],
      ['order'],
    ]);
  });
});

describe('a token of a tape', () => {
  /** The users whose tokens the callers of a tape get: the flex calls tell for certain whose they are, the searches perhaps. */
  function usersOf(
    ...calls: (readonly ['certain' | 'perhaps', caller: string, user_id: number])[]
  ): (number | undefined)[] {
    const tape = calls.map(([how, caller, user_id]) =>
      how === 'certain'
        ? exchange('flex.subscriptions', `/shipping/flex/sites/MLA/users/${user_id}/subscriptions/v1`, [], { caller })
        : exchange('questions.search', `/questions/search?seller_id=${user_id}`, {}, { caller }),
    );
    const { marketplace, ids } = replayed(tape);
    const callers = new Callers(tape, ids, marketplace);
    return tape.map((each) => {
      const token = callers.authorizationOf(each)?.replace('Bearer ', '') ?? '';
      return marketplace.accounts.bearerOf(token)?.user_id;
    });
  }

  test.each<[string, Parameters<typeof usersOf>, (number | undefined)[]]>([
    ['its user', [['certain', 'a', 1001]], [1001]],
    [
      'its user, like another token',
      [
        ['certain', 'a', 1001],
        ['certain', 'b', 1001],
      ],
      [1001, 1001],
    ],
    [
      'its own user each',
      [
        ['certain', 'a', 1002],
        ['certain', 'b', 1001],
      ],
      [1002, 1001],
    ],
    ['the user that it asks about', [['perhaps', 'a', 1002]], [1002]],
    [
      'another user, if that is taken',
      [
        ['certain', 'a', 1002],
        ['perhaps', 'b', 1002],
      ],
      [1002, 1001],
    ],
    [
      'another user, if another asks about that too',
      [
        ['perhaps', 'a', 1001],
        ['perhaps', 'b', 1001],
      ],
      [1001, 1002],
    ],
    [
      'the same user at each call',
      [
        ['perhaps', 'a', 1001],
        ['perhaps', 'b', 1002],
        ['perhaps', 'a', 1002],
      ],
      [1001, 1002, 1001],
    ],
    [
      'the user that it asks about most',
      [
        ['perhaps', 'a', 1001],
        ['perhaps', 'a', 1002],
        ['perhaps', 'a', 1002],
      ],
      [1002, 1002, 1002],
    ],
  ])('is of %s', (_, calls, expected) => {
    expect(usersOf(...calls)).toEqual(expected);
  });

  test('of a user whom nothing names is first of a seller, and of a fourth caller of a user who is added', () => {
    const calls = ['a', 'b', 'c', 'd'].map((caller) => ['perhaps', caller, 1001] as const);
    const found = usersOf(...calls);
    expect(found.slice(0, 3)).toEqual([1001, 1002, 1000]);
    expect([1000, 1001, 1002]).not.toContain(found[3]);
  });
});

describe('a seed of what a tape shows', () => {
  const user = { user_id: 7 };
  const itemOf = (...found: object[]): unknown => {
    const seen = new Seen();
    seen.see('users', 7, user);
    for (const each of found) seen.see('items', 'MLA1', { item_id: 'MLA1', ...each });
    return seen.seed().items;
  };
  const item = { seller_id: 7, item_id: 'MLA1' };

  test.each<[string, object[], object]>([
    ['that nothing shows', [{}], {}],
    ['seen once', [{ status: 'paused' }], { status: 'paused' }],
    ['seen twice, as it was first', [{ status: 'paused' }, { status: 'active' }], { status: 'paused' }],
    ['seen twice, each time a part', [{ status: 'paused' }, { title: 'Chair' }], { status: 'paused', title: 'Chair' }],
    ['seen with a state that a seed does not take', [{ status: 'sold' }, { status: 'active' }], { status: 'active' }],
    ['seen in another case', [{ status: 'PAUSED' }, { status: 'active' }], { status: 'paused' }],
    ['seen with null', [{ title: null }, { title: 'Chair' }], { title: 'Chair' }],
  ])('has an item %s', (_, found, expected) => {
    expect(itemOf(...found)).toEqual([{ ...item, ...expected }]);
  });

  test('has the messages of two packs apart, also with one id, by their time', () => {
    const seen = new Seen();
    seen.see('users', 7, user);
    for (const pack_id of [1, 2]) seen.see('packs', pack_id, { pack_id, seller_id: 7, buyer_id: 8 });
    seen.see('messages', 'b', { from: 'buyer', text: 'Later', sent_at: '2030-01-02T00:00:00Z' }, 1);
    seen.see('messages', 'a', { from: 'buyer', text: 'First', sent_at: '2030-01-01T00:00:00Z' }, 1);
    seen.see('messages', 'a', { from: 'seller', text: 'Other', sent_at: '2030-01-01T00:00:00Z' }, 2);
    const texts = seen.seed().packs?.map(({ messages }) => messages?.map(({ text }) => text));
    expect(texts).toEqual([['First', 'Later'], ['Other']]);
  });
});

describe('the clock of a fake that replays a tape', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2031-01-01T00:00:00Z') }));
  afterEach(() => void vi.useRealTimers());
  const list = (ms: number): TapeExchange =>
    exchange('currencies.list', '/currencies', [], { at: new Date(Date.parse(at) + ms).toISOString() });

  test.each([
    [0, 0],
    [1999, 0],
    [2000, 2000],
    [3_600_000, 3_600_000],
  ])('runs on after it, %i ms later on the tape by %i ms, if it ran before', async (ms, moved) => {
    const marketplace = new FakeMarketplace();
    const startedAt = marketplace.clock.ms;
    await verifyTape([list(0), list(ms), list(ms)], marketplace);
    expect([marketplace.clock.isStopped, marketplace.clock.ms - startedAt]).toEqual([false, moved]);
    vi.setSystemTime(Date.now() + 5000);
    expect(marketplace.clock.ms - startedAt).toBe(moved + 5000);
  });

  test.each([
    [1999, 0],
    [2000, 2000],
  ])('stands after it, %i ms later on the tape by %i ms, if it stood before', async (ms, moved) => {
    const marketplace = new FakeMarketplace({ now: at });
    await verifyTape([list(0), list(ms)], marketplace);
    expect([marketplace.clock.isStopped, marketplace.clock.ms - Date.parse(at)]).toEqual([true, moved]);
    vi.setSystemTime(Date.now() + 5000);
    expect(marketplace.clock.ms - Date.parse(at)).toBe(moved);
  });

  // A fake whose clock stands a second later has the time of the tape: the header has no fraction of a second.
  test.each([
    [-5000, 0],
    [0, 0],
    [1000, 0],
    [1001, 1001],
    [3_600_000, 3_600_000],
  ])('that stood %i ms after the tape is moved to %i ms after its last exchange', async (ms, expected) => {
    const marketplace = new FakeMarketplace({ now: new Date(Date.parse(at) + ms) });
    await verifyTape([list(0), list(7_200_000)], marketplace);
    expect(marketplace.clock.ms - Date.parse(at)).toBe(7_200_000 + expected);
  });
});

const { ids } = replayed();

test.each([
  [0, 0, true],
  [0, 1, false],
  [1, 20, true],
  [20, 21, false],
  [21, 100, true],
  [100, 101, false],
  [101, 350, true],
  [350, 351, false],
  [351, 2000, true],
  [2000, 2001, false],
  [2001, 3500, true],
  [3500, 3501, false],
  [3501, 9000, true],
])('texts of %i and %i characters are equal: %s', (a, b, expected) => {
  for (const letter of ['x', '😀']) {
    expect(isSameLeaf(letter.repeat(a), letter.repeat(b), { kinds: [] }, ids)).toBe(expected);
    expect(isSameLeaf(letter.repeat(b), letter.repeat(a), { kinds: [] }, ids)).toBe(expected);
  }
});

test.each([
  ['0', true],
  ['-1', true],
  ['01', false],
  ['999999', true],
  ['1000000', false],
  ['-999999', true],
  ['-1000000', false],
  ['1.25', true],
  ['1.255', false],
  ['999999.01', false],
])('%s stays as a count: %s', (text, expected) => {
  expect(isCount(text)).toBe(expected);
});
