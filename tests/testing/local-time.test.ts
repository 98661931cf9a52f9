import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, test, vi } from 'vitest';
import { localTime } from '../../src/testing/clock.js';

test.each([0, 1, 29, 30, 31, 46, 59])(
  'the offset of a site is a whole number of hours, also at second %i',
  async (second) => {
    const now = new Date(Date.UTC(2026, 2, 2, 12, 0, second, 172));
    const marketplace = new FakeMarketplace({ now });
    const seller = marketplace.addUser({ site_id: 'MLA' });
    const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
    const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is there stock?' });
    const { date_created } = await marketplace.clientFor(seller).questions.get({ question_id: id });
    expect(date_created).toBe(`2026-03-02T09:00:${String(second).padStart(2, '0')}.172-03:00`);
  },
);

test('the offsets of 10,000 quarters of an hour are remembered, and not of more', () => {
  for (let quarter = 0; quarter <= 10_000; quarter += 1) localTime(quarter * 900_000, 'MLA');
  const formatted = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  for (const again of [1, 1]) expect([localTime(0, 'MLA').hour, formatted.mock.calls.length]).toEqual([21, again]);
});
