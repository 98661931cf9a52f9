import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore } from 'marketplace-seller-sdk/notifications';
import { storeConformance } from 'marketplace-seller-sdk/testing';
import { afterAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

describe.each<[string, () => NotificationStore]>([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: join(folder, `${++files}.db`) })],
  ['SQLite in memory', () => sqliteStore({ path: ':memory:' })],
])('a store in %s', (_, open) => {
  test.each(storeConformance(open).map(({ name, run }) => [name, run] as const))('%s', (__, run) => run());
});

test.each<[string, (store: NotificationStore) => Partial<NotificationStore>, RegExp]>([
  ['forgets what was handled', () => ({ settle: async () => true }), /a handled key|what is left/],
  ['gives out everything', (store) => ({ claim: (claim) => store.claim({ ...claim, routes: undefined }) }), /handler/],
  ['does not count', () => ({ stats: undefined as never }), /the counts/],
])('a store that %s does not conform', async (_, breakIt, message) => {
  const tests = storeConformance(() => {
    const store = memoryStore();
    return Object.assign(Object.create(store) as NotificationStore, bound(store), breakIt(store));
  });
  const results = await Promise.allSettled(tests.map(({ run }) => run()));
  const reasons = results.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  expect(reasons.join('\n')).toMatch(message);
});

function bound(store: NotificationStore): Partial<NotificationStore> {
  const names = [
    'add',
    'claim',
    'renew',
    'settle',
    'deadLetters',
    'redrive',
    'removeDeadLetter',
    'stats',
    'waiting',
    'retryNow',
    'removeWaiting',
  ] as const;
  return Object.fromEntries(names.map((name) => [name, (store[name] as () => unknown).bind(store)]));
}
