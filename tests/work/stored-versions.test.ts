import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Queue, Worker } from 'bullmq';
import { createInbox, openInbox } from 'marketplace-seller-sdk/inbox';
import { bullmq, postgresStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import { sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { createOutbox, openOutbox } from 'marketplace-seller-sdk/outbox';
import type { InnerEngine as Engine, InnerStore as Store } from '../../src/work/store.js';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { additions } from '../../src/work/sql/versions.js';
import { newFiles } from '../support/new-files.ts';
import { hasPostgres } from '../support/postgres.ts';
import { hasRedis, startRedis } from '../support/redis.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { silentLogger } from '../support/silent.ts';

// Files that earlier versions have written, in tests/stored: made by their own code on 2026-11-28. Each is opened with all that it has.

const newFile = newFiles();

/** A copy of a file of an earlier version. */
function copyOf(name: string): string {
  const path = newFile();
  copyFileSync(join(import.meta.dirname, '../stored', name), path);
  return path;
}

function versionOf(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const row = db.prepare('PRAGMA user_version').get();
  db.close();
  return row?.user_version;
}

beforeEach(() => {
  // On the day after, keys of handled notifications were forgotten.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-28T20:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

const sent = '2030-01-01T10:00:00.000Z';
const about = (_id: string, question: number, at = sent) => ({
  _id,
  user_id: 7,
  topic: 'questions',
  resource: `/questions/${question}`,
  application_id: 1,
  sent: at,
  received: at,
});

/** Handles what a store has. */
function handling(store: Store | Engine) {
  const handled: string[] = [];
  const inbox = createInbox({
    store,
    clientFor: () => ({}) as never,
    logger: silentLogger,
    on: { questions: ({ id }) => void handled.push(String(id)) },
    fallback: ({ id }) => void handled.push(String(id)),
  });
  return { inbox, handled };
}

describe('a file of 0.2.0', () => {
  test('is opened with its waiting notifications, its dead letters and its keys', async () => {
    const path = copyOf('0.2.0.db');
    const { inbox, handled } = handling(sqliteStore(path));
    await inbox.start();
    await inbox.idle();
    expect(handled.toSorted()).toEqual(['five', 'four', 'three']);
    expect(handled.indexOf('three')).toBeLessThan(handled.indexOf('four'));
    // It was handled by 0.2.0.
    await inbox.add(about('one', 1));
    await inbox.idle();
    expect(handled).toHaveLength(3);
    const [letter] = await inbox.deadLetters.list();
    expect(letter).toMatchObject({ attempts: 1, failure: 'Error: it failed', entry: { notification: { id: 'two' } } });
    expect(await inbox.deadLetters.replay(letter!.entry.key)).toBe(true);
    await inbox.idle();
    expect(handled.at(-1)).toBe('two');
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, unreadable: 0 });
    await inbox.close();
    expect(versionOf(path)).toBe(3);
    const again = handling(sqliteStore(path));
    await again.inbox.add(about('two', 2));
    await again.inbox.idle();
    expect(again.handled).toEqual([]);
    await again.inbox.close();
  });

  test('is not changed by who only looks, and says what to do', async () => {
    const path = copyOf('0.2.0.db');
    const looking = openInbox(sqliteStore(path));
    await expect(looking.stats()).rejects.toThrow('written by 0.2.0 of this package; start a process on it');
    await looking.close();
    expect(versionOf(path)).toBe(2);
  });

  test('that two processes open at once is brought up to date once', async () => {
    const path = copyOf('0.2.0.db');
    const two = [handling(sqliteStore(path)), handling(sqliteStore(path))];
    await Promise.all(two.map(async ({ inbox }) => inbox.start()));
    await Promise.all(two.map(({ inbox }) => inbox.idle()));
    await expect.poll(() => two.flatMap(({ handled }) => handled).toSorted()).toEqual(['five', 'four', 'three']);
    await Promise.all(two.map(({ inbox }) => inbox.close()));
  });
});

/** A marketplace as it was when the files of version 1 were made, and the jobs of these. */
function shop(store: Store | Engine) {
  const marketplace = new FakeMarketplace();
  const account = marketplace.addUser({ user_id: 7 });
  marketplace.addUser({ user_id: 31 });
  const pack_id = 2_000_000_000_001;
  const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31, pack_id });
  marketplace.buyerWrites({ pack, text: 'Hello' });
  const client = marketplace.clientFor(account, { maxRetries: 0 });
  const outbox = createOutbox({ store, clientFor: () => client, logger: silentLogger });
  const input = (text: string) => ({ pack_id, user_id: 7, to: { user_id: 31 }, text });
  const add = (key: string, text: string) =>
    outbox.add({ key, user_id: 7, endpoint: endpoints.messages.send, input: input(text) });
  const texts = () =>
    marketplace.messages
      .of(pack)
      .filter(({ from }) => from === 7)
      .map(({ text }) => text);
  return { outbox, add, texts };
}

