import { existsSync, mkdtempSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createReceiver, openInbox, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore } from 'marketplace-seller-sdk/notifications';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { about, deliver, patient } from '../support/deliveries.ts';
import { claim, entry, lease, settlement } from '../support/stored.ts';

let path: string;
let stores: NotificationStore[] = [];
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'operators-')), 'inbox.db');
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.allSettled(stores.map(async (store) => store.close?.()));
  stores = [];
  rmSync(join(path, '..'), { recursive: true });
});

function open(): NotificationStore {
  const store = sqliteStore({ path });
  stores.push(store);
  return store;
}

describe('a file that is deleted or moved while a process uses it', () => {
  test.each<[string, () => void]>([
    ['deleted', () => unlinkSync(path)],
    ['moved', () => renameSync(path, `${path}.old`)],
  ])('%s: nothing is acknowledged, and the log says so at the next poll', async (_, harm) => {
    const lines: string[] = [];
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: (line: string) => void lines.push(line) };
    const receiver = createReceiver({ store: open(), logger, pollMs: 20, on: { questions: () => {} }, ...patient });
    expect(await deliver(receiver, about(1))).toBe(200);
    await receiver.idle();
    harm();
    await expect.poll(() => lines.join('\n')).toContain('was deleted or moved; restart');
    expect(await deliver(receiver, about(2))).toBe(503);
    await receiver.close();
  });

  test('without its log, nothing is acknowledged, and what was acknowledged is there after a restart', async () => {
    const store = open();
    await store.add(entry('a'));
    unlinkSync(`${path}-wal`);
    await expect(store.add(entry('b'))).rejects.toThrow('inbox.db-wal was deleted or moved; restart');
    await store.close?.().catch(() => {});
    expect((await open().claim(claim())).leases).toMatchObject([{ groupId: 'a' }]);
  });

  test('one that is moved back is used again', async () => {
    const store = open();
    await store.add(entry('a'));
    renameSync(path, `${path}.old`);
    await expect(store.add(entry('b'))).rejects.toThrow('was deleted or moved');
    renameSync(`${path}.old`, path);
    expect(await store.add(entry('b'))).toBe('added');
  });
});

describe('the version of the tables', () => {
  test('an older process stops with a message once a newer one has changed them', async () => {
    const older = open();
    await older.add(entry('a'));
    const db = new DatabaseSync(path);
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    db.exec(`PRAGMA user_version = ${version + 1}`);
    const message = 'written by a newer version of this package; update the package';
    await expect(older.add(entry('b'))).rejects.toThrow(message);
    await expect(older.claim(claim())).rejects.toThrow(message);
    await expect(open().add(entry('b'))).rejects.toThrow(message);
    // After a rollback of both, the file is as it was.
    db.exec(`PRAGMA user_version = ${version}`);
    db.close();
    expect(await older.add(entry('b'))).toBe('added');
    expect((await older.claim(claim())).leases).toHaveLength(2);
  });
});

describe('openInbox', () => {
  test('creates no file', async () => {
    const missing = `${path}-mistyped`;
    await expect(openInbox(sqliteStore({ path: missing })).stats()).rejects.toThrow('there is no file');
    expect(existsSync(missing)).toBe(false);
  });

  test('does not migrate an older file, which would stop the processes that use it', async () => {
    await open().stats?.();
    const db = new DatabaseSync(path);
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    db.exec(`PRAGMA user_version = ${version - 1}`);
    await expect(openInbox(sqliteStore({ path })).stats()).rejects.toThrow('written by an older version');
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: version - 1 });
    db.close();
  });

  test('replays all dead letters, also behind damaged ones', async () => {
    const store = open();
    for (let index = 0; index < 150; index += 1) {
      await store.add(entry(`k${index}`));
      await store.settle(settlement(await lease(store), { deadLetter: { key: `k${index}`, failure: 'no' } }));
    }
    const db = new DatabaseSync(path);
    db.exec("UPDATE notification_dead SET entry = '{' WHERE number IN (1, 50)");
    db.exec("UPDATE notification_dead SET writes = '{' WHERE number = 120");
    db.close();
    const inbox = openInbox(sqliteStore({ path }));
    expect(await inbox.deadLetters.replayAll()).toBe(147);
    expect(await inbox.stats()).toMatchObject({ waiting: 147, dead: 3 });
    await inbox.close();
  });
});

