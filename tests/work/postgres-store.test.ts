import { createInbox } from 'marketplace-seller-sdk/inbox';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { factKeyOf } from '../../src/work/store.js';
import { memoryStore } from '../../src/work/memory.js';
import { postgresStore } from '../../src/work/postgres.js';
import { additions } from '../../src/work/sql/versions.js';
import type { PostgresClient } from '../../src/work/postgres-connections.js';
import type { InnerStore as Store } from '../../src/work/store.js';
import { about } from '../support/deliveries.ts';
import { silentLogger } from '../support/silent.ts';
import { fc } from '../support/fast-check.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import type { OwnPostgres } from '../support/postgres.ts';
import { shown, stepsOf } from '../support/same-steps.ts';
import type { Step } from '../support/same-steps.ts';
import { storeRules } from '../support/store-rules.ts';
import { claim, dead, done, keysOf, lease, listed, work } from '../support/work.ts';

/** Times pass while PostgreSQL works. */
function withoutTimes(value: unknown): unknown {
  const times = ['nextInMs', 'addedAt', 'endedAt', 'oldestAgeMs'];
  const replacer = (key: string, each: unknown): unknown => (times.includes(key) ? Number(each) > 60_000 : each);
  return JSON.parse(JSON.stringify(value, replacer));
}

async function all(store: Store, steps: readonly Step[]): Promise<unknown> {
  return withoutTimes(await shown(store, steps, () => undefined));
}

