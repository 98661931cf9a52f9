import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Clock, localInstant } from '../../src/testing/clock.js';
import { listsOf } from '../../src/testing/dashboard/lists.js';
import { matchesFilter } from '../../src/testing/http/requests.js';

// The clock of the fake and the times of its sites, the paths of filters, and the tokens that the dashboard shows.

describe('a path of a filter', () => {
  const matches = (path: string, pattern: string): boolean =>
    matchesFilter({ method: 'GET', path, endpoint: null, user_id: null, body: null }, { path: pattern });

  test.each<[string, string[], string[]]>([
    ['/items', ['/items'], ['/item', '/items/', '/items?ids=1', '/a/items']],
    ['/items*', ['/items', '/items/', '/items/MLA1'], ['/item', '/a/items']],
    ['*/items', ['/items', '/a/items'], ['/items/', '/item']],
    ['*', ['', '/', '/items'], []],
    ['/items/*/status', ['/items//status', '/items/1/status'], ['/items/status', '/items/1/status/', '/items/1']],
    ['/a*a', ['/aa', '/aba'], ['/a', '/ab', '/aab']],
    ['/a*b*c', ['/abc', '/axbxc', '/abbc', '/abcc'], ['/ac', '/acb', '/ab', '/acbb']],
    ['/ab*ba', ['/abba', '/ab/ba'], ['/aba', '/ab']],
  ])('%s', (pattern, fitting, others) => {
    expect([...fitting, ...others].filter((path) => matches(path, pattern))).toEqual(fitting);
  });
});

describe('a clock', () => {
  const start = Date.parse('2030-01-01T00:00:00Z');
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }));
  afterEach(() => void vi.useRealTimers());
  const hour = 3_600_000;

  test.each<[string, (clock: Clock) => void, number, boolean]>([
    ['that follows the machine', () => undefined, 0, false],
    ['that stands', (clock) => clock.set(start + hour), hour, true],
    [
      'that runs ahead',
      (clock) => {
        clock.set(start + hour);
        clock.run();
      },
      hour,
      false,
    ],
  ])('%s is the same after another time, whatever happened in it', (_, prepare, aheadMs, isStopped) => {
    for (const act of [() => undefined, (clock: Clock) => clock.run(), (clock: Clock) => clock.advance({ days: 1 })]) {
      const clock = new Clock();
      prepare(clock);
      const inside = clock.at(start + 5 * hour, () => {
        const { ms } = clock;
        act(clock);
        return ms;
      });
      expect([inside, clock.ms - start, clock.isStopped]).toEqual([start + 5 * hour, aheadMs, isStopped]);
      expect(() =>
        clock.at(start, () => {
          clock.run();
          throw new SyntaxError('stop');
        }),
      ).toThrow(SyntaxError);
      vi.setSystemTime(start + 1000);
      expect(clock.ms - start).toBe(aheadMs + (isStopped ? 0 : 1000));
      vi.setSystemTime(start);
    }
  });

  test('that runs is as far ahead when it is told to run again', () => {
    const clock = new Clock(start + hour);
    clock.run();
    vi.setSystemTime(start + 1000);
    clock.run();
    expect(clock.ms).toBe(start + hour + 1000);
  });
});

test('each of two sites has its own time of the same moment, in any order and the second time', () => {
  const moment = Date.parse('2030-01-15T12:00:00Z');
  const expected = {
    MLA: '2030-01-15T09:00:00.000-03:00',
    MLM: '2030-01-15T06:00:00.000-06:00',
    MCO: '2030-01-15T07:00:00.000-05:00',
  };
  for (const site of ['MLA', 'MLM', 'MCO', 'MLM', 'MLA'] as const)
    expect(localInstant(moment, site)).toBe(expected[site]);
  // Clocks of Chile changed at the end of this quarter of an hour.
  const change = Date.parse('2030-04-07T03:00:00Z');
  expect([change - 1, change].map((ms) => localInstant(ms, 'MLC'))).toEqual([
    '2030-04-06T23:59:59.999-03:00',
    '2030-04-06T23:00:00.000-04:00',
  ]);
});

test.each([0, 1, 9, 10, 11, 25])(
  'the dashboard shows of %i tokens of a user the newest ten, and calls with the first',
  (count) => {
    const marketplace = new FakeMarketplace();
    const users = [7, 8].map((user_id) => marketplace.addUser({ user_id }));
    const tokens = Array.from({ length: count }, (_, index) => `token-${index}`);
    for (const token of tokens)
      for (const user of users) marketplace.accounts.issueToken(user.user_id, 500, `${token}-${user.user_id}`);
    const shown = listsOf(marketplace, []).users.newest();
    expect(shown).toHaveLength(2);
    for (const { user_id, token, tokens: newest } of shown) {
      expect(newest.map((each) => each.token)).toEqual(tokens.slice(-10).map((each) => `${each}-${user_id}`));
      expect(token).toBe(count === 0 ? null : `token-0-${user_id}`);
    }
  },
);

test('a clock that ran ahead follows the machine after a reset', () => {
  const running = new FakeMarketplace();
  running.clock.set('2030-01-01T00:00:00Z');
  running.clock.run();
  running.reset();
  expect(Math.abs(running.clock.ms - Date.now())).toBeLessThan(86_400_000);
});