/** What a store of version 1 had is there, and goes on. */
async function goesOn(store: Store | Engine): Promise<void> {
  const { outbox, add, texts } = shop(store);
  const { inbox, handled } = handling(store);
  expect(await add('accepted', 'Thank you!')).toMatchObject({ state: 'accepted', outputs: [{ text: 'Thank you!' }] });
  expect(await add('rejected', 'Call me at +54 11 4321-5678')).toMatchObject({ reason: 'PERSONAL_DATA' });
  expect(await add('dead', 'It leaves today.')).toMatchObject({ state: 'dead' });
  await expect(add('accepted', 'Another text')).rejects.toThrow('was added before with another input');
  await Promise.all([outbox.start(), inbox.start()]);
  await outbox.idle();
  await inbox.idle();
  expect(texts()).toEqual(['Tomorrow.']);
  expect(handled).toEqual(['three']);
  expect(await outbox.deadLetters.replay('dead')).toBe(true);
  await outbox.idle();
  expect(texts()).toEqual(['Tomorrow.', 'It leaves today.']);
  // What was kept without end is reduced like anything else.
  expect(await outbox.remove('accepted')).toBe(true);
  expect(await add('accepted', 'Thank you!')).toMatchObject({ state: 'accepted', isReduced: true });
  expect(await inbox.deadLetters.list()).toMatchObject([{ entry: { notification: { id: 'two' } } }]);
  await Promise.all([inbox.close(), outbox.close()]);
}

describe('tables of version 1', () => {
  test('in a file are opened with all that they have', async () => {
    const path = copyOf('version-1.db');
    await goesOn(sqliteStore(path));
    expect(versionOf(path)).toBe(3);
    // It was handled before.
    const { inbox, handled } = handling(sqliteStore(path));
    await inbox.add(about('one', 1));
    await inbox.idle();
    expect(handled).toEqual([]);
    await inbox.close();
  });

  test('are not changed by who only looks, and can be read', async () => {
    const path = copyOf('version-1.db');
    const looking = openOutbox(sqliteStore(path));
    expect(await looking.stats()).toMatchObject({ waiting: 1, dead: 1, accepted: 1, rejected: 1 });
    await looking.close();
    expect(versionOf(path)).toBe(1);
  });

  const createDatabase = sharedPostgres();
  test.runIf(hasPostgres)('in PostgreSQL are opened with all that they have', async () => {
    const pool = new Pool({ connectionString: await createDatabase() });
    onTestFinished(() => pool.end());
    await pool.query(readFileSync(join(import.meta.dirname, '../stored/version-1.sql'), 'utf8'));
    await goesOn(postgresStore({ pool }));
    expect((await pool.query('SELECT version FROM seller_work_version')).rows).toEqual([{ version: 3 }]);
    await pool.query('UPDATE seller_work_version SET version = 4');
    await expect(Promise.resolve(shop(postgresStore({ pool })).outbox.start())).rejects.toThrow('use the version');
  });

  test('keep every statement of the version before: what is added are indexes', () => {
    for (const [name, sql] of Object.entries(additions))
      expect(sql).toMatch(new RegExp(`^CREATE INDEX IF NOT EXISTS ${name} `));
  });
});

test.runIf(hasRedis)('a job of BullMQ that a later version has added is left to it, and others are done', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const connection = { path: redis.path, maxRetriesPerRequest: null };
  const store = bullmq({ Queue, Worker, connection });
  const { outbox, add, texts } = shop(store);
  for (const key of ['later', 'earlier', 'own']) await add(key, key);
  const queue = new Queue('seller-outbox', { connection });
  const change = async (key: string, version: number | undefined): Promise<void> => {
    const job = (await queue.getJob(`n-job%20${key}`))!;
    await job.updateData({ ...job.data, version });
  };
  await change('later', 2);
  await change('earlier', undefined);
  await outbox.start();
  await expect.poll(() => texts().toSorted()).toEqual(['earlier', 'own']);
  await expect.poll(async () => (await outbox.get('later'))?.state).toBe('waiting');
  await queue.close();
  await outbox.close();
});

describe('a file of tokens', () => {
  test('of before there were versions is opened, and gets one', async () => {
    const path = copyOf('tokens.db');
    const tokens = sqliteTokens(path);
    expect(await tokens.sellers()).toEqual([7, 8]);
    expect(await tokens.load(7)).toMatchObject({ tokens: { accessToken: 'access-1', refreshToken: 'refresh-1' } });
    await tokens.close?.();
    const db = new DatabaseSync(path);
    expect(db.prepare('SELECT version FROM seller_tokens_version').all()).toEqual([{ version: 1 }]);
    db.exec('UPDATE seller_tokens_version SET version = 2');
    db.close();
    expect(() => sqliteTokens(path)).toThrow(
      'written by a later version of this package; use that version, and keep the file',
    );
  });
});