describe.skipIf(!hasPostgres)('in a store in PostgreSQL', () => {
  let postgres: OwnPostgres;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startPostgres();
    pool = new Pool({ connectionString: postgres.connectionString });
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });

  const emptied = async (): Promise<void> => {
    await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  };
  const open = async (): Promise<Store> => {
    await emptied();
    return postgresStore({ pool });
  };

  test.each(Object.keys(storeRules))('%s', async (rule) => {
    await emptied();
    await storeRules[rule]!(() => postgresStore({ pool }));
  });

  test('whatever is done to it, it shows what a store in memory shows', async () => {
    const store = await open();
    await store.counts([]);
    await fc.assert(
      fc.asyncProperty(stepsOf({ waits: false }), async (steps) => {
        await pool.query('TRUNCATE seller_work, seller_work_ledger');
        expect(await all(postgresStore({ pool }), steps)).toEqual(await all(memoryStore(), steps));
      }),
      { numRuns: 25 },
    );
  });

  test('processes that start at once create the tables once', async () => {
    await emptied();
    const stores = Array.from({ length: 8 }, () => postgresStore({ pool }));
    const results = await Promise.all(stores.map((store) => store.add(work('k'))));
    expect(results.toSorted()).toEqual(['added', ...Array<string>(7).fill('known')]);
  });

  test('what cannot be read is set aside, and its group goes on', async () => {
    const store = await open();
    for (const key of ['a', 'b', 'c']) await store.add(work(key, { group: 'g' }));
    await pool.query("UPDATE seller_work SET data = '{' WHERE key = 'a'");
    await pool.query("UPDATE seller_work SET notes = '{' WHERE key = 'b'");
    for (const key of ['a', 'b'])
      expect(await claim(store)).toMatchObject({
        leases: [],
        problems: [expect.stringContaining(`entry ${key} is damaged`)],
      });
    expect(await lease(store)).toMatchObject({ key: 'c' });
    expect(await store.counts(['questions'])).toMatchObject({ unreadable: 2, running: 1, waiting: 0 });
  });

  test('a page is full although some of its rows are damaged', async () => {
    const store = await open();
    const keys = Array.from({ length: 30 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => store.add(work(key))));
    const { leases } = await claim(store);
    await Promise.all(leases.map((each) => store.settle(each, dead)));
    await pool.query("UPDATE seller_work SET data = '{' WHERE key IN ('k3', 'k7')");
    const page = await store.list({ kinds: ['questions'], states: ['dead'], limit: 10, after: 0 });
    expect(page).toHaveLength(10);
    expect(await listed(store, 'dead')).toHaveLength(28);
  });

  test('every text is kept as it is', async () => {
    const store = await open();
    const odd = `' \\ E'\\'' $1 ? -- ; \n "\u0001 ü 😀`;
    await store.add(work(odd, { group: odd, owner: odd, data: { odd, nul: '\0' } }));
    const leased = await lease(store);
    expect(leased).toMatchObject({ key: odd, data: { odd, nul: '\0' } });
    await store.settle(leased, {
      ...dead,
      failure: `${odd}\0`,
      notes: { odd },
      fact: { value: odd, ms: 60_000 },
    });
    expect(await store.get(odd)).toMatchObject({ failure: odd, notes: { odd }, owner: odd, group: odd });
    expect(await store.ledger.get(factKeyOf(odd))).toBe(odd);
  });

  test('what fails leaves nothing behind, and nothing beside it fails', async () => {
    const store = await open();
    await store.add(work('a'));
    await pool.query("ALTER TABLE seller_work ADD CONSTRAINT odd CHECK (key <> 'b')");
    const results = await Promise.allSettled(['b', 'c', 'd'].map((key) => store.add(work(key))));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    await pool.query('ALTER TABLE seller_work RENAME TO away');
    await expect(store.add(work('e'))).rejects.toThrow('seller_work');
    await pool.query('ALTER TABLE away RENAME TO seller_work');
    expect(keysOf(await claim(store)).toSorted()).toEqual(['a', 'c', 'd']);
  });

  test('what follows an outage is carried out, and not again where the response to its commit was lost', async () => {
    await emptied();
    let [isCut, isAway] = [false, true];
    const connect = async () => {
      if (isAway) throw new Error('the server is away');
      const client = await pool.connect();
      const query = async (text: string): Promise<unknown> => {
        const answer: unknown = await client.query(text);
        if (!isCut || text !== 'COMMIT') return answer;
        isCut = false;
        throw new Error('the connection is lost');
      };
      return { query, release: (error?: Error) => client.release(error) };
    };
    const store = postgresStore({ pool: { connect } });
    await expect(store.add(work('a'))).rejects.toThrow('the server is away');
    isAway = false;
    await store.add(work('a'));
    isCut = true;
    expect(await store.add(work('b'))).toBe('added');
    isCut = true;
    expect(keysOf(await claim(store))).toEqual(['a', 'b']);
  });

  test('the statements of one turn share a transaction, which waits for the disk if one of them must', async () => {
    await emptied();
    const waits: boolean[] = [];
    // Statements that others have prepared on it would be the end of preparing.
    const client = await pool.connect();
    onTestFinished(() => client.release(new Error('others believe that it has prepared statements')));
    await client.query('DEALLOCATE ALL');
    const query = (text: string): Promise<unknown> => {
      if (text.startsWith('BEGIN ISOLATION')) waits.push(!text.includes('synchronous_commit = off'));
      return client.query(text);
    };
    const counted = { query, release: () => undefined };
    const counting = { connect: () => Promise.resolve(counted) };
    const store = postgresStore({ pool: counting });
    await store.add(work('first'));
    waits.length = 0;
    await Promise.all(Array.from({ length: 50 }, (_, index) => store.add(work(`k${index}`))));
    expect(waits.splice(0)).toEqual([true]);
    const { leases } = await claim(store);
    waits.length = 0;
    await Promise.all([store.renew(leases, 60_000), store.note(leases[0]!, { writes: 1 })]);
    await store.renew(leases, 60_000);
    expect(waits.splice(0)).toEqual([true, false]);
    await Promise.all(leases.map((each) => store.settle(each, done)));
    expect(waits.length).toBeLessThanOrEqual(3);
  });

  test('behind a proxy, each transaction may have another connection to the server', async () => {
    await emptied();
    const clients = new Map<object, PostgresClient>();
    const proxy = {
      connect: async () => {
        const client = await pool.connect();
        const query = async (text: string): Promise<unknown> => {
          if (text.startsWith('BEGIN ISOLATION')) await client.query('DEALLOCATE ALL');
          return client.query(text);
        };
        const proxied = clients.get(client) ?? { query, release: (error?: Error) => client.release(error) };
        clients.set(client, proxied);
        return proxied;
      },
    };
    const store = postgresStore({ pool: proxy });
    for (const key of ['a', 'b', 'c']) expect(await store.add(work(key))).toBe('added');
    for (let left = 3; left > 0; left -= 1) expect(await store.settle(await lease(store), done)).toBe(true);
    expect(await claim(store)).toEqual({ leases: [] });
  });

  /** A pooler in transaction mode: each transaction of a process has the connection to the server that `choose` names. */
  const pooler = async (change: (text: string) => string = (text) => text) => {
    const behind = new Pool({ connectionString: postgres.connectionString, max: 2 });
    const servers = await Promise.all([behind.connect(), behind.connect()]);
    onTestFinished(async () => {
      for (const server of servers) server.release();
      await behind.end();
    });
    const processOn = (choose: () => number): Store => {
      let server: PostgresClient = servers[0];
      const query = (text: string): Promise<unknown> => {
        if (text.startsWith('BEGIN')) server = servers[choose()]!;
        return server.query(change(text));
      };
      const client = { query, release: (error?: Error) => void (error && server.query('ROLLBACK')) };
      return postgresStore({ pool: { connect: () => Promise.resolve(client) } });
    };
    return processOn;
  };

  test('behind a pooler in transaction mode, no process carries out a statement of another one', async () => {
    await emptied();
    const processOn = await pooler();
    let places = [0, 1];
    const [one, other] = [processOn(() => places[0]!), processOn(() => places[1]!)];
    await one.add(work('a'));
    await other.counts(['questions']);
    expect(await other.ledger.replace('fact', undefined, 'x', 60_000)).toBe(true);
    places = [1, 0];
    expect(await one.add(work('b'))).toBe('added');
    expect(await other.ledger.replace('fact', 'x', 'y', 60_000)).toBe(true);
    expect(await other.counts(['questions'])).toMatchObject({ waiting: 2 });
    expect((await listed(one, 'waiting')).toSorted()).toEqual(['a', 'b']);
    expect(await one.ledger.get('fact')).toBe('y');
  });

  test('what another program has prepared under its name, with other parameters, is not carried out', async () => {
    await emptied();
    const processOn = await pooler((text) => text.replaceAll(/(PREPARE \w+ AS) [^;]+/g, '$1 SELECT $$1::text'));
    const store = processOn(() => 0);
    expect(await store.add(work('a'))).toBe('added');
    expect(await lease(store)).toMatchObject({ key: 'a' });
  });

  test('who only looks at it creates no tables', async () => {
    const store = await open();
    store.onlyOpen?.();
    await expect(store.counts(['job'])).rejects.toThrow('this database has no inbox and no outbox');
    expect((await pool.query("SELECT to_regclass('seller_work') AS found")).rows).toEqual([{ found: null }]);
    await postgresStore({ pool }).add(work('a'));
    expect(await store.counts(['questions'])).toMatchObject({ waiting: 1 });
  });

  test('indexes that are missing are created', async () => {
    await (await open()).add(work('a'));
    const indexes = async (): Promise<number | null> => (await pool.query('SELECT FROM pg_indexes')).rowCount;
    const all = await indexes();
    for (const name of Object.keys(additions)) await pool.query(`DROP INDEX ${name}`);
    expect(keysOf(await claim(postgresStore({ pool })))).toEqual(['a']);
    expect(await indexes()).toBe(all);
  });

  test.each(['LATIN1', 'SQL_ASCII'])(
    'a database of the encoding %s is rejected at the start, and nothing is created',
    async (encoding) => {
      const name = `of_${encoding.toLowerCase()}`;
      await pool.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
      const other = new Pool({ connectionString: postgres.connectionString.replace('/postgres?', `/${name}?`) });
      onTestFinished(() => other.end());
      const inbox = createInbox({
        store: postgresStore({ pool: other }),
        logger: silentLogger,
        fallback: () => undefined,
      });
      await expect(Promise.resolve(inbox.start())).rejects.toThrow(`has the encoding ${encoding}`);
      await expect(inbox.add(about(1))).rejects.toThrow("create one with ENCODING 'UTF8'");
      await inbox.close();
      expect((await other.query("SELECT to_regclass('seller_work') AS found")).rows).toEqual([{ found: null }]);
    },
  );

  test('tables of another version are left alone', async () => {
    await (await open()).add(work('a'));
    await pool.query('UPDATE seller_work_version SET version = 99');
    await expect(postgresStore({ pool }).add(work('b'))).rejects.toThrow('have version 99');
  });
});
