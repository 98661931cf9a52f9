import { concurrency, deliver, hasRedis, percentile99, range, withInbox, withInboxes } from '../inbox-load.ts';
import { median } from '../measure.ts';
import type { Figure, Row } from '../measure.ts';

const deliveries = 8_000;
const rounds = 3;
const processes = 4;

/** What the receiver itself costs: `node --expose-gc bench/run.ts receiver`. */
export async function receiver(): Promise<Row[]> {
  return [await throughput(), await sharedFile(), await backlog()];
}

/** How many deliveries a second a receiver accepts, beside a server that only reads the body and responds 200. */
async function throughput(): Promise<Row> {
  const stores = ['bare', 'memory', 'sqlite', ...(hasRedis ? ['redis'] : [])];
  const perSecond = new Map<string, number[]>(stores.map((store) => [store, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const store of stores) {
      await withInbox([store, 'instant'], async ({ port }) => {
        await deliver(port, range(2_000));
        const started = performance.now();
        await deliver(
          port,
          range(deliveries).map((id) => id + 1_000_000),
        );
        perSecond.get(store)?.push(deliveries / ((performance.now() - started) / 1000));
      });
    }
  }
  const share = (store: string): number => median(perSecond.get(store) ?? []) / median(perSecond.get('bare') ?? []);
  return {
    title: 'Notifications: deliveries per second, as a share of a bare node:http server',
    unit: '%',
    goal: 'memory 80, SQLite 75, Redis 60',
    figures: stores.slice(1).map((store) => ({ who: `inbox in ${store}`, value: Math.round(share(store) * 100) })),
  };
}

/** The response time while many notifications wait, with the default concurrency. */
async function backlog(): Promise<Row> {
  const figures: Figure[] = [];
  for (const store of ['memory', 'sqlite']) {
    await withInbox([store, 'slow'], async ({ port }) => {
      await deliver(port, range(27_000));
      const { latencies } = await deliver(
        port,
        range(2_000).map((id) => id + 1_000_000),
      );
      figures.push({ who: `inbox in ${store}`, value: percentile99(latencies) });
    });
  }
  return {
    title: 'Notifications: 99th percentile until the response while 27,000 wait, default concurrency',
    unit: 'ms',
    goal: 'under 500 ms',
    figures,
  };
}

/** Several processes on one file of SQLite. */
async function sharedFile(): Promise<Row> {
  const { latencies, rejected } = await withInboxes(['sqlite', 'instant'], processes, async (inboxes) => {
    const ports = inboxes.map(({ port }) => port);
    await deliver(ports, range(2_000));
    return deliver(
      ports,
      range(6_000).map((id) => id + 1_000_000),
    );
  });
  return {
    title: `Notifications: ${processes} processes on one file of SQLite, ${concurrency} at a time`,
    unit: '',
    goal: '99th percentile under 500 ms, none rejected',
    figures: [
      { who: '99th percentile until the response, ms', value: percentile99(latencies) },
      { who: 'longest, ms', value: latencies.at(-1) ?? Number.NaN },
      { who: 'rejected with 503, of 6000', value: rejected },
    ],
  };
}
