import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigurationError } from 'marketplace-seller-sdk';
import { sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore } from 'marketplace-seller-sdk/notifications';
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { claim, entry, lease, settlement } from '../support/stored.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let files = 0;

/** The path of a file that does not exist yet. */
function newPath(): string {
  return join(folder, `${++files}.db`);
}

/** A store, as in a process of its own, until the test is over. */
function open(path = newPath()): NotificationStore {
  const store = sqliteStore({ path });
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
    const store = sqliteStore({ path: join(folder, 'no', 'such', 'folder.db') });
    await expect(store.add(entry('k'))).rejects.toThrow(/its folder must exist/);
    expect(() => sqliteStore({ path: '' })).toThrow(ConfigurationError);
    await store.close?.();
  });

  test('a file that is not an inbox is named, and is not kept open', async () => {
    /** How many files of this folder the process has open. */
    const openFiles = (): number =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
        } catch {
          // It was the one that lists them.
          return false;
        }
      }).length;
    const foreign = join(folder, 'foreign.db');
    const other = new DatabaseSync(foreign);
    other.exec('CREATE TABLE orders (id INTEGER)');
    other.close();
    const newer = join(folder, 'newer.db');
    const store = sqliteStore({ path: newer });
    await store.add(entry('k'));
    await store.close?.();
    const raised = new DatabaseSync(newer);
    raised.exec('PRAGMA user_version = 99');
    raised.close();
    const corrupt = join(folder, 'corrupt.db');
    writeFileSync(corrupt, 'this is a text file that is long enough to be read as the header of a database'.repeat(20));
    for (const [path, message] of [
      [foreign, /belongs to another program/],
      [newer, /newer version/],
      [corrupt, /damaged or not a SQLite database/],
    ] as const) {
      const broken = sqliteStore({ path });
      for (let times = 0; times < 3; times += 1) await expect(broken.add(entry('k'))).rejects.toThrow(message);
    }
    if (process.platform === 'linux') expect(openFiles()).toBe(0);
  });

  test('a lock of another process does not block the event loop, and the write succeeds after it', async () => {
    const path = join(folder, 'locked.db');
    const store = sqliteStore({ path });
    await store.add(entry('a'));
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const adding = store.add(entry('b'));
    // If the write blocked the event loop, there would be no timer until it had given up.
    while (vi.getTimerCount() === 0) await new Promise(setImmediate);
    other.exec('COMMIT');
    other.close();
    await vi.advanceTimersByTimeAsync(10);
    expect(await adding).toBe('added');
    await store.close?.();
  });

  test('a damaged row is set aside, and the rest of its group is leased', async () => {
    const path = join(folder, 'damaged.db');
    const store = sqliteStore({ path });
    await store.add(entry('a', 'group', 1));
    await store.add(entry('c', 'group', 0));
    await store.add(entry('b', 'group', 2));
    const other = new DatabaseSync(path);
    other.exec("UPDATE notification_waiting SET entry = '{' WHERE key = 'a'");
    other.exec("UPDATE notification_waiting SET writes = '{' WHERE key = 'c'");
    other.exec("UPDATE notification_waiting SET last_failure = '{' WHERE key = 'b'");
    other.exec("INSERT INTO notification_group (group_id, ready_at) VALUES ('empty', 0)");
    other.close();
    expect((await store.waiting?.(10))?.map((each) => each.entry.key)).toEqual(['b']);
    const { leases, problems } = await store.claim(claim());
    expect(leases).toMatchObject([{ entry: { key: 'b' } }]);
    expect(problems).toEqual(Array(2).fill(expect.stringContaining('notification_damaged')));
    await store.settle(settlement(leases[0]!, { done: ['b'] }));
    expect(await store.claim(claim())).toEqual({ leases: [] });
    await store.close?.();
  });

  test('a write that fails has no effect on the writes beside it', async () => {
    const store = sqliteStore({ path: join(folder, 'neighbors.db') });
    await store.add(entry('first'));
    const broken = { ...entry('broken'), groupId: undefined as unknown as string };
    const results = await Promise.allSettled([store.add(entry('a')), store.add(broken), store.add(entry('b'))]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await store.claim(claim())).leases).toHaveLength(3);
    await store.close?.();
  });
});

