import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Inboxes from 'marketplace-seller-sdk/inbox';
import type * as Stores from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import type * as Pg from 'pg';
import { hasPostgres, startPostgres } from '../../tests/support/postgres.ts';
import { range } from '../inbox-load.ts';
import { here } from '../measure.ts';
import type { Figure, Row } from '../measure.ts';
import { cpuOfServers } from './engines.ts';

const noop = (): void => undefined;
type Store = NonNullable<InboxOptions['store']>;

const few = 1_000;
const many = 100_000;
/** How many notifications are delivered and handled for one figure, and how many figures there are of each, of which the least counts. */
const handledAtATime = 1_000;
const rounds = 9;
const userIds = { 'of one seller': 1, 'of 100 sellers': 100 } as const;

/** What a notification costs, from the delivery to the end, while others wait: of this process and of the server. */
export async function backlog(): Promise<Row[]> {
  const figures = [...(await growthInSqlite()), ...(hasPostgres ? await growthInPostgres() : [])];
  return [
    {
      title: `CPU of one notification while ${many} wait, the least of ${rounds}; its ratio is to that while ${few} wait`,
      unit: 'µs',
      goal: 'a ratio of at most 1.3',
      limits: figures.map(({ who }) => ({ who, ratio: 1.3 })),
      figures,
    },
  ];
}

async function library(): Promise<typeof Inboxes & typeof Stores> {
  const built: unknown[] = await Promise.all(
    ['notifications/index', 'stores'].map((entry) => import(here(`../dist/esm/${entry}.js`))),
  );
  return Object.assign({}, ...built) as typeof Inboxes & typeof Stores;
}

async function growthInSqlite(): Promise<readonly Figure[]> {
  const { sqliteStore } = await library();
  const folder = mkdtempSync(join(tmpdir(), 'backlog-'));
  const figures: Figure[] = [];
  for (const [whose, users] of Object.entries(userIds))
    figures.push(await growthOf(`SQLite, ${whose}`, users, (name) => sqliteStore(join(folder, `${users}-${name}.db`))));
  rmSync(folder, { recursive: true });
  return figures;
}

async function growthInPostgres(): Promise<readonly Figure[]> {
  const { postgresStore } = await library();
  const { Pool } = createRequire(import.meta.url)('pg') as typeof Pg;
  const figures: Figure[] = [];
  for (const [whose, users] of Object.entries(userIds)) {
    const postgres = await startPostgres();
    const own = new Pool({ connectionString: postgres.connectionString });
    for (const name of ['few', 'many']) await own.query(`CREATE DATABASE ${name}`);
    const poolOf = (name: string): Pg.Pool =>
      new Pool({ connectionString: postgres.connectionString.replace('/postgres?', `/${name}?`) });
    const [ofFew, ofMany] = [poolOf('few'), poolOf('many')];
    const open = (name: string): Store => postgresStore({ pool: name === 'few' ? ofFew : ofMany });
    figures.push(await growthOf(`PostgreSQL, ${whose}`, users, open));
    await Promise.all([own, ofFew, ofMany].map((pool) => pool.end()));
    await postgres.stop();
  }
  return figures;
}

/** Measures the two in turns, so that what else the machine does changes both. */
async function growthOf(who: string, users: number, open: (name: string) => Store): Promise<Figure> {
  const [ofFew, ofMany] = [await placeOf(users, open('few')), await placeOf(users, open('many'))];
  await ofFew.fill(few);
  await ofMany.fill(many);
  const measured = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    measured.few.push(await ofFew.measure());
    measured.many.push(await ofMany.measure());
  }
  await Promise.all([ofFew.close(), ofMany.close()]);
  // What else the machine does only adds to the CPU of a notification: its caches are cold.
  const [atFew, atMany] = [Math.min(...measured.few), Math.min(...measured.many)];
  return { who, value: atMany, range: [atMany, Math.max(...measured.many)], ratio: atMany / atFew };
}

interface Place {
  readonly fill: (count: number) => Promise<void>;
  /** Resolves to the microseconds of CPU for one notification. */
  readonly measure: () => Promise<number>;
  readonly close: () => Promise<void>;
}

async function placeOf(users: number, store: Store): Promise<Place> {
  const { createInbox, fetchHandler } = await library();
  const state = { handled: 0, added: 0 };
  const more = {
    store,
    maxWaiting: 1_000_000,
    logger: { debug: noop, info: noop, warn: noop, error: noop },
    concurrency: 10,
  };
  // This one has no handler for what it is given, so it waits.
  const filler = createInbox({ ...more, on: { questions: () => undefined } });
  const body = (): object => {
    const id = (state.added += 1);
    return { _id: `${id}`, user_id: 1 + (id % users), topic: 'orders_v2', resource: `/orders/${id}` };
  };
  const door = fetchHandler(filler);
  const headers = { 'content-type': 'application/json' };
  const deliver = async (): Promise<void> => {
    const init = { method: 'POST', headers, body: JSON.stringify(body()) };
    // The first deliveries may have to wait for the tables, and are delivered again.
    while ((await door(new Request('https://app.test/', init))).status !== 200);
  };
  const fill = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 100) await Promise.all(range(Math.min(left, 100)).map(deliver));
  };
  const measure = async (): Promise<number> => {
    const until = state.handled + handledAtATime;
    const before = process.cpuUsage();
    const servers = cpuOfServers();
    await fill(handledAtATime);
    const reached = Promise.withResolvers<undefined>();
    const inbox = createInbox({
      ...more,
      fallback: () => {
        if ((state.handled += 1) >= until) reached.resolve(undefined);
      },
    });
    inbox.start();
    await reached.promise;
    await inbox.close();
    const { user, system } = process.cpuUsage(before);
    return (user + system + cpuOfServers() - servers) / handledAtATime;
  };
  return { fill, measure, close: () => filler.close() };
}
