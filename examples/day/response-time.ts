import type { ResponseTime } from 'marketplace-seller-sdk';
import type { Narrator } from './narrator.ts';
import type { Chapter } from './stage.ts';

const bands = [
  ['total', 'total'],
  ['weekdays_working_hours', 'working hours'],
  ['weekdays_extra_hours', 'evenings'],
  ['weekend', 'weekend'],
] as const;

/** The response time of a slow week. */
export const morning: Chapter = {
  title: 'The response time before the day',
  at: '2026-03-02T08:55:00-03:00',

  async play({ say, client, seller }) {
    say.code('await seller.questions.responseTime({ user_id });');
    printTimes(say, await client.questions.responseTime({ user_id: seller.user_id }));
  },
};

/** The response time after a day of fast answers. The service computes it once a day. */
export const evening: Chapter = {
  title: 'The response time after the day',
  at: '2026-03-02T21:00:00-03:00',

  async play({ say, client, seller, marketplace }) {
    const today = await client.questions.responseTime({ user_id: seller.user_id });
    const before = today.total?.response_time ?? 0;
    say.line(
      `It is still ${formatMinutes(before)}, because it is computed once a day. On Tuesday morning:`,
    );

    marketplace.clock.set('2026-03-03T09:00:00-03:00');
    const record = await client.questions.responseTime({ user_id: seller.user_id });
    printTimes(say, record);
    say.good(`${formatMinutes(before - (record.total?.response_time ?? 0))} faster than the day before.`);
  },
};

/** Prints the bands of the week (such as weekends) in a response time record, one per line. */
export function printTimes(say: Narrator, record: ResponseTime): void {
  for (const [band, name] of bands) {
    const time = record[band];
    if (typeof time?.response_time !== 'number') continue;
    const forecast = 'sales_percent_increase' in time ? time.sales_percent_increase : undefined;
    const hint = typeof forecast === 'number' ? `  (+${forecast} % sales if answered within an hour)` : '';
    say.line(`${name.padEnd(14)} ${formatMinutes(time.response_time)}${hint}`);
  }
}

function formatMinutes(minutes: number): string {
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