describe('a database that cannot be opened', () => {
  test('because another process has locked it is tried for ten seconds', async () => {
    const path = newPath();
    other(path).exec('BEGIN EXCLUSIVE');
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const failed = open(path)
      .add(entry('a'))
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
    await expect(open(path).add(entry('a'))).rejects.toThrow(
      'the file is damaged or not a SQLite database: move it away',
    );
  });

  test('because it belongs to another program keeps the reason, and nothing else', async () => {
    const path = newPath();
    other(path).exec('CREATE TABLE orders (id INTEGER)');
    await expect(open(path).add(entry('a'))).rejects.toThrow(
      /^sqliteStore cannot open its database \(the file belongs to another program; use a separate file for the inbox or outbox\)$/,
    );
  });

  test('because this Node has no SQLite names the version that has', async () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    await expect(open().add(entry('a'))).rejects.toThrow('(there is no node:sqlite); it needs Node 22.13 or later');
  });

  test('is opened by the next write, when the reason is gone', async () => {
    const path = join(folder, 'later', 'inbox.db');
    const store = open(path);
    await expect(store.add(entry('a'))).rejects.toThrow('its folder must exist');
    mkdirSync(join(folder, 'later'));
    expect(await store.add(entry('a'))).toBe('added');
  });
});

describe('a transaction that fails', () => {
  const onInsert = (statement: string): string =>
    `CREATE TRIGGER broken AFTER INSERT ON notification_waiting WHEN new.key LIKE 'b%' BEGIN ${statement}; END`;

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
    const results = await Promise.allSettled(['a', 'b', 'c'].map((key) => store.add(entry(key))));
    expect(results.map(({ status }) => status)).toEqual(expected);
    for (const result of results) if (result.status === 'fulfilled') expect(result.value).toBe('added');
    program.exec('DROP TRIGGER broken');
    const written = results.filter(({ status }) => status === 'fulfilled').length;
    expect(await store.add(entry('b'))).toBe('added');
    expect((await store.claim(claim())).leases).toHaveLength(written + 2);
  });

  test('because another process holds the lock for ten seconds rejects its writes', async () => {
    const path = newPath();
    const store = await opened(path);
    const program = other(path);
    program.exec('BEGIN IMMEDIATE');
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const failed = Promise.allSettled([store.add(entry('a')), store.add(entry('b'))]);
    await endsAfterTenSeconds(failed);
    expect(await failed).toMatchObject([{ reason: { code: 'ERR_SQLITE_ERROR' } }, { status: 'rejected' }]);
    program.exec('ROLLBACK');
    vi.useRealTimers();
    expect(await store.add(entry('a'))).toBe('added');
  });
});

describe('the disk of a store in SQLite', () => {
  test('is waited for where a crash of the machine would lose a notification, and not for a renewal', async () => {
    const commands: string[] = [];
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const store = open(':memory:');
    await store.add(entry('a'));
    await store.add(entry('b'));
    const { leases } = await store.claim(claim({ limit: 2 }));
    await store.renew(leases, 60_000);
    await Promise.all([store.renew(leases, 60_000), store.add(entry('c'))]);
    for (const [command] of exec.mock.calls) {
      if (command.startsWith('PRAGMA synchronous')) commands.push(command.split(' = ')[1]!);
    }
    expect(commands).toEqual(['FULL', 'NORMAL', 'FULL']);
  });

  test('has everything when close() has resolved, and may be closed again', async () => {
    const path = newPath();
    const store = open(path);
    const added = store.add(entry('a'));
    await store.close?.();
    expect(await added).toBe('added');
    await store.close?.();
    expect(await open(path).add(entry('a'))).toBe('waiting');
    await open(join(path, 'never-opened')).close?.();
  });
});

describe('close()', () => {
  test('leaves one file, and the next write opens it again', async () => {
    const path = newPath();
    const store = open(path);
    await store.add(entry('a'));
    expect(existsSync(`${path}-wal`)).toBe(true);
    await store.close?.();
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(await store.add(entry('a'))).toBe('waiting');
  });

  test('creates no file where nothing was written', async () => {
    const path = newPath();
    await open(path).close?.();
    expect(existsSync(path)).toBe(false);
  });
});

