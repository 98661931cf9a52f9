import { describe, expect, test } from 'vitest';
import { marketplace, seller, serveShop, statusOf } from '../support/fake-shop.ts';

// What the fake accepts of Flex, and which subscriptions and items it is for.

serveShop();

describe('Flex', () => {
  const subscribe = (init: object = {}) => marketplace.flex.subscribe({ user_id: 7, service_id: 3, ...init });
  const place = '/shipping/flex/sites/MLA/users/7/services/3/configuration';
  const range = { from: 9, to: 13, capacity: 20, cutoff: 8 };
  const set = (given: object) =>
    statusOf(`PUT ${place}/delivery/custom/v3`, { delivery_ranges: { week: [{ ...range, ...given }] } });
  const configuration = () =>
    marketplace.clientFor(seller).flex.configuration({ site_id: 'MLA', user_id: 7, service_id: 3 });

  test.each([
    [{ from: -1 }, 400],
    [{ from: 0 }, 200],
    [{ from: 24, to: 24 }, 200],
    [{ to: 24 }, 200],
    [{ to: 25 }, 400],
    [{ cutoff: 0 }, 200],
    [{ cutoff: 24 }, 200],
    [{ cutoff: 25 }, 400],
    [{ capacity: 0 }, 400],
    [{ capacity: 1 }, 200],
    [{ capacity: 500 }, 200],
    [{ capacity: 501 }, 400],
  ])('a range with %j: %i', async (given, status) => {
    subscribe();
    expect(await set(given)).toBe(status);
  });

  test('each hour that can be set is available', async () => {
    subscribe();
    const { availables } = await configuration();
    const hours = Array.from({ length: 25 }, (_, hour) => hour);
    expect([availables?.ranges, availables?.cutoff]).toEqual([hours, hours]);
    expect(availables?.capacity_range).toEqual({ from: 1, to: 500 });
  });

  test.each([
    [{}, []],
    [{ week: [] }, []],
    [{ week: [range] }, ['week']],
    [{ week: [range], saturday: [], sunday: [range] }, ['week', 'sunday']],
  ])('with the ranges %j a seller works on %j', async (delivery_ranges, days) => {
    subscribe({ delivery_ranges });
    expect((await configuration()).working_days).toEqual(days);
  });

  test.each([
    ['in', 200, 0],
    ['pending', 200, 2],
    ['out', 404, 0],
  ] as const)(
    'a subscription that is %s: a change gets %i, and %i weeks of training remain',
    async (status, expected, weeks) => {
      marketplace.settings.liveFields = true;
      subscribe({ status });
      expect(await set({})).toBe(expected);
      expect((await configuration()).subscription?.training_times).toMatchObject({
        original: { value: 2 },
        remaining: { value: weeks },
      });
    },
  );

  test('a subscription to Turbo has no ranges and no zones to set, whatever its status', async () => {
    subscribe({ service_id: 2 });
    const turbo = subscribe({ mode: 'TURBO' });
    const change = async (): Promise<number[]> => [
      await set({}),
      await statusOf(`PUT ${place}/coverage/zone/v3`, { zones: [{ id: 'MLA-1' }] }),
    ];
    expect(await change()).toEqual([400, 400]);
    marketplace.flex.setStatus(turbo.id, 'pending');
    expect(await change()).toEqual([400, 400]);
  });

  test.each<[string[], number]>([
    [[], 403],
    [['out'], 403],
    [['in'], 204],
    [['pending'], 204],
  ])('an item of a seller with the subscriptions %j is enabled with %i', async (statuses, expected) => {
    for (const status of statuses) subscribe({ status });
    expect(await statusOf('POST /sites/MLA/shipping/selfservice/items/MLA1')).toBe(expected);
  });

  test('a change of an item that is rejected leaves it free for the next one', async () => {
    subscribe();
    const statuses = [];
    for (const method of ['DELETE', 'DELETE', 'POST', 'POST', 'DELETE'])
      statuses.push(await statusOf(`${method} /sites/MLA/shipping/selfservice/items/MLA1`));
    expect(statuses).toEqual([400, 400, 204, 400, 204]);
  });
});
