import { barsOf } from '../bars.ts';
import type { Chapter } from './stage.ts';

/** Shows how often people clicked "See phone", as a chart. */
export const phoneViews: Chapter = {
  title: 'How many people looked up the phone number?',
  at: '2026-03-02T18:30:00-03:00',

  async play({ say, client, seller, marketplace }) {
    const van = marketplace.addItem({ seller_id: seller.user_id, title: 'Used van' });
    const clicks = [3, 5, 4, 9, 21, 16, 7];
    clicks.forEach((times, day) => {
      marketplace.viewPhone(van, { at: Date.UTC(2026, 1, 24 + day, 15), times });
    });
    say.line('The shop sells its old van with a classified ad. Clicks on "See phone":');
    say.code('await seller.contacts.phoneViews');
    say.code("  .windowOfItem({ item_id, last: 7, unit: 'day' });");
    const window = await client.contacts.phoneViews.windowOfItem({
      item_id: van.item_id,
      last: 7,
      unit: 'day',
    });
    say.chart(barsOf(window, say.barWidth));
    say.good(`${window.total} clicks in a week.`);
  },
};
