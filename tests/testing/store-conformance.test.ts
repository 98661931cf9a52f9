import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore, Settlement, StoreLimits } from 'marketplace-seller-sdk/notifications';
import { afterAll, describe, expect, test } from 'vitest';
import { storeConformance } from '../support/store-conformance.ts';

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

describe.each<[string, (limits?: StoreLimits) => NotificationStore]>([
  ['memory', (limits) => memoryStore(limits)],
  ['SQLite', (limits) => sqliteStore({ path: join(folder, `${++files}.db`), ...limits })],
  ['SQLite in memory', (limits) => sqliteStore({ path: ':memory:', ...limits })],
])('a store in %s', (_, open) => {
  test.each(storeConformance(open, open).map(({ name, run }) => [name, run] as const))('%s', (__, run) => run());
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

test('a store without rooms conforms, unless it is asked to have them', async () => {
  const withoutRooms = (): NotificationStore => {
    const store = memoryStore();
    const forget = async (settlement: Settlement) => store.settle({ ...settlement, confirmed: undefined });
    return Object.assign(Object.create(store) as NotificationStore, bound(store), { settle: forget });
  };
  for (const { run } of storeConformance(withoutRooms)) await run();
  const asked = storeConformance(withoutRooms, withoutRooms).slice(storeConformance(withoutRooms).length);
  const results = await Promise.allSettled(asked.map(({ run }) => run()));
  const passed = asked.filter((_, index) => results[index]?.status === 'fulfilled').map(({ name }) => name);
  expect(passed).toEqual(['what runs, and what the service has shown, is not deleted after maxAgeMs']);
});

function bound(store: NotificationStore): Partial<NotificationStore> {
  const names = [
    'add',
    'claim',
    'renew',
    'note',
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
