import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigurationError } from 'marketplace-seller-sdk';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { InnerStore as Store } from '../../src/work/store.js';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { factKeyOf } from '../../src/work/store.js';
import { additions } from '../../src/work/sql/versions.js';
import { newFiles } from '../support/new-files.ts';
import { claim, dead, done, keysOf, lease, listed, work } from '../support/work.ts';

const newPath = newFiles();
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A store, as in a process of its own, until the test is over. */
function open(path = newPath()): Store {
  const store = sqliteStore(path);
  onTestFinished(() => store.close?.().catch(() => undefined));
  return store;
}

/** What another program does with the file. */
function other(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return database;
}

describe('a store in SQLite', () => {
  test('a database path that cannot be opened is named', async () => {
    const store = sqliteStore(newPath('no/such/folder.db'));
    await expect(store.add(work('k'))).rejects.toThrow(/its folder must exist/);
    expect(() => sqliteStore('')).toThrow(ConfigurationError);
    await store.close?.();
  });

  test('a file that is not an inbox is named, and is not kept open', async () => {
    /** How many files of this folder the process has open. */
    const openFiles = (): number =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(newPath('.'));
        } catch {
          // It was the one that lists them.
          return false;
        }
      }).length;
    const foreign = newPath('foreign.db');
    const other = new DatabaseSync(foreign);
    other.exec('CREATE TABLE orders (id INTEGER)');
    other.close();
    const newer = newPath('newer.db');
    const store = sqliteStore(newer);
    await store.add(work('k'));
    await store.close?.();
    const raised = new DatabaseSync(newer);
    raised.exec('PRAGMA user_version = 99');
    raised.close();
    // A file of before the first release: the same mark, other tables.
    const old = newPath('old.db');
    const older = new DatabaseSync(old);
    older.exec(
      'CREATE TABLE notification_waiting (key TEXT); PRAGMA application_id = 0x4d53494e; PRAGMA user_version = 1',
    );
    older.close();
    const corrupt = newPath('corrupt.db');
    writeFileSync(corrupt, 'this is a text file that is long enough to be read as the header of a database'.repeat(20));
    for (const [path, message] of [
      [foreign, /belongs to another program/],
      [newer, /written by another version of this package; use that version, and keep the file/],
      [old, /written by another version of this package/],
      [corrupt, /damaged or not a SQLite database/],
    ] as const) {
      const broken = sqliteStore(path);
      for (let times = 0; times < 3; times += 1) await expect(broken.add(work('k'))).rejects.toThrow(message);
    }
    if (process.platform === 'linux') expect(openFiles()).toBe(0);
  });

  test('a lock of another process does not block the event loop, and the write succeeds after it', async () => {
    const path = newPath('locked.db');
    const store = sqliteStore(path);
    await store.add(work('a'));
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const adding = store.add(work('b'));
    // If the write blocked the event loop, there would be no timer until it had given up.
    while (vi.getTimerCount() === 0) await new Promise(setImmediate);
    other.exec('COMMIT');
    other.close();
    await vi.advanceTimersByTimeAsync(10);
    expect(await adding).toBe('added');
    await store.close?.();
  });

  test('what cannot be read is set aside, and its group goes on', async () => {
    const path = newPath();
    const store = open(path);
    for (const [key, sentAt] of [
      ['a', 1],
      ['c', 0],
      ['b', 2],
    ] as const)
      // prettier-ignore
      await store.add(work(key, { group: 'g', sentAt }));
    const program = other(path);
    program.exec("UPDATE seller_work SET data = '{' WHERE key = 'a'");
    program.exec("UPDATE seller_work SET notes = '{' WHERE key = 'c'");
    expect(await listed(store, 'waiting')).toEqual(['b']);
    for (const key of ['c', 'a'])
      expect(await claim(store)).toMatchObject({
        leases: [],
        problems: [expect.stringContaining(`entry ${key} is damaged`)],
      });
    await store.settle(await lease(store), done);
    expect(await claim(store)).toEqual({ leases: [] });
    expect(await store.counts(['questions'])).toMatchObject({ unreadable: 2, waiting: 0, running: 0 });
  });

  test('a write that fails has no effect on the writes beside it', async () => {
    const store = sqliteStore(newPath('neighbors.db'));
    await store.add(work('first'));
    const broken = { ...work('broken'), group: undefined as unknown as string };
    const results = await Promise.allSettled([store.add(work('a')), store.add(broken), store.add(work('b'))]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await claim(store)).leases).toHaveLength(3);
    await store.close?.();
  });
});

