import type { ResponseTime } from 'marketplace-seller-sdk';
import type { Narrator } from './narrator.ts';
import type { Chapter } from './stage.ts';

const bands = [
  ['total', 'in total'],
  ['weekdays_working_hours', 'working hours'],
  ['weekdays_extra_hours', 'evenings'],
  ['weekend', 'weekend'],
] as const;

/** How slow the seller has been. */
export const morning: Chapter = {
  title: 'The response time, before the day',
  at: '2026-03-02T08:55:00-03:00',

  async tell({ say, client, seller }) {
    say.code('await seller.questions.responseTime({ user_id });');
    tellTimes(say, await client.questions.responseTime({ user_id: seller.user_id }));
  },
};

/** What a day of quick answers does to it. The service computes it once a day. */
export const evening: Chapter = {
  title: 'The response time, after the day',
  at: '2026-03-02T21:00:00-03:00',

  async tell({ say, client, seller, marketplace }) {
    const today = await client.questions.responseTime({ user_id: seller.user_id });
    const before = today.total?.response_time ?? 0;
    say.line(`Tonight it is still ${spoken(before)}: it is computed once a day. On Tuesday morning:`);

    marketplace.clock.set('2026-03-03T09:00:00-03:00');
    const record = await client.questions.responseTime({ user_id: seller.user_id });
    tellTimes(say, record);
    say.good(`${spoken(before - (record.total?.response_time ?? 0))} faster than the day before.`);
  },
};

/** The bands of a record, one a line. */
export function tellTimes(say: Narrator, record: ResponseTime): void {
  for (const [band, name] of bands) {
    const time = record[band];
    if (typeof time?.response_time !== 'number') continue;
    const forecast = 'sales_percent_increase' in time ? time.sales_percent_increase : undefined;
    const hint = typeof forecast === 'number' ? `  (${forecast} % more sales if within the hour)` : '';
    say.line(`${name.padEnd(14)} ${spoken(time.response_time)}${hint}`);
  }
}

function spoken(minutes: number): string {
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
