import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import { sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

// From 22.15 on, Node.js opens the file that a URI names.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const opensUris = major > 22 || minor >= 15;

type Closable = { close?(): Promise<void> };

/** What keeps tokens, or texts of buyers, in a file; each has written to it. */
const keepers: Readonly<Record<string, (path: string) => Promise<Closable>>> = {
  sqliteStore: async (path) => {
    const store = sqliteStore(path);
    await store.counts([]);
    return store;
  },
  sqliteTokens: async (path) => {
    const tokens = sqliteTokens(path);
    await tokens.save(7, { accessToken: 'a', refreshToken: 'r' });
    return tokens;
  },
};

let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-'));
  umask = process.umask(0o022);
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

const modes = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );

// Windows has no such modes.
describe.skipIf(process.platform === 'win32').each(Object.keys(keepers))('%s', (name) => {
  const open = keepers[name]!;

  test('creates files that nobody else can read', async () => {
    const opened = await open(join(folder, 'a.db'));
    const again = await open(join(folder, 'a.db'));
    expect(modes()).toEqual({ 'a.db': '600', 'a.db-shm': '600', 'a.db-wal': '600' });
    await again.close?.();
    await opened.close?.();
  });

  test.runIf(opensUris)('also where a URI or a link names the file', async () => {
    symlinkSync(join(folder, 'target.db'), join(folder, 'link.db'));
    const paths = [`${pathToFileURL(join(folder, 'b c.db')).href}?cache=private`, join(folder, 'link.db')];
    const opened = await Promise.all(paths.map(open));
    expect(Object.keys(modes()).filter((each) => each.endsWith('.db'))).toEqual(['b c.db', 'link.db', 'target.db']);
    expect(new Set(Object.values(modes()))).toEqual(new Set(['600']));
    for (const each of opened) await each.close?.();
  });

  test.each([0o640, 0o666])('lets an existing file have its mode: %o', async (mode) => {
    writeFileSync(join(folder, 'a.db'), '');
    chmodSync(join(folder, 'a.db'), mode);
    const opened = await open(join(folder, 'a.db'));
    const text = mode.toString(8);
    expect(modes()).toEqual({ 'a.db': text, 'a.db-shm': text, 'a.db-wal': text });
    await opened.close?.();
  });

  test.each([':memory:', ...(opensUris ? ['file::memory:'] : [])])('creates no file for %s', async (path) => {
    const opened = await open(path);
    await opened.close?.();
    expect(readdirSync(process.cwd()).filter((each) => each.includes('memory'))).toEqual([]);
  });
});
