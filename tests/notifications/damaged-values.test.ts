import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReceiver, keyValueStore, sqliteStore } from 'marketplace-seller-sdk/notifications';
import { expect, onTestFinished, test, vi } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';

const silent = () => {};
const silentLogger = { debug: silent, info: silent, warn: silent, error: silent };

/** What an earlier process left of three notifications. */
async function left(): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>();
  const receiver = createReceiver({
    store: keyValueStore(values),
    logger: silentLogger,
    retry: { attempts: 1 },
    on: {
      questions: ({ question_id }) => {
        if (question_id === 0) throw new Error('no');
      },
    },
  });
  await deliver(receiver, about(0));
  await receiver.idle();
  await receiver.close();
  const stopped = keyValueStore(values);
  const accepting = createReceiver({ queue: { add: (entry) => stopped.add(entry) }, on: { questions: silent } });
  for (const id of [1, 2, 3]) await deliver(accepting, about(id));
  return values;
}

/** An inbox on these values, with what it handles and its error lines. */
function watched(values: Map<string, unknown>) {
  const handled: number[] = [];
  const lines: string[] = [];
  const receiver = createReceiver({
    store: keyValueStore(values),
    logger: { ...silentLogger, error: (line) => void lines.push(line) },
    on: { questions: ({ question_id }) => void handled.push(question_id) },
  });
  return { receiver, handled, lines };
}

const junk = [
  'text',
  5,
  true,
  [],
  {},
  { entry: null },
  { entry: 'x', failures: 0, stalls: 0, leased: false },
  { entry: { key: 'k', groupId: 'g', sentAt: 1 }, failures: 0, stalls: 0, leased: false },
  { entry: { key: 5, groupId: {}, sentAt: 'x', notification: {} }, failures: 'x' },
];

test.each(junk)(
  'a damaged notification in a key-value store (%j) is told, kept, and stops no other',
  async (damaged) => {
    const values = await left();
    const name = [...values.keys()].filter((key) => key.includes(':entry:'))[1]!;
    values.set(name, damaged);
    const { receiver, handled, lines } = watched(values);
    expect(await deliver(receiver, about(4))).toBe(200);
    await receiver.idle();
    expect(handled.sort()).toEqual([1, 3, 4]);
    expect(lines).toEqual([expect.stringContaining(name)]);
    expect(values.get(name)).toEqual(damaged);
    expect(await receiver.deadLetters.list()).toHaveLength(1);
    await receiver.close();
  },
);

test.each<readonly [string, unknown]>([
  ['failures', 0.5],
  ['stalls', '0'],
  ['entry.key', 5],
  ['entry.groupId', null],
  ['entry.sentAt', '2026-01-01'],
  ['entry.notification', null],
  ['entry.notification.user_id', '7'],
])('a notification of which only %s is damaged is told and kept', async (path, damaged) => {
  const values = await left();
  const name = [...values.keys()].filter((key) => key.includes(':entry:'))[1]!;
  const value = structuredClone(values.get(name)) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop()!;
  const holder = names.reduce((found, key) => found[key] as Record<string, unknown>, value);
  holder[last] = damaged;
  values.set(name, value);
  const { receiver, handled, lines } = watched(values);
  await receiver.idle();
  expect(handled.sort()).toEqual([1, 3]);
  expect(lines).toEqual([expect.stringContaining(name)]);
  await receiver.close();
});

test('a damaged dead letter among good ones is told, and the good ones stay', async () => {
  const values = await left();
  const [good] = values.get('notifications:dead') as unknown[];
  const stored = [good, { entry: { key: 'x' } }];
  values.set('notifications:dead', stored);
  const { receiver, lines } = watched(values);
  await receiver.idle();
  expect(await receiver.deadLetters.list()).toHaveLength(1);
  expect(lines).toEqual([expect.stringContaining('dead')]);
  expect(values.get('notifications:dead:damaged')).toEqual(stored);
  await receiver.close();
});

test('dead letters that are not damaged are not copied', async () => {
  const values = await left();
  const { receiver, lines } = watched(values);
  await receiver.idle();
  expect(lines).toEqual([]);
  expect(values.has('notifications:dead:damaged')).toBe(false);
  await receiver.close();
});

test.each(['text', 5, true, {}, [null], [{}], [{ entry: 'x' }]])(
  'damaged dead letters in a key-value store (%j) are told and stop no notification',
  async (damaged) => {
    const values = await left();
    values.set('notifications:dead', damaged);
    const { receiver, handled, lines } = watched(values);
    await receiver.idle();
    expect(handled.sort()).toEqual([1, 2, 3]);
    expect(await receiver.deadLetters.list()).toEqual([]);
    expect(lines).toEqual([expect.stringContaining('dead')]);
    await receiver.close();
  },
);

test.each([
  'text',
  5,
  true,
  {},
  { from: 'x', to: 3 },
  { from: 0, to: '3' },
  { from: 0, to: 1e15 },
  { from: 0, to: 2 ** 31 },
  { from: 5, to: 3 },
  { from: -1, to: 3 },
  { from: -1, to: 2.5 },
  { from: 0, to: 2.5 },
])(
  'damaged bounds in a key-value store (%j) accept nothing, because the notifications cannot be found',
  async (damaged) => {
    const values = await left();
    values.set('notifications:bounds', damaged);
    const lines: string[] = [];
    const receiver = createReceiver({
      store: keyValueStore(values),
      logger: { ...silentLogger, error: (line) => void lines.push(line) },
      on: { questions: silent },
    });
    expect(await deliver(receiver, about(4))).toBe(503);
    expect(lines.some((line) => line.includes('notifications:bounds'))).toBe(true);
    await receiver.close();
  },
);

test('a SQLite file that cannot be written any more is closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'close-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const close = vi.spyOn(DatabaseSync.prototype, 'close');
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const store = sqliteStore({ path: join(folder, 'inbox.db') });
  await store.claim({ workerId: 'a', limit: 1, leaseMs: 1, coalesce: false });
  const [database] = exec.mock.contexts as DatabaseSync[];
  database?.exec('PRAGMA query_only = ON; DROP TABLE IF EXISTS none');
  database?.exec('BEGIN');
  await store.close?.().catch(silent);
  expect(close).toHaveBeenCalledOnce();
  vi.restoreAllMocks();
});