describe('a database that cannot be opened', () => {
  test('because another process has locked it is tried for ten seconds', async () => {
    const path = newPath();
    other(path).exec('BEGIN EXCLUSIVE');
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const failed = open(path)
      .add(work('a'))
      .catch((error: unknown) => error);
    await endsAfterTenSeconds(failed);
    expect(await failed).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(
        /^sqliteStore cannot open its database \(.*locked\); another process has locked it for 10000 ms$/,
      ) as string,
      cause: { code: 'ERR_SQLITE_ERROR' },
    });
  });

  test('because its pages are damaged is named as such', async () => {
    const path = newPath();
    await (await opened(path)).close?.();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 100));
    await expect(open(path).add(work('a'))).rejects.toThrow(
      'the file is damaged or not a SQLite database: move it away',
    );
  });

  test('because it belongs to another program keeps the reason, and nothing else', async () => {
    const path = newPath();
    other(path).exec('CREATE TABLE orders (id INTEGER)');
    await expect(open(path).add(work('a'))).rejects.toThrow(
      /^sqliteStore cannot open its database \(the file belongs to another program; use a file of its own\)$/,
    );
  });

  test('because this Node has no SQLite names the version that has', async () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    await expect(open().add(work('a'))).rejects.toThrow('(there is no node:sqlite); it needs Node 22.13 or later');
  });

  test('is opened by the next write, when the reason is gone', async () => {
    const path = newPath('later/inbox.db');
    const store = open(path);
    await expect(store.add(work('a'))).rejects.toThrow('its folder must exist');
    mkdirSync(newPath('later'));
    expect(await store.add(work('a'))).toBe('added');
  });
});

describe('a transaction that fails', () => {
  const onInsert = (statement: string): string =>
    `CREATE TRIGGER broken AFTER INSERT ON seller_work WHEN new.key LIKE 'b%' BEGIN ${statement}; END`;

  test.each([
    ['one write', "SELECT RAISE(ABORT, 'no room')", ['fulfilled', 'rejected', 'fulfilled']],
    ['the whole transaction', "SELECT RAISE(ROLLBACK, 'no room')", ['fulfilled', 'rejected', 'fulfilled']],
    ['the commit', 'INSERT INTO child (parent) VALUES (99)', ['fulfilled', 'rejected', 'fulfilled']],
  ])('with %s rejects what was not written, and no other write', async (_, statement, expected) => {
    const path = newPath();
    const store = await opened(path);
    const program = other(path);
    program.exec(
      'CREATE TABLE parent (id INTEGER PRIMARY KEY);' +
        'CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)',
    );
    program.exec(onInsert(statement));
    const results = await Promise.allSettled(['a', 'b', 'c'].map((key) => store.add(work(key))));
    expect(results.map(({ status }) => status)).toEqual(expected);
    for (const result of results) if (result.status === 'fulfilled') expect(result.value).toBe('added');
    program.exec('DROP TRIGGER broken');
    const written = results.filter(({ status }) => status === 'fulfilled').length;
    expect(await store.add(work('b'))).toBe('added');
    expect((await claim(store)).leases).toHaveLength(written + 2);
  });

  test('because what it reads is away is over, and what follows is written', async () => {
    const path = newPath();
    const store = await opened(path);
    const program = other(path);
    program.exec('ALTER TABLE seller_work RENAME TO away');
    await expect(store.get('a')).rejects.toThrow('seller_work');
    program.exec('ALTER TABLE away RENAME TO seller_work');
    expect(await store.add(work('a'))).toBe('added');
  });

  test('because another process holds the lock for ten seconds rejects its writes', async () => {
    const path = newPath();
    const store = await opened(path);
    const program = other(path);
    program.exec('BEGIN IMMEDIATE');
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const failed = Promise.allSettled([store.add(work('a'), 9), store.add(work('b'))]);
    await endsAfterTenSeconds(failed);
    expect(await failed).toMatchObject([{ reason: { code: 'ERR_SQLITE_ERROR' } }, { status: 'rejected' }]);
    program.exec('ROLLBACK');
    vi.useRealTimers();
    expect(await store.add(work('a'), 9)).toBe('added');
  });
});

