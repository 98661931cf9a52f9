import { concurrency, deliver, nextMessage, percentile99, range, withInbox } from '../inbox-load.ts';
import type { Figure, Row } from '../measure.ts';

const distinct = 8_000;
const duplicates = 2_000;

interface Report {
  readonly handled: number;
  readonly twice: number;
  readonly memory: number;
}

interface Measured extends Report {
  readonly latencies: readonly number[];
  readonly rejected: number;
}

/** Many notifications, a fifth of them duplicates, to an inbox whose handler takes a second. */
export async function notifications(): Promise<Row[]> {
  const measured: Record<string, Measured> = {};
  for (const store of ['memory', 'sqlite']) measured[store] = await storm(store);
  const figures = (value: (each: Measured) => number): Figure[] =>
    Object.entries(measured).map(([store, each]) => ({ who: `inbox in ${store}`, value: value(each) }));
  const what = `${distinct + duplicates} notifications, ${duplicates} of them duplicates, ${concurrency} at a time`;
  return [
    {
      title: `Notifications: 99th percentile until the response, ${what}`,
      unit: 'ms',
      goal: 'under 500 ms while the handler takes a second',
      figures: figures(({ latencies }) => percentile99(latencies)),
    },
    {
      title: 'Notifications: rejected, not handled, or handled twice',
      unit: '',
      goal: '0',
      figures: figures(({ rejected, handled, twice }) => rejected + (distinct - handled) + twice),
    },
    {
      title: 'Notifications: largest size of the whole process',
      unit: 'MiB',
      goal: 'under 256 MiB, of which Node itself takes about 50',
      figures: figures(({ memory }) => memory),
    },
  ];
}

async function storm(store: string): Promise<Measured> {
  return withInbox([store, 'storm'], async ({ port, process }) => {
    const delivered = await deliver(port, shuffled([...range(distinct), ...range(duplicates)]));
    process.send('report');
    return { ...(await nextMessage<Report>(process)), ...delivered };
  });
}

/** The same order in each run. */
function shuffled(ids: number[]): number[] {
  return ids
    .map((id, index) => ({ id, place: Math.imul(index + 1, 2_654_435_761) >>> 0 }))
    .sort((a, b) => a.place - b.place)
    .map(({ id }) => id);
}
