import { describe, expect, test, vi } from 'vitest';
import { Dashboard } from '../../src/testing/dashboard/dashboard.js';
import { RecentEntries } from '../../src/testing/http/requests.js';
import { createMarketplace } from '../support/marketplace.ts';

const mb = 1024 * 1024;

/** The numbers that are kept of entries with these sizes in MB, by their greatest number. */
function kept(most: number, sizes: readonly number[]): number[] {
  const recent = new RecentEntries<number>(most);
  sizes.forEach((size, index) => recent.save(index, index, size * mb));
  return recent.all;
}

describe('of the newest entries', () => {
  test.each([
    [1, [2]],
    [2, [1, 2]],
    [3, [0, 1, 2]],
    [4, [0, 1, 2]],
  ])('%i are kept: %j', (most, expected) => {
    expect(kept(most, [0, 0, 0])).toEqual(expected);
  });

  test.each<[number[], number[]]>([
    [
      [16, 16],
      [0, 1],
    ],
    [[16, 16 + 1 / mb], [1]],
    [
      [1, 15, 16],
      [0, 1, 2],
    ],
    [
      [1, 15, 17],
      [1, 2],
    ],
    [[1, 15, 18], [2]],
    // One is kept, whatever its size.
    [[33], [0]],
    [[1, 33], [1]],
    [[33, 1], [1]],
    [
      [33, 0, 32],
      [1, 2],
    ],
  ])('with %j MB, 32 MB are kept: %j', (sizes, expected) => {
    expect(kept(10, sizes)).toEqual(expected);
  });

  test('one that is saved again counts with its new size, and keeps its place', () => {
    const recent = new RecentEntries<string>(10);
    recent.save(1, 'a', 30 * mb);
    recent.save(2, 'b', 2 * mb);
    recent.save(1, 'A', 1 * mb);
    recent.save(3, 'c', 29 * mb);
    expect(recent.all).toEqual(['A', 'b', 'c']);
    recent.save(2, 'B', 3 * mb);
    expect(recent.all).toEqual(['B', 'c']);
    expect([recent.has(1), recent.has(2)]).toEqual([false, true]);
  });

  test('those that were deleted, and all after `clear()`, count no more', () => {
    const recent = new RecentEntries<number>(2);
    for (let index = 0; index < 20; index += 1) recent.save(index, index, 16 * mb);
    expect(recent.all).toEqual([18, 19]);
    recent.clear();
    expect(recent.all).toEqual([]);
    for (let index = 0; index < 2; index += 1) recent.save(index, index, 16 * mb);
    expect(recent.all).toEqual([0, 1]);
  });
});

test('a request that is open when the logs are cleared does not come back, and none leaves a listener', async () => {
  const { marketplace, buyer, item_id } = createMarketplace();
  let listeners = 0;
  vi.spyOn(marketplace.faults, 'onApplied').mockImplementation(() => ((listeners += 1), () => (listeners -= 1) > 0));
  const { fetch, requestLog } = new Dashboard(marketplace);
  marketplace.events.on(() => [marketplace.requests, requestLog].forEach((log) => log.clear()));
  const headers = { authorization: `Bearer ${marketplace.tokenFor(buyer)}` };
  const init = { method: 'POST', headers, body: JSON.stringify({ item_id, text: 'Is it new?' }) };
  const ask = (): Promise<Response> => fetch(new Request(`${marketplace.baseUrl}/questions`, init));
  expect(await (await ask()).text()).toContain('Is it new?');
  expect([marketplace.requests.all, requestLog.all]).toEqual([[], []]);
  marketplace.faults.inject({ reset: 'before' });
  await expect(ask()).rejects.toThrow(TypeError);
  expect([vi.mocked(marketplace.faults.onApplied).mock.calls.length, listeners]).toEqual([2, 0]);
});
