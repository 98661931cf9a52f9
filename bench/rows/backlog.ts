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
import type { Row } from '../measure.ts';
import { cpuOfServers } from './engines.ts';

const noop = (): void => undefined;
type Store = NonNullable<InboxOptions['store']>;

const few = 1_000;
const many = 100_000;
/** How many notifications are delivered and handled for one figure, and how many figures there are, of which the least counts. */
const handledAtATime = 500;
const rounds = 4;
const userIds = { 'of one seller': 1, 'of 100 sellers': 100 } as const;

interface Growth {
  readonly who: string;
  /** Microseconds of CPU for one notification. */
  readonly few: number;
  readonly many: number;
}

/** What a notification costs, from the delivery to the end, while others wait: of this process and of the server. */
export async function backlogGrowth(): Promise<readonly Growth[]> {
  return [...(await growthInSqlite()), ...(hasPostgres ? await growthInPostgres() : [])];
}

/** The row of the report. */
export async function backlog(): Promise<Row[]> {
  const growth = await backlogGrowth();
  return [
    {
      title: `CPU of one notification while ${many} wait, in parts of that while ${few} wait`,
      unit: '',
      goal: 'at most 1.3',
      limits: growth.map(({ who }) => ({ who, value: 1.3 })),
      figures: growth.map((each) => ({ who: each.who, value: each.many / each.few })),
    },
  ];
}

async function library(): Promise<typeof Inboxes & typeof Stores> {
  const built: unknown[] = await Promise.all(
    ['notifications/index', 'stores'].map((entry) => import(here(`../dist/esm/${entry}.js`))),
  );
  return Object.assign({}, ...built) as typeof Inboxes & typeof Stores;
}

async function growthInSqlite(): Promise<readonly Growth[]> {
  const { sqliteStore } = await library();
  const folder = mkdtempSync(join(tmpdir(), 'backlog-'));
  const growths: Growth[] = [];
  for (const [whose, users] of Object.entries(userIds))
    growths.push(await growthOf(`SQLite, ${whose}`, users, () => sqliteStore(join(folder, `${users}.db`))));
  rmSync(folder, { recursive: true });
  return growths;
}

async function growthInPostgres(): Promise<readonly Growth[]> {
  const { postgresStore } = await library();
  const { Pool } = createRequire(import.meta.url)('pg') as typeof Pg;
  const growths: Growth[] = [];
  for (const [whose, users] of Object.entries(userIds)) {
    const postgres = await startPostgres();
    const pool = new Pool({ connectionString: postgres.connectionString });
    growths.push(await growthOf(`PostgreSQL, ${whose}`, users, () => postgresStore({ pool })));
    await pool.end();
    await postgres.stop();
  }
  return growths;
}

async function growthOf(who: string, users: number, open: () => Store): Promise<Growth> {
  const store = open();
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
  const least = async (): Promise<number> => {
    const figures: number[] = [];
    for (let round = 0; round < rounds; round += 1) figures.push(await measure());
    return Math.min(...figures);
  };
  await fill(few);
  const atFew = await least();
  await fill(many - few);
  const growth = { who, few: atFew, many: await least() };
  await filler.close();
  return growth;
}