describe('the disk of a store in SQLite', () => {
  test('is waited for where a crash of the machine would lose a notification, and not for a renewal', async () => {
    const commands: string[] = [];
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const store = open(':memory:');
    await store.add(work('a'));
    await store.add(work('b'));
    const { leases } = await claim(store, { limit: 2 });
    await store.renew(leases, 60_000);
    await Promise.all([store.renew(leases, 60_000), store.add(work('c'))]);
    for (const [command] of exec.mock.calls) {
      if (command.startsWith('PRAGMA synchronous')) commands.push(command.split(' = ')[1]!);
    }
    expect(commands).toEqual(['FULL', 'NORMAL', 'FULL']);
  });

  test('has everything when close() has resolved, and may be closed again', async () => {
    const path = newPath();
    const store = open(path);
    const added = store.add(work('a'));
    await store.close?.();
    expect(await added).toBe('added');
    await store.close?.();
    expect(await open(path).add(work('a'))).toBe('known');
    await open(join(path, 'never-opened')).close?.();
  });
});

describe('close()', () => {
  test('leaves one file, and the next write opens it again', async () => {
    const path = newPath();
    const store = open(path);
    await store.add(work('a'));
    expect(existsSync(`${path}-wal`)).toBe(true);
    await store.close?.();
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(await store.add(work('a'))).toBe('known');
    await store.close?.();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test('forgets which log it had: after it, another process may have had one meanwhile, or still has', async () => {
    const path = newPath();
    const store = open(path);
    for (let time = 0; time < 4; time += 1) {
      expect(await store.add(work(`a ${time}`))).toBe('added');
      await store.close?.();
      // The number of the log that is gone is given to another file.
      writeFileSync(`${path}-${time}`, '');
      const isHeld = time % 2 === 1;
      const process = open(path);
      await process.add(work(`b ${time}`));
      if (!isHeld) await process.close?.();
    }
    expect((await listed(store, 'waiting')).toSorted()).toEqual(['a', 'b'].flatMap((key) => [0, 1, 2, 3].map((time) => `${key} ${time}`))); // prettier-ignore
    await store.close?.();
    expect(await store.add(work('a 0'))).toBe('known');
  });

  test('is waited for as before when the file is opened again', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const path = newPath();
    const store = open(path);
    const synchronous = (): unknown => (exec.mock.contexts.at(-1) as DatabaseSync).prepare('PRAGMA synchronous').get();
    await store.add(work('a'));
    const { token } = await lease(store);
    await store.renew([{ key: 'a', token }], 60_000);
    expect(synchronous()).toEqual({ synchronous: 1 });
    await store.close?.();
    expect(await store.add(work('b'))).toBe('added');
    expect(synchronous()).toEqual({ synchronous: 2 });
  });

  test('creates no file where nothing was written', async () => {
    const path = newPath();
    await open(path).close?.();
    expect(existsSync(path)).toBe(false);
  });
});

describe('a file that is deleted or moved while a process uses it', () => {
  test('without its log, nothing is written, and what was is there after a restart', async () => {
    const path = newPath();
    const store = await opened(path);
    unlinkSync(`${path}-wal`);
    await expect(store.add(work('b'))).rejects.toThrow('.db-wal was deleted or moved; restart');
    await store.close?.().catch(() => {});
    expect(keysOf(await claim(open(path)))).toEqual(['opened']);
  });

  test('one that is moved back is used again', async () => {
    const path = newPath();
    const store = await opened(path);
    renameSync(path, `${path}.old`);
    await expect(store.add(work('b'))).rejects.toThrow('was deleted or moved');
    renameSync(`${path}.old`, path);
    expect(await store.add(work('b'))).toBe('added');
  });

  test('one that cannot be written any more is closed', async () => {
    const close = vi.spyOn(DatabaseSync.prototype, 'close');
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const store = await opened(newPath());
    const [database] = exec.mock.contexts as DatabaseSync[];
    database?.exec('PRAGMA query_only = ON');
    database?.exec('BEGIN');
    await store.close?.().catch(() => {});
    expect(close).toHaveBeenCalledOnce();
  });
});

describe('who only looks at a file', () => {
  test('creates none', async () => {
    const path = newPath();
    const store = open(path);
    store.onlyOpen?.();
    await expect(store.counts(['job'])).rejects.toThrow(`there is no file ${path}`);
    expect(existsSync(path)).toBe(false);
    await (await opened(path)).close?.();
    expect(await store.counts(['questions'])).toMatchObject({ waiting: 1 });
  });

  test('changes no file of another program', async () => {
    const path = newPath();
    other(path).exec('CREATE TABLE orders (id INTEGER)');
    const store = open(path);
    store.onlyOpen?.();
    await expect(store.counts(['job'])).rejects.toThrow('belongs to another program');
  });
});

test('a key that was kept for long enough is deleted', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const path = newPath();
  const store = await opened(path);
  const kept = other(path).prepare("SELECT key FROM seller_work WHERE state = 'done' ORDER BY key");
  await store.settle(await lease(store), { ...done, inMs: 10_000 });
  expect(await store.add(work('opened'))).toBe('known');
  await store.ledger.replace('fact', undefined, 'a', 10_000);
  vi.advanceTimersByTime(20_000);
  await store.add(work('a'));
  await store.settle(await lease(store), done);
  expect(kept.all()).toEqual([{ key: 'a' }]);
  expect(other(path).prepare('SELECT key FROM seller_work_ledger').all()).toEqual([]);
});

