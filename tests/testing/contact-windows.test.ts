import { describe, expect, test } from 'vitest';
import { marketplace, noon, request, serveShop, statusOf } from '../support/fake-shop.ts';

// Contacts are counted in periods and windows, whose first and last moments are theirs.

serveShop();

const noonMs = Date.parse(noon);

describe('contacts', () => {
  const record = (ms: number, times = 1): void =>
    marketplace.viewPhone({ item_id: 'MLA1' }, { at: noonMs + ms, times });
  const path = '/items/MLA1/contacts/phone_views';
  const hour = 3_600_000;
  const window = async (query: string): Promise<{ date_from: string; results: { date: string; total: number }[] }> =>
    (await request(`GET ${path}/time_window?unit=hour&${query}`)).body;

  test('an interval begins with its first moment, and the window ends with its last', async () => {
    marketplace.clock.advance({ hours: 1 });
    for (const [ms, times] of [
      [-hour - 1, 1],
      [-hour, 10],
      [-1, 100],
      [0, 1_000],
      [hour, 10_000],
      [hour + 1, 100_000],
    ] as const)
      record(ms, times);
    const { results, date_from } = await window('last=3');
    expect(results.map(({ total }) => total)).toEqual([110, 1_000, 10_000]);
    expect(results.map(({ date }) => date)).toEqual([
      '2026-03-02T11:00:00Z',
      '2026-03-02T12:00:00Z',
      '2026-03-02T13:00:00Z',
    ]);
    expect(date_from).toBe('2026-03-02T11:00:00Z');
    expect((await window('last=3&order=desc')).results).toEqual(results.toReversed());
    expect((await window('')).results.map(({ total }) => total)).toEqual([10_000]);
  });

  test.each([
    [0, 400],
    [1, 200],
    [3, 200],
    [4, 400],
  ])('of at most 3 intervals, %i: %i', async (last, status) => {
    marketplace.settings.maxWindowIntervals = 3;
    expect(await statusOf(`GET ${path}/time_window?unit=hour&last=${last}`)).toBe(status);
  });

  test.each<[string, string, number | undefined]>([
    [noon, noon, 10],
    [noon, '2026-03-02T12:00:00.001Z', 110],
    ['2026-03-02T12:00:00.001Z', noon, undefined],
    ['2026-03-02', '2026-03-02', 1_110],
    ['2026-03-03', '2026-03-03', 10_000],
    ['2026-03-02', '2026-03-03', 11_110],
  ])('from %s to %s: %j', async (from, to, total) => {
    for (const [ms, times] of [
      [0, 10],
      [1, 100],
      [12 * hour - 1, 1_000],
      [12 * hour, 10_000],
    ] as const)
      record(ms, times);
    const found = await request(`GET ${path}?date_from=${from}&date_to=${to}`);
    expect(found.status).toBe(total === undefined ? 400 : 200);
    if (total !== undefined) expect(found.body).toMatchObject({ total });
  });

  test.each([
    ['MLA1', 200, 1],
    ['MLA1,MLA1', 200, 1],
    ['MLA1,MLA2', 200, 2],
    ['MLA1,MLA2,MLA3', 400, undefined],
    ['', 400, undefined],
  ])('of at most 2 items, %j: %i', async (ids, status, length) => {
    marketplace.settings.maxIds = 2;
    for (const item_id of ['MLA2', 'MLA3']) marketplace.addItem({ item_id, seller_id: 7 });
    const found = await request(`GET /items/contacts/phone_views/time_window?unit=day&ids=${ids}`);
    expect(found.status).toBe(status);
    if (length !== undefined) expect((found.body as unknown[]).length).toBe(length);
  });
});
