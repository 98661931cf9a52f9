import { concurrency, deliver, nextMessage, percentile99, range, withInbox, withInboxes } from '../inbox-load.ts';
import { compare } from '../measure.ts';
import type { Figure, Row } from '../measure.ts';

const deliveries = 5_000;
const rounds = 5;
const processes = 4;

/** What the receiver itself costs: `node --expose-gc bench/run.ts receiver`. */
export async function receiver(): Promise<Row[]> {
  return [...(await cost()), await sharedFile(), await backlog()];
}

const names = { floor: 'floor', checked: 'checked floor', instant: 'inbox' };

/** A store, and `floor` for the inbox written by hand, `checked` for the same behind the checks of this library. */
type Kind = readonly [store: string, mode: keyof typeof names];

interface Measured {
  readonly kind: Kind;
  readonly perSecond: number[];
  /** Microseconds of CPU per delivery, of the process with the inbox. */
  readonly cpu: number[];
}

/** What a delivery costs, beside a server that only reads the body and responds 200, and beside floors written by hand. */
async function cost(): Promise<Row[]> {
  const stores = ['memory', 'sqlite'];
  const kinds: Kind[] = [['bare', 'floor']];
  for (const store of stores) kinds.push([store, 'floor'], [store, 'checked'], [store, 'instant']);
  const measured = kinds.map((kind): Measured => ({ kind, perSecond: [], cpu: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const each of measured) await measure(each);
  }
  return [
    {
      title: 'Notifications: deliveries per second, as a ratio to a bare node:http server',
      unit: 'per second',
      goal: `memory 0.80, SQLite 0.75, not reached: see ${page}`,
      figures: figuresOf(measured, 'perSecond'),
    },
    {
      title: 'Notifications: CPU per delivery of the process with the inbox, handlers included',
      unit: 'µs',
      goal: `close to the floor written by hand; ${page} says where the rest goes`,
      figures: figuresOf(measured, 'cpu'),
    },
  ];
}

const page = 'docs/decisions/what-a-delivery-costs.md';

function whoOf([store, mode]: Kind): string {
  return store === 'bare' ? 'bare server' : `${names[mode]} in ${store}`;
}

function figuresOf(measured: readonly Measured[], what: 'perSecond' | 'cpu'): Figure[] {
  return compare(Object.fromEntries(measured.map((each) => [whoOf(each.kind), each[what]])));
}

async function measure({ kind, perSecond, cpu }: Measured): Promise<void> {
  await withInbox(kind, async ({ port, process }) => {
    const cpuSoFar = async (): Promise<number> => {
      process.send('cpu');
      return nextMessage<number>(process);
    };
    await deliver(port, range(2_000));
    const before = await cpuSoFar();
    const started = performance.now();
    await deliver(
      port,
      range(deliveries).map((id) => id + 1_000_000),
    );
    perSecond.push(deliveries / ((performance.now() - started) / 1000));
    cpu.push(((await cpuSoFar()) - before) / deliveries);
  });
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