test('a page is full although some of its rows are damaged', async () => {
  const path = newPath();
  const store = open(path);
  for (let index = 0; index < 30; index += 1) await store.add(work(`k${index}`));
  const { leases } = await claim(store);
  for (const each of leases) await store.settle(each, dead);
  other(path).exec("UPDATE seller_work SET data = '{' WHERE key IN ('k3', 'k7')");
  const page = await store.list({ kinds: ['questions'], states: ['dead'], limit: 10, after: 0 });
  expect(page).toHaveLength(10);
  expect(await listed(store, 'dead')).toHaveLength(28);
});

/** A store that has its file. */
async function opened(path: string): Promise<Store> {
  const store = open(path);
  await store.add(work('opened'));
  return store;
}

/** Lets ten seconds of fake time pass, at the end of which what waits for the lock ends. */
async function endsAfterTenSeconds(waiting: Promise<unknown>): Promise<void> {
  const ended = vi.fn();
  void waiting.then(ended);
  while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(9900);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
}

test('reading waits for nobody who writes', async () => {
  const path = newPath();
  const store = open(path);
  await store.add(work('a'));
  await store.settle(await lease(store), { ...done, fact: { value: 'answered', ms: 60_000 } });
  await store.add(work('b'));
  other(path).exec('BEGIN IMMEDIATE');
  expect(await store.get('b')).toMatchObject({ state: 'waiting' });
  expect(await listed(store, 'waiting')).toEqual(['b']);
  expect(await store.counts(['questions'])).toMatchObject({ waiting: 1, dead: 0 });
  expect(await store.ledger.get(factKeyOf('a'))).toBe('answered');
});

test('indexes that a file lacks are created by those who work with it, not by those who only look', async () => {
  const path = newPath();
  const first = open(path);
  await first.add(work('a'));
  await first.close?.();
  const database = other(path);
  const indexes = (): unknown[] => database.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'").all();
  const all = indexes();
  const names = Object.keys(additions);
  for (const name of names) database.exec(`DROP INDEX ${name}`);
  const looks = open(path);
  looks.onlyOpen?.();
  expect(await looks.counts(['questions'])).toMatchObject({ waiting: 1 });
  expect(indexes()).toHaveLength(all.length - names.length);
  expect(keysOf(await claim(open(path)))).toEqual(['a']);
  expect(indexes()).toHaveLength(all.length);
});