describe('the time of a store in SQLite', () => {
  const minute = 60_000;
  const at = (minutes: number): void => {
    vi.useFakeTimers({ toFake: ['Date'], now: minutes * minute });
  };

  test('goes on where a result was stored, when the clock is set back before the next process starts', async () => {
    const path = newPath();
    at(60);
    const first = open(path);
    await first.add(entry('a'));
    const leased = await lease(first, { leaseMs: 100 * minute });
    at(120);
    await first.settle(settlement(leased, { retryInMs: minute }));
    at(0);
    expect((await open(path).claim(claim())).leases).toEqual([]);
    at(2);
    expect((await open(path).claim(claim())).leases).toHaveLength(1);
  });

  test.each(['was given', 'was given before its retry', 'was renewed'])('goes on where a lease %s', async (what) => {
    const path = newPath();
    at(60);
    const first = open(path);
    await first.add(entry('a'));
    const leased = await lease(first, { leaseMs: minute });
    if (what === 'was given before its retry') {
      await first.settle(settlement(leased, { retryInMs: 1000 * minute }));
      at(120);
      await lease(first, { groupId: 'a', leaseMs: minute });
    } else if (what === 'was renewed') {
      at(120);
      await first.renew([leased], minute);
    }
    at(0);
    expect((await open(path).claim(claim())).leases).toEqual([]);
    at(2);
    expect((await open(path).claim(claim())).leases).toMatchObject([{ stalledCount: 1 }]);
  });

  test('is not written where nothing else is', async () => {
    const path = newPath();
    const store = await opened(path);
    await store.settle(settlement(await lease(store), { done: ['opened'], deduplicationMs: minute }));
    const version = other(path).prepare('PRAGMA data_version');
    const before = version.get();
    for (const minutes of [1, 2, 3]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * minute });
      expect(await store.claim(claim())).toEqual({ leases: [] });
    }
    expect(version.get()).toEqual(before);
  });
});

describe('a file of which a program has deleted rows', () => {
  test('goes on without its clock', async () => {
    const path = newPath();
    const store = await opened(path);
    other(path).exec('DELETE FROM notification_clock');
    expect(await store.add(entry('a'))).toBe('added');
    expect((await store.claim(claim())).leases).toHaveLength(2);
  });
});

test('what was processed is forgotten, and deleted, when duplicates are no longer expected', async () => {
  const path = newPath();
  const store = await opened(path);
  const known = other(path).prepare('SELECT key FROM notification_processed ORDER BY key');
  await store.settle(settlement(await lease(store), { done: ['opened'], deduplicationMs: 10_000 }));
  expect(await store.add(entry('opened'))).toBe('processed');
  for (const key of ['a', 'b']) {
    await store.add(entry(key));
    await store.settle(settlement(await lease(store), { done: [key], deduplicationMs: 60_000 }));
    if (key === 'a') vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20_000 });
  }
  expect(known.all()).toEqual([{ key: 'a' }, { key: 'b' }]);
  expect(await store.add(entry('opened'))).toBe('added');
});

test('a user who comes later does not overtake those who have waited', async () => {
  const store = open();
  for (const key of ['a', 'b', 'c', 'd', 'e']) await store.add(entry(key));
  await store.claim(claim({ limit: 3 }));
  await store.add(entry('f', 'f', 1, 8));
  const { leases } = await store.claim(claim());
  expect(leases.map(({ groupId }) => groupId)).toEqual(['d', 'f', 'e']);
});

test('users take turns also where their notifications come at once', async () => {
  const store = open();
  const ofUser = (user: number, key: string) => store.add(entry(key, key, 1, user));
  await Promise.all([ofUser(7, 'a'), ofUser(7, 'b'), ofUser(7, 'c'), ofUser(8, 'd'), ofUser(9, 'e')]);
  const { leases } = await store.claim(claim());
  expect(leases.map(({ groupId }) => groupId)).toEqual(['a', 'd', 'e', 'b', 'c']);
});

/** A store that has its file. */
async function opened(path: string): Promise<NotificationStore> {
  const store = open(path);
  await store.add(entry('opened'));
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