test('a file of the first version of the tables is migrated, and loses nothing', async () => {
  const newer = open();
  await newer.add(entry('question'));
  const item = entry('item');
  await newer.add({ ...item, notification: { known: false, topic: 'items', user_id: 7, resource: '/items/1' } });
  await newer.close?.();
  const db = new DatabaseSync(path);
  for (const table of ['waiting', 'dead'])
    for (const event of ['INSERT', 'DELETE', 'UPDATE']) db.exec(`DROP TRIGGER notification_${table}_room_${event}`);
  for (const index of ['unconfirmed', 'waiting_room', 'dead_room', 'arrival'])
    db.exec(`DROP INDEX notification_${index}`);
  for (const [table, column] of [
    ...['user_id', 'confirmed', 'until'].map((name) => ['waiting', name]),
    ...['user_id', 'topic', 'confirmed'].map((name) => ['dead', name]),
  ])
    db.exec(`ALTER TABLE notification_${table} DROP COLUMN ${column}`);
  db.exec(`DROP TABLE notification_room; DROP TABLE outbox_job; DELETE FROM notification_total WHERE name IN ('unconfirmed', 'expired');
    DROP TRIGGER notification_topic_arrived; DROP TRIGGER notification_topic_left;
    DROP TABLE notification_topic; DROP TABLE notification_ledger;
    DROP INDEX notification_order; CREATE INDEX notification_order ON notification_waiting (group_id, sent_at, number);
    ALTER TABLE notification_waiting DROP COLUMN last_failure; ALTER TABLE notification_waiting DROP COLUMN writes;
    ALTER TABLE notification_dead DROP COLUMN writes; ALTER TABLE notification_group DROP COLUMN alone;
    DROP INDEX notification_due; DROP INDEX notification_later; DROP INDEX notification_leased;
    ALTER TABLE notification_group DROP COLUMN route;
    ALTER TABLE notification_waiting DROP COLUMN topic; ALTER TABLE notification_waiting DROP COLUMN arrived_at;
    CREATE INDEX notification_due ON notification_group (turn) WHERE turn IS NOT NULL;
    CREATE INDEX notification_later ON notification_group (ready_at) WHERE turn IS NULL;
    PRAGMA user_version = 1`);
  db.close();
  const store = open();
  expect((await store.claim(claim({ routes: ['questions'] }))).leases).toMatchObject([{ groupId: 'question' }]);
  expect((await store.claim(claim({ routes: ['*'] }))).leases).toMatchObject([{ groupId: 'item' }]);
  expect(await store.stats?.()).toMatchObject({
    running: 2,
    topics: { questions: { waiting: 1 }, items: { waiting: 1 } },
  });
  // What the older version has stored takes room as well.
  const full = sqliteStore({ path, maxWaiting: 1 });
  stores.push(full);
  await expect(full.add(entry('other'))).rejects.toThrow('maxWaiting');
});

describe('the clock of the machine', () => {
  test.each([3_600_000, 86_400_000, -3_600_000])('set by %i ms ends no lease, for no process', async (shiftMs) => {
    const [one, other] = [open(), open()];
    await one.add(entry('a'));
    const held = await lease(one, { leaseMs: 30_000 });
    await other.claim(claim({ workerId: 'b' }));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + shiftMs });
    expect((await other.claim(claim({ workerId: 'b' }))).leases).toEqual([]);
    expect(await one.renew([held], 30_000)).toEqual([]);
    // A process that starts now learns the time from the others.
    expect((await open().claim(claim({ workerId: 'c' }))).leases).toEqual([]);
    expect(await one.settle(settlement(held, { done: ['a'] }))).toBe(true);
  });
});

test('a settlement of many coalesced notifications leaves the event loop free in between', async () => {
  const store = open();
  const count = 5_000;
  await Promise.all(Array.from({ length: count }, (_, index) => store.add(entry(`k${index}`, 'group', index))));
  const leased = await lease(store, { coalesce: true });
  expect(leased.coalescedKeys).toHaveLength(count - 1);
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  expect(await store.settle(settlement(leased, { done: [...leased.coalescedKeys, leased.entry.key] }))).toBe(true);
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(count / 1_000 - 1);
  expect(await store.claim(claim())).toEqual({ leases: [] });
  for (const key of ['k0', 'k999', 'k1000', `k${count - 1}`]) {
    expect(await store.add(entry(key, 'group'))).toBe('processed');
  }
});

test('a lease that was lost while many notifications were settled settles no more of them', async () => {
  const store = open();
  await Promise.all(Array.from({ length: 2_500 }, (_, index) => store.add(entry(`k${index}`, 'group', index))));
  const leased = await lease(store, { coalesce: true });
  const other = { ...leased, token: 'another' };
  expect(await store.settle(settlement(other, { done: leased.coalescedKeys }))).toBe(false);
  expect(await store.stats?.()).toMatchObject({ waiting: 2_499, running: 1 });
});
