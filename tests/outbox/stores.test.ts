import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryOutbox, sqliteOutbox } from 'marketplace-seller-sdk/outbox';
import type { JobLease, JobSettlement, OutboxStore } from 'marketplace-seller-sdk/outbox';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { stoppedClocks } from '../support/fake-time.ts';

// What both stores of an outbox do with none, one and two jobs, at the first and the last of a page, and at the moment when a
// lease, a pause or a key ends.

const folder = mkdtempSync(join(tmpdir(), 'outbox-stores-'));
let databases = 0;
afterAll(() => rmSync(folder, { recursive: true }));
stoppedClocks();

const kinds: readonly { readonly name: string; create(): OutboxStore }[] = [
  { name: 'memory', create: memoryOutbox },
  { name: 'SQLite', create: () => sqliteOutbox(join(folder, `${(databases += 1)}.db`)) },
];

const keysOf = (entries: readonly { readonly entry: { readonly key: string } }[]): string[] =>
  entries.map(({ entry }) => entry.key);

describe.for(kinds)('an outbox in $name', ({ create }) => {
  /** A store with these jobs, and what a test does with it. */
  async function filled(...keys: string[]) {
    const store = create();
    for (const key of keys) await store.add({ key, user_id: 7, steps: [{ endpoint: 'questions.answer', input: {} }] });
    const claim = async (limit = 9, leaseMs = 1_000): Promise<readonly JobLease[]> =>
      (await store.claim({ leaseMs, limit })).leases;
    const settle = async (lease: JobLease, settlement: Partial<JobSettlement>): Promise<boolean> => {
      const usual = { state: 'waiting', inMs: 0, failed: false, progress: lease.progress } as const;
      return store.settle({ key: lease.entry.key, token: lease.token }, { ...usual, ...settlement });
    };
    const end = async (state: JobSettlement['state'], inMs = Infinity): Promise<void> => {
      for (const lease of await claim()) await settle(lease, { state, inMs, failed: state === 'dead' });
    };
    return { store, claim, settle, end };
  }
  const idOf = ({ entry, token }: JobLease) => ({ key: entry.key, token });

  test.for([
    [1, ['a'], ['b', 'c']],
    [2, ['a', 'b'], ['c']],
    [3, ['a', 'b', 'c'], []],
    [4, ['a', 'b', 'c'], []],
  ] as const)('lists %i at a time, and goes on behind the last one', async ([limit, first, rest]) => {
    const { store, end } = await filled('a', 'b', 'c');
    const jobs = await store.list({ limit, after: 0 });
    const waiting = await store.waiting!(limit);
    expect([keysOf(jobs), keysOf(waiting)]).toEqual([first, first]);
    expect(keysOf(await store.list({ limit: 9, after: jobs.at(-1)!.number }))).toEqual(rest);
    expect(keysOf(await store.waiting!(9, waiting.at(-1)!.number))).toEqual(rest);
    await end('dead');
    const dead = await store.deadLetters(limit);
    expect(keysOf(dead)).toEqual(first);
    expect(keysOf(await store.deadLetters(9, dead.at(-1)!.number))).toEqual(rest);
    await store.close?.();
  });

  test('lists dead letters in the order in which they died, the one that died twice last', async () => {
    const { store, claim, settle, end } = await filled('a', 'b', 'c');
    for (const lease of (await claim()).toReversed()) await settle(lease, { state: 'dead', failed: true });
    expect(keysOf(await store.deadLetters(9))).toEqual(['c', 'b', 'a']);
    expect(await store.redrive('c')).toBe(true);
    await end('dead');
    expect(keysOf(await store.deadLetters(9))).toEqual(['b', 'a', 'c']);
    expect(keysOf(await store.deadLetters(1))).toEqual(['b']);
    await store.close?.();
  });

  test('gives out what is due, at the moment when it is due, the first that was due first', async () => {
    const { store, claim, settle } = await filled('a', 'b', 'c');
    const [a, b, c] = await claim();
    await settle(a!, { inMs: 3_000 });
    await settle(b!, { inMs: 1_000 });
    await settle(c!, { inMs: 2_000 });
    expect(await store.claim({ leaseMs: 1_000, limit: 9 })).toEqual({ leases: [], nextInMs: 1_000 });
    vi.advanceTimersByTime(999);
    expect(keysOf(await claim())).toEqual([]);
    vi.advanceTimersByTime(1);
    expect((await store.claim({ leaseMs: 9_000, limit: 0 })).nextInMs).toBe(0);
    vi.advanceTimersByTime(2_000);
    expect(keysOf(await claim(2))).toEqual(['b', 'c']);
    expect(keysOf(await claim(2))).toEqual(['a']);
    await store.close?.();
  });

  test('a store without an open job says nothing of the next one', async () => {
    const { store, end } = await filled('a');
    await end('accepted');
    expect(await store.claim({ leaseMs: 1_000, limit: 9 })).toEqual({ leases: [] });
    await store.close?.();
  });

  test.for([
    [999, false],
    [1_000, true],
  ] as const)('a lease of 1,000 ms is over after %i ms: %s', async ([ms, isOver]) => {
    const { store, claim, settle } = await filled('a');
    const [first] = await claim();
    vi.advanceTimersByTime(ms);
    expect(keysOf(await claim())).toEqual(isOver ? ['a'] : []);
    expect(await store.renew([idOf(first!)], 1_000)).toEqual(isOver ? ['a'] : []);
    expect(await store.note(idOf(first!), { outputs: [{ at: 1 }], writes: [] })).toBe(!isOver);
    expect(await settle(first!, { state: 'accepted', inMs: Infinity })).toBe(!isOver);
    expect(await store.get('a')).toMatchObject({ state: isOver ? 'running' : 'accepted' });
    await store.close?.();
  });

  test('of two leases, the one that is renewed is kept, and the other one is lost', async () => {
    const { store, claim } = await filled('a', 'b');
    const [a, b] = await claim();
    vi.advanceTimersByTime(600);
    expect(await store.renew([idOf(a!)], 1_000)).toEqual([]);
    vi.advanceTimersByTime(600);
    expect(keysOf(await claim())).toEqual(['b']);
    expect(await store.renew([idOf(a!), idOf(b!)], 1_000)).toEqual(['b']);
    await store.close?.();
  });

  test('counts what failed, and keeps the last reason', async () => {
    const { store, claim, settle } = await filled('a');
    const steps: [Partial<JobSettlement>, object][] = [
      [
        { failed: true, reason: 'one' },
        { failures: 1, reason: 'one' },
      ],
      [{ failed: false }, { failures: 1, reason: 'one' }],
      [
        { failed: true, reason: 'two' },
        { failures: 2, reason: 'two' },
      ],
      [{ failed: true }, { failures: 3, reason: 'two' }],
    ];
    for (const [settlement, expected] of steps) {
      const [lease] = await claim();
      expect(await settle(lease!, settlement)).toBe(true);
      expect(await store.get('a')).toMatchObject({ state: 'waiting', ...expected });
    }
    const [last] = await claim();
    expect(last!.failures).toBe(3);
    await settle(last!, { state: 'accepted', inMs: Infinity });
    expect(await store.get('a')).not.toHaveProperty('reason');
    await store.close?.();
  });

  test.for([
    ['accepted', 999, true],
    ['accepted', 1_000, false],
    ['rejected', 999, true],
    ['rejected', 1_000, false],
    ['dead', 1_000_000, true],
    ['waiting', 1_000_000, true],
  ] as const)('the key of a job that is %s for %i ms is kept: %s', async ([state, ms, isKept]) => {
    const { store, claim, settle } = await filled('a');
    const [lease] = await claim();
    await settle(lease!, { state, inMs: 1_000, failed: state === 'dead' });
    vi.advanceTimersByTime(ms);
    await store.add({ key: 'later', user_id: 7, steps: [] });
    const later = (await claim()).find(({ entry }) => entry.key === 'later');
    await settle(later!, { state: 'accepted' });
    expect((await store.get('a')) !== undefined).toBe(isKept);
    await store.close?.();
  });

  test.for([
    ['accepted', 999, 'accepted'],
    ['accepted', 1_000, 'waiting'],
    ['rejected', 999, 'rejected'],
    ['rejected', 1_000, 'waiting'],
    ['dead', 1_000_000, 'dead'],
  ] as const)('a key that is added again when its job was %s for %i ms is %s', async ([state, ms, expected]) => {
    const { store, claim, settle } = await filled('a');
    const [lease] = await claim();
    await settle(lease!, { state, inMs: 1_000, failed: state === 'dead' });
    vi.advanceTimersByTime(ms);
    expect(await store.add({ key: 'a', user_id: 7, steps: [] })).toMatchObject({ state: expected });
    expect(keysOf(await claim())).toEqual(expected === 'waiting' ? ['a'] : []);
    await store.close?.();
  });

  test.for([
    [false, ['sent', 'done', 'rejected']],
    [true, ['done', 'rejected']],
  ] as const)('a dead letter begins anew; its unknown writes are forgotten: %s', async ([forgets, kept]) => {
    const { store, claim, settle } = await filled('a', 'b');
    const writes = (['sent', 'done', 'rejected'] as const).map((state) => {
      return { id: state, target: 'questions.answer 1', input: {}, sentAt: 1, state };
    });
    const [lease] = await claim();
    await settle(lease!, { state: 'dead', failed: true, progress: { outputs: [], writes } });
    expect(await store.redrive('b', forgets)).toBe(false);
    expect(await store.redrive('c', forgets)).toBe(false);
    expect(await store.redrive('a', forgets)).toBe(true);
    expect(await store.redrive('a', forgets)).toBe(false);
    expect(await store.deadLetters(9)).toEqual([]);
    const [again] = await claim();
    expect(again).toMatchObject({ entry: { key: 'a' }, failures: 0 });
    expect(again!.progress.writes.map(({ state }) => state)).toEqual(kept);
    await store.close?.();
  });

  test('retries and removes only what waits, and removes dead letters only where they are', async () => {
    const { store, claim, settle } = await filled('runs', 'waits', 'dead', 'done');
    const leases = await claim(9, 9_000);
    const leaseOf = (key: string) => leases.find(({ entry }) => entry.key === key)!;
    await settle(leaseOf('waits'), { inMs: 5_000, failed: true, reason: 'down' });
    await settle(leaseOf('dead'), { state: 'dead', inMs: Infinity, failed: true, reason: 'wrong' });
    await settle(leaseOf('done'), { state: 'accepted', inMs: Infinity });
    vi.advanceTimersByTime(1_000);
    const rows = (await store.waiting!(9)).map(({ entry, attempts, failure, nextInMs }) => {
      return [entry.key, attempts, failure, nextInMs];
    });
    expect(rows).toEqual([
      ['runs', 0, undefined, undefined],
      ['waits', 1, 'down', 4_000],
    ]);
    expect(await store.deadLetters(9)).toMatchObject([
      { entry: { key: 'dead' }, attempts: 1, failure: 'wrong', deadLetteredAt: Date.now() - 1_000 },
    ]);
    const keys = ['runs', 'waits', 'dead', 'done', 'none'];
    const each = async (act: (key: string) => Promise<boolean>): Promise<boolean[]> =>
      Promise.all(keys.map(async (key) => act(key)));
    expect(await each((key) => store.retryNow!(key))).toEqual([false, true, false, false, false]);
    expect((await store.waiting!(9)).map(({ nextInMs }) => nextInMs)).toEqual([undefined, 0]);
    expect(await each((key) => store.removeWaiting!(key))).toEqual([false, true, false, false, false]);
    expect(await each((key) => store.removeDeadLetter(key))).toEqual([false, false, true, false, false]);
    expect(keysOf(await store.list({ limit: 9, after: 0 }))).toEqual(['runs', 'done']);
    await store.close?.();
  });

  test('counts each state, and the age of the oldest job that is open, also of one that runs', async () => {
    const { store, claim, settle } = await filled();
    expect(await store.stats()).toEqual({ waiting: 0, running: 0, dead: 0, accepted: 0, rejected: 0 });
    const add = async (key: string): Promise<unknown> => store.add({ key, user_id: 7, steps: [] });
    await add('accepted');
    await add('rejected');
    await add('dead');
    for (const lease of await claim()) {
      const state = lease.entry.key as 'accepted' | 'rejected' | 'dead';
      await settle(lease, { state, inMs: Infinity, failed: state === 'dead' });
    }
    vi.advanceTimersByTime(500);
    await add('runs');
    await claim(1, 60_000);
    vi.advanceTimersByTime(200);
    await add('waits');
    vi.advanceTimersByTime(50);
    const counts = { waiting: 1, running: 1, dead: 1, accepted: 1, rejected: 1 };
    expect(await store.stats()).toEqual({ ...counts, oldestAgeMs: 250 });
    for (const state of ['waiting', 'running', 'dead', 'accepted', 'rejected'] as const)
      expect(await store.list({ state, limit: 9, after: 0 })).toMatchObject([{ state }]);
    await store.close?.();
  });
});
