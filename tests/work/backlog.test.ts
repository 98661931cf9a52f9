import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { postgresStore } from '../../src/work/postgres.js';
import { sqliteStore } from '../../src/work/sqlite.js';
import type { InnerStore as Store } from '../../src/work/store.js';
import { hasPostgres } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { again, dead, done, lease, work } from '../support/work.ts';

/**
 * Whatever a notification may need of a store: of the seller who has the most, and of one who has nothing else. Its own resource is the
 * one whose work is done next, as long as others have had their turn.
 */
async function live(store: Store, owner: string, id: string): Promise<void> {
  const add = (key: string, group: string, sentAt: number) =>
    store.add(
      work(`${id} ${key}`, { kind: 'messages', group: `${id} ${group}`, owner, sentAt }),
      owner === 'none' ? 1_000 : undefined,
    );
  await Promise.all([
    add('a', 'one', 2),
    add('b', 'one', 3),
    add('c', 'one', 1),
    add('d', 'two', 1),
    add('d', 'two', 1),
  ]);
  const kinds = ['questions', 'messages'];
  const lives = [
    { ...again, inMs: 1 },
    done,
    { ...dead, mostDead: 5 },
    { ...done, fact: { key: 'k', value: 'handled', ms: 1_000 } },
  ];
  for (const verdict of lives) {
    const leased = await lease(store, { kinds });
    await store.note(leased, { writes: 1 });
    await store.renew([leased], 60_000);
    await store.settle(leased, verdict);
    // What is delayed becomes due.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await store.claim({ kinds, limit: 1, leaseMs: 60_000, alone: true });
}

const fillings = { 'of one seller': 1, 'of 100 sellers': 100 };

describe.skipIf(!hasPostgres)('in PostgreSQL', () => {
  const createDatabase = sharedPostgres();

  /** How many rows of tables and indexes are read for some lives, with plans that were made while some of the others waited. */
  async function readWhile(
    waiting: number,
    { sellers, planned, handled }: { sellers: number; planned: number; handled: number },
  ): Promise<number> {
    const connectionString = await createDatabase();
    const watching = new Pool({ connectionString, max: 1 });
    const pool = new Pool({ connectionString, max: 3 });
    const store = postgresStore({ pool });
    await store.open?.();
    await watching.query('ALTER TABLE seller_work SET (autovacuum_enabled = off)');
    const liveSome = async (round: number): Promise<void> => {
      for (let turn = 0; turn < 6; turn += 1)
        for (const owner of ['1', 'none']) await live(store, owner, `${round} ${turn} ${owner}`);
    };
    const fill = async (from: number, to: number): Promise<unknown> =>
      watching.query(
        `INSERT INTO seller_work (key, kind, owner, group_id, sent_at, added_at, data, state, due_at, turn)
         SELECT 'key ' || n, CASE WHEN n % 2 = 0 THEN 'questions' ELSE 'messages' END, 1 + n % $3, 'group ' || n, n, n, '{}', 'open', n, 1 + n / $3
         FROM generate_series($1::int, $2::int) AS n`,
        [from + 1, to, sellers],
      );
    // A year of handled notifications, and what PostgreSQL knows of them: that nothing waits.
    await watching.query(
      `INSERT INTO seller_work (key, kind, owner, group_id, sent_at, added_at, data, state, due_at, ended_at)
       SELECT 'done ' || n, 'messages', 1 + n % 100, 'group ' || n, n, n, '{}', 'done', 1e15, n FROM generate_series(1, $1::int) AS n`,
      [handled],
    );
    await watching.query('ANALYZE seller_work');
    await fill(0, Math.min(planned, waiting));
    if (planned >= waiting) await watching.query('ANALYZE seller_work');
    else {
      await liveSome(1);
      await fill(planned, waiting);
    }
    await liveSome(2);
    await store.close?.();
    // A connection says what it has read when it ends.
    await pool.end();
    const others = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    while ((await watching.query(others)).rowCount !== 0);
    const { rows } = await watching.query<{ read: string }>(
      `SELECT sum(seq_tup_read) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) AS read FROM pg_stat_user_tables`,
    );
    await watching.end();
    return Number(rows[0]?.read);
  }

  const cases = Object.entries(fillings).flatMap(([whose, sellers]) =>
    [0, 20, Infinity].flatMap((planned) => [0, 3_000].map((handled) => ({ whose, sellers, planned, handled }))),
  );
  test.each(cases)('$whose, with plans of when $planned waited and $handled were handled', async (given) => {
    const few = await readWhile(200, given);
    const many = await readWhile(5_000, given);
    expect(many).toBeLessThan(few * 1.3);
  });
});

/** What reads no more rows where more wait: what has a key or is of a group, the first in an order, what is shown, and what has ended. */
const bounded = [
  /^SCAN (?:CONSTANT ROW|[klop]|sqlite_sequence)$/,
  /^SEARCH \w+ USING (?:COVERING )?INDEX sqlite_autoindex_seller_work(?:_ledger)?_1 \(key=\?\)$/,
  /^SEARCH \w+ USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
  /^SEARCH \w+ USING INDEX seller_work_(?:head|group) \(group_id=\?\)$/,
  /^SEARCH \w+ USING INDEX seller_work_(?:due|suspects) \(kind=\? AND turn>\?\)$/,
  /^SEARCH \w+ USING INDEX seller_work_later \(kind=\? AND due_at[<>]\?.*\)$/,
  /^SEARCH \w+ USING COVERING INDEX seller_work_turn \(\(kind,owner\)<\(\?,\?\)\)$/,
  /^SEARCH \w+ USING COVERING INDEX seller_work_owner \(kind=\? AND owner=\? AND state=\?\)$/,
  /^SEARCH \w+ USING COVERING INDEX seller_work_owner \(\(kind,owner,state\)<\(\?,\?,\?\)\)$/,
  /^SEARCH \w+ USING (?:COVERING )?INDEX seller_work_shown \(kind=\?(?: AND state=\? AND number>\?)?\)$/,
  /^SEARCH \w+ USING INDEX seller_work_(?:leased \(kind=\? AND due_at>\?|reopened \(kind=\?)\)$/,
  /^SEARCH \w+ USING INDEX seller_work_(?:ended \(due_at|ledger_until \(until)<\?\)$/,
];

test('in SQLite', async () => {
  const store = sqliteStore(':memory:');
  await store.open?.();
  const { prepare } = DatabaseSync.prototype;
  const plans: Record<string, string[]> = {};
  const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql) {
    if (sql.includes('seller_work')) {
      const rows = prepare.call(this, `EXPLAIN QUERY PLAN ${sql}`).all();
      const plan = rows.map(({ detail }) => String(detail)).join('\n');
      // Pages of a list are sorted, and what is about to be forgotten.
      plans[sql] = plan.replaceAll(/(?<=SCAN p|seller_work_ended .*)\nUSE TEMP B-TREE.*/g, '').split('\n');
    }
    return prepare.call(this, sql);
  });
  onTestFinished(() => spy.mockRestore());
  await live(store, 'none', 'a');
  await store.list({ kinds: ['questions', 'messages'], states: ['waiting', 'dead'], limit: 10, after: 0 });
  await store.counts(['questions']);
  await store.close?.();
  for (const [sql, plan] of Object.entries(plans)) {
    for (const line of plan.filter((each) => /^(?:SCAN|SEARCH|USE)/.test(each)))
      expect(bounded.some((each) => each.test(line)) ? '' : `${line} in ${sql}`).toBe('');
    if (sql.includes('stalls >= 2')) expect(plan.join()).toContain('USING INDEX seller_work_suspects');
  }
  expect(Object.keys(plans).length).toBeGreaterThan(20);
});
