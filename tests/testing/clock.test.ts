import { SellerError } from 'marketplace-seller-sdk';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

describe("the marketplace's clock", () => {
  test('the clock shows the time of the machine until it is set, and run() lets it run on from there', () => {
    vi.useFakeTimers({ now: new Date('2026-01-01T00:00:00Z') });
    const { clock } = new FakeMarketplace();
    vi.advanceTimersByTime(1000);
    expect(clock.iso).toBe('2026-01-01T00:00:01.000Z');
    clock.set('2030-06-01T12:00:00Z');
    vi.advanceTimersByTime(1000);
    expect(clock.iso).toBe('2030-06-01T12:00:00.000Z');
    clock.run();
    vi.advanceTimersByTime(1000);
    expect([clock.iso, clock.isStopped]).toEqual(['2030-06-01T12:00:01.000Z', false]);
    clock.run();
    expect(clock.iso).toBe('2030-06-01T12:00:01.000Z');
    expect(clock.at(0, () => clock.iso)).toBe('1970-01-01T00:00:00.000Z');
    expect(clock.iso).toBe('2030-06-01T12:00:01.000Z');
    clock.set(new Date());
    clock.run();
    vi.advanceTimersByTime(1000);
    expect(clock.iso).toBe(new Date().toISOString());
  });

  test('reset() of a marketplace takes its clock back to the start, whether it runs or not', () => {
    vi.useFakeTimers({ now: new Date('2026-01-01T00:00:00Z') });
    const [following, stopped] = [new FakeMarketplace(), new FakeMarketplace({ now: '2028-01-01T00:00:00Z' })];
    for (const marketplace of [following, stopped]) {
      marketplace.clock.set('2030-06-01T12:00:00Z');
      marketplace.clock.run();
      marketplace.reset();
    }
    expect([following.clock.iso, following.clock.isStopped]).toEqual(['2026-01-01T00:00:00.000Z', false]);
    expect([stopped.clock.iso, stopped.clock.isStopped]).toEqual(['2028-01-01T00:00:00.000Z', true]);
  });

  test('a clock with a start time moves only on advance()', () => {
    const { clock } = new FakeMarketplace({ now: new Date('2026-01-31T23:00:00Z') });
    clock.advance({ days: 1, hours: 1, minutes: 1, seconds: 1, ms: 1 });
    expect(clock.iso).toBe('2026-02-02T00:01:01.001Z');
    clock.set(0);
    clock.advance({ minutes: -1 });
    expect(clock.iso).toBe('1969-12-31T23:59:00.000Z');
  });

  test('a time without a zone is in UTC, whatever the zone of the machine', async () => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00' });
    const { clock } = marketplace;
    expect(clock.iso).toBe('2026-03-02T12:00:00.000Z');
    clock.set('2026-03-02 12:30');
    expect(clock.iso).toBe('2026-03-02T12:30:00.000Z');
    clock.set('2026-03-02');
    expect(clock.iso).toBe('2026-03-02T00:00:00.000Z');
    const item = marketplace.addItem({ seller_id: marketplace.addUser().user_id });
    marketplace.viewPhone(item, { at: '2026-03-01T23:00:00' });
    expect(marketplace.contacts.of('phone_view', () => true).map(({ at }) => at)).toEqual([
      Date.parse('2026-03-01T23:00:00Z'),
    ]);
    clock.set('2026-03-02T12:00:00-03:00');
    expect(clock.iso).toBe('2026-03-02T15:00:00.000Z');
    marketplace.seed({
      users: [{ user_id: 7 }, { user_id: 9 }],
      items: [{ item_id: 'MLA100', seller_id: 7 }],
      questions: [{ item_id: 'MLA100', from: 9, text: 'Is it new?', asked_at: '2026-03-01T23:00:00' }],
    });
    const seller = marketplace.clientFor({ user_id: 7 });
    const [question] = await seller.questions.search({ seller_id: 7 }).toArray();
    expect(new Date(String(question?.date_created)).toISOString()).toBe('2026-03-01T23:00:00.000Z');
  });

  test.each([{ weeks: 1 }, { day: 1 }, { hours: 1, min: 5 }, { hours: NaN }, { hours: 'one' }])(
    'a span that is wrong (%o) is rejected, and the clock stays',
    (span) => {
      const { clock } = new FakeMarketplace({ now: '2026-01-31T23:00:00Z' });
      expect(() => {
        clock.advance(span as never);
      }).toThrow(FakeMarketplaceError);
      expect(clock.iso).toBe('2026-01-31T23:00:00.000Z');
    },
  );

  test.each([
    ['now', () => new FakeMarketplace({ now: 'yesterday' })],
    ['set()', () => new FakeMarketplace().clock.set('yesterday')],
    ['at()', () => new FakeMarketplace().clock.at('yesterday', () => undefined)],
  ])('an invalid date is rejected: %s', (_, misuse) => {
    expect(misuse).toThrow(
      'FakeMarketplace: the clock takes a Date, an ISO 8601 string or milliseconds, not yesterday',
    );
    expect(misuse).toThrow(SellerError);
  });

  test('at() runs a function at another time and restores the clock', () => {
    const { clock } = new FakeMarketplace({ now: '2026-01-01T00:00:00Z' });
    expect(clock.at('2025-05-05T05:00:00Z', () => clock.iso)).toBe('2025-05-05T05:00:00.000Z');
    expect(() =>
      clock.at(0, () => {
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(clock.iso).toBe('2026-01-01T00:00:00.000Z');
    const { clock: following } = new FakeMarketplace();
    following.at(0, () => undefined);
    expect(following.isStopped).toBe(false);
  });
});
