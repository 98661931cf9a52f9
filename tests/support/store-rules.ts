import { expect, vi } from 'vitest';
import { isSameData, factKeyOf } from '../../src/work/store.js';
import type { Lease, InnerStore as Store, Verdict, Work } from '../../src/work/store.js';
import { again, claim, dead, done, keysOf, lease, listed, released, work } from './work.ts';

/** Opens the same place each time, as processes do. */
export type OpenStore = () => Store;

/** Sleeps until something that takes so long is over. */
const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What is true of every store. Each rule gets an empty place. */
export const storeRules: Readonly<Record<string, (open: OpenStore) => Promise<void>>> = {
  'an entry is added once, and known while it waits, runs, is dead or has ended': async (open) => {
    const store = open();
    const added = await Promise.all([store.add(work('a')), store.add(work('a')), store.add(work('b'))]);
    expect(added).toEqual(['added', 'known', 'added']);
    const [a, b] = (await claim(store)).leases as [Lease, Lease];
    expect(await store.add(work('a'))).toBe('known');
    expect(await store.settle(a, done)).toBe(true);
    expect(await store.settle(b, dead)).toBe(true);
    expect([await store.add(work('a')), await store.add(work('b'))]).toEqual(['known', 'known']);
    expect(await store.get('a')).toMatchObject({ key: 'a', state: 'done', data: {}, notes: {} });
  },

  'a key is forgotten when its time is over, or at once': async (open) => {
    const store = open();
    for (const key of ['a', 'b']) await store.add(work(key));
    await store.settle(await lease(store), { ...done, state: 'accepted', keepsData: true, inMs: 20 });
    await store.settle(await lease(store), { ...done, inMs: 0 });
    expect(await store.add(work('b'))).toBe('added');
    await pass(40);
    expect(await listed(store, 'accepted')).toEqual([]);
    expect(await store.counts(['questions'])).toMatchObject({ accepted: 0, waiting: 1 });
    expect(await store.get('a')).toBeUndefined();
    expect(await store.add(work('a'))).toBe('added');
  },

  'of what has ended, the key, the state, the times and a hash stay, and no list shows it': async (open) => {
    const store = open();
    const verdicts = [{ ...done, state: 'accepted' }, { ...done, state: 'rejected' }, dead] as const;
    for (const [index, verdict] of verdicts.entries()) {
      const key = `reduced ${index}`;
      const data = { secret: `text ${index}`, id: 7 };
      await store.add(work(key, { data }));
      const reached = { notes: { writes: [`text ${index}`] }, failure: 'no', keepsData: true };
      await store.settle(await lease(store), { ...verdict, ...reached });
      const before = await store.get(key);
      expect(await store.reduce(key, ['accepted', 'rejected', 'dead'], 60_000)).toBe(true);
      expect(await store.reduce(key, ['accepted', 'rejected', 'dead'], 60_000)).toBe(false);
      const { state, endedAt, addedAt } = before!;
      const after = await store.get(key);
      expect(after).toMatchObject({ key, kind: 'questions', owner: '7', state, endedAt, addedAt, notes: {} });
      expect(JSON.stringify(after)).not.toContain('text');
      expect(await isSameData(after!.data, { id: '7', secret: `text ${index}` })).toBe(true);
      expect(await isSameData(after!.data, { ...data, more: 1 })).toBe(false);
      expect(await store.add(work(key))).toBe('known');
      expect(await store.again(key, 'dead')).toBe(false);
      expect(await store.remove(key, ['accepted', 'rejected', 'dead'])).toBe(false);
    }
    expect(await listed(store, 'accepted', 'rejected', 'dead', 'done')).toEqual([]);
    expect(await store.counts(['questions'])).toMatchObject({ accepted: 0, rejected: 0, dead: 0, waiting: 0 });
    expect(await store.remove('reduced 0', ['done'])).toBe(true);
    expect([await store.add(work('reduced 0')), await store.add(work('reduced 1'))]).toEqual(['added', 'known']);
  },

  'a reduced key is known as long as its verdict said, a dead one as long as it is reduced for': async (open) => {
    const store = open();
    const accepted = { ...done, state: 'accepted' } as const;
    const verdicts: Readonly<Record<string, readonly [Verdict, number]>> = {
      accepted: [{ ...accepted, inMs: 1_500 }, 60_000],
      dead: [dead, 1_500],
      // As earlier versions have ended jobs.
      'kept without end': [{ ...accepted, inMs: Infinity }, 1_500],
    };
    for (const [key, [verdict, keyMs]] of Object.entries(verdicts)) {
      await store.add(work(key));
      await store.settle(await lease(store), { ...verdict, keepsData: true });
      expect(await store.reduce(key, ['accepted', 'dead'], keyMs)).toBe(true);
      expect(await store.add(work(key))).toBe('known');
    }
    await pass(1_600);
    for (const key of Object.keys(verdicts)) {
      expect(await store.get(key)).toBeUndefined();
      expect(await store.add(work(key))).toBe('added');
    }
  },

  'what ended long ago is reduced, and nothing else': async (open) => {
    const store = open();
    const accepted = { ...done, state: 'accepted' } as const;
    const end = async (key: string, verdict: Verdict, kind = 'questions'): Promise<void> => {
      await store.add(work(key, { kind }));
      await store.settle(await lease(store, { kinds: [kind] }), { ...verdict, keepsData: true });
    };
    await end('dead', dead);
    await end('other', accepted, '*');
    for (let index = 0; index < 120; index += 1) await end(`old ${index}`, accepted);
    await end('rejected', { ...done, state: 'rejected' });
    await store.add(work('open'));
    expect(await store.reduceOld(['questions'], 3_600_000, 60_000)).toBe(0);
    let reduced = 0;
    for (let some = 1; some > 0; reduced += some) some = await store.reduceOld(['questions'], 0, 60_000);
    expect(reduced).toBe(121);
    expect((await listed(store, 'waiting', 'accepted', 'rejected', 'dead')).toSorted()).toEqual([
      'dead',
      'open',
      'other',
    ]);
    expect(await store.get('rejected')).toMatchObject({ state: 'rejected' });
    expect(await store.get('old 119')).toMatchObject({ state: 'accepted' });
  },

  'entries of a group are leased one at a time, by the time sent, then by arrival': async (open) => {
    const store = open();
    for (const [key, sentAt] of [
      ['c', 2],
      ['d', 2],
      ['a', 0],
      ['b', 1],
    ] as const)
      // prettier-ignore
      await store.add(work(key, { group: 'g', sentAt }));
    const order: string[] = [];
    for (let left = 4; left > 0; left -= 1) {
      const { leases } = await claim(store);
      expect(leases).toHaveLength(1);
      order.push(leases[0]!.key);
      expect(keysOf(await claim(store))).toEqual([]);
      await store.settle(leases[0]!, done);
    }
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  },

  'what has begun keeps its place before what was sent earlier, and what has not makes way': async (open) => {
    for (const verdict of [again, { ...released, notes: { writes: 1 } }, released]) {
      const store = open();
      const group = JSON.stringify(verdict);
      const [first, earlier] = [`later ${group}`, `earlier ${group}`];
      await store.add(work(first, { group, sentAt: 2 }));
      const leased = await lease(store);
      await store.add(work(earlier, { group, sentAt: 1 }));
      await store.settle(leased, verdict);
      const next = await lease(store);
      expect(next.key).toBe(verdict === released ? earlier : first);
      await store.settle(next, done);
      await store.settle(await lease(store), done);
    }
  },

  'what was sent earlier has the turn of the head that makes way for it': async (open) => {
    const store = open();
    await store.add(work('later', { group: 'g', sentAt: 2 }));
    await store.add(work('another one'));
    await store.add(work('earlier', { group: 'g', sentAt: 1 }));
    expect(keysOf(await claim(store))).toEqual(['earlier', 'another one']);
  },

  'what begins later is known, listed and counted, but not leased before, and waits from then on': async (open) => {
    const store = open();
    const begins = (sentAt: number): Partial<Work> => ({ kind: 'job', sentAt, notBefore: sentAt });
    expect(await store.add(work('much later', begins(Date.now() + 60_000)))).toBe('added');
    expect(await store.add(work('much later', { kind: 'job' }))).toBe('known');
    expect(await store.counts(['job'])).toMatchObject({ waiting: 1, oldestAgeMs: 0 });
    const at = Date.now() + 100;
    expect(await store.add(work('later', begins(at)))).toBe('added');
    expect(await listed(store, 'waiting')).toEqual(['much later', 'later']);
    let leases: readonly Lease[] = [];
    while (leases.length === 0) {
      await pass(5);
      ({ leases } = await claim(store, { kinds: ['job'] }));
    }
    expect(keysOf({ leases })).toEqual(['later']);
    // A database has a clock of its own, which is known to some milliseconds.
    expect(Date.now()).toBeGreaterThanOrEqual(at - 50);
    const { nextInMs } = await claim(store, { kinds: ['job'] });
    expect(nextInMs).toBeLessThanOrEqual(60_000);
    const { oldestAgeMs, running } = await store.counts(['job']);
    expect(running).toBe(1);
    expect(oldestAgeMs).toBeLessThanOrEqual(Date.now() - at + 50);
    expect(await store.remove('much later', ['waiting'])).toBe(true);
    expect(await store.add(work('much later', begins(at)))).toBe('added');
    expect((await lease(store, { kinds: ['job'] })).key).toBe('much later');
  },

  'a worker gets the kinds that it can run, no more than it asks for, and is told when to ask again': async (open) => {
    const store = open();
    for (const key of ['a', 'b', 'c']) await store.add(work(key));
    await store.add(work('m', { kind: 'messages' }));
    expect(await claim(store, { limit: 2 })).toMatchObject({ leases: [{ key: 'a' }, { key: 'b' }], nextInMs: 0 });
    const last = await claim(store, { limit: 5 });
    expect(keysOf(last)).toEqual(['c']);
    expect(last.nextInMs).toBeGreaterThan(50_000);
    expect(keysOf(await claim(store, { kinds: ['messages', '*'] }))).toEqual(['m']);
    expect(await claim(store, { kinds: ['*'] })).toEqual({ leases: [] });
    expect(await claim(store, { kinds: [] })).toEqual({ leases: [] });
  },

  'an owner who is new comes behind the first of all who wait, however often those were served': async (open) => {
    const store = open();
    for (let index = 0; index < 6; index += 1)
      for (const owner of ['7', '8']) await store.add(work(`${owner} ${index}`, { owner }));
    for (let served = 0; served < 8; served += 1) await store.settle(await lease(store), done);
    for (const key of ['new 1', 'new 2']) await store.add(work(key, { owner: key }));
    const order = keysOf(await claim(store));
    expect(order).toEqual(['7 4', '8 4', 'new 1', 'new 2', '7 5', '8 5']);
  },

  'a lease has what is known of the entry, and its result is kept': async (open) => {
    const store = open();
    await store.add(work('a'));
    expect(await lease(store)).toMatchObject({ key: 'a', data: { of: 'a' }, failures: 0, stalls: 0, notes: {} });
    const other = await claim(store);
    expect(other.leases).toEqual([]);
    const [status] = await store.list({ kinds: ['questions'], states: ['running'], limit: 1, after: 0 });
    expect(status).toMatchObject({ key: 'a', state: 'running', owner: '7', group: 'a', sentAt: 1 });
    expect(status).not.toHaveProperty('nextInMs');
  },

  'a failed entry waits for its delay, with its failures, its notes and its error': async (open) => {
    const store = open();
    await store.add(work('a'));
    await store.settle(await lease(store), { ...again, inMs: 60_000, notes: { writes: [1] } });
    expect(await store.get('a')).toMatchObject({
      state: 'waiting',
      failures: 1,
      failure: 'Error: no',
      notes: { writes: [1] },
    });
    const waits = await claim(store);
    expect(waits.leases).toEqual([]);
    expect(waits.nextInMs).toBeGreaterThan(50_000);
    expect(await store.again('a', 'open')).toBe(true);
    const second = await lease(store);
    expect(second).toMatchObject({ failures: 1, notes: { writes: [1] } });
    await store.settle(second, released);
    expect(await lease(store)).toMatchObject({ failures: 1, notes: { writes: [1] } });
  },

  'notes are fenced by the lease, and an empty note is none': async (open) => {
    const store = open();
    await store.add(work('a'));
    const former = await lease(store, { leaseMs: 1 });
    expect(await store.note(former, { writes: 1 })).toBe(true);
    await pass(5);
    const current = await lease(store);
    expect(current.notes).toEqual({ writes: 1 });
    expect(await store.note(former, { writes: 2 })).toBe(false);
    expect(await store.settle(former, done)).toBe(false);
    expect(await store.renew([former, current], 60_000)).toEqual(['a']);
    expect(await store.note(current, {})).toBe(true);
    await store.settle(current, released);
    expect((await lease(store)).notes).toEqual({});
  },

  'a lease that has ended is given to another worker, and counts as a stall until there is a result': async (open) => {
    const [one, other] = [open(), open()];
    await one.add(work('a'));
    await lease(one, { leaseMs: 1 });
    await pass(5);
    const second = await lease(other);
    expect(second).toMatchObject({ stalls: 1, failures: 0 });
    await other.settle(second, released);
    expect(await lease(one)).toMatchObject({ stalls: 0 });
  },

  'a lease that has ended, and that nobody has taken, can still be renewed and settled': async (open) => {
    const store = open();
    await store.add(work('a'));
    const leased = await lease(store, { leaseMs: 1 });
    await pass(5);
    expect(await store.renew([leased], 60_000)).toEqual([]);
    expect(keysOf(await claim(store))).toEqual([]);
    expect(await store.settle(leased, done)).toBe(true);
  },

  'what has stalled twice is leased alone, and more stalls count only there, until the lease is renewed': async (
    open,
  ) => {
    const store = open();
    await store.add(work('a'));
    await store.add(work('b'));
    for (let times = 0; times < 2; times += 1) {
      await claim(store, { leaseMs: 1 });
      await pass(5);
    }
    expect(await claim(store)).toMatchObject({ leases: [], hasSuspect: true });
    const alone = await claim(store, { alone: true, leaseMs: 1 });
    expect(alone).toMatchObject({ leases: [{ stalls: 2 }], hasSuspect: true });
    await pass(5);
    const [other] = (await claim(store, { alone: true, leaseMs: 1 })).leases as [Lease];
    expect(other.key).not.toBe(alone.leases[0]?.key);
    await store.renew([other], 1);
    await pass(5);
    const stalls = [await lease(store, { alone: true }), await lease(store, { alone: true })].map((each) => [
      each.key,
      each.stalls,
    ]);
    expect(Object.fromEntries(stalls)).toEqual({ [alone.leases[0]!.key]: 3, [other.key]: 2 });
    expect(await claim(store, { alone: true })).not.toHaveProperty('hasSuspect');
  },

  'what has stalled alone waits before it is leased again, for longer each time': async (open) => {
    const store = open();
    await store.add(work('a'));
    for (let stalls = 0; stalls < 4; stalls += 1) {
      await vi.waitFor(async () =>
        expect(await claim(store, { alone: stalls >= 2, leaseMs: 5 })).toMatchObject({ leases: [{ stalls }] }),
      );
      await pass(10);
    }
    const { leases, nextInMs } = await claim(store, { alone: true });
    expect(leases).toEqual([]);
    expect(nextInMs).toBeGreaterThan(3_000);
    expect(nextInMs).toBeLessThan(4_001);
    expect(await store.get('a')).toMatchObject({ state: 'waiting', stalls: 4 });
  },

  'the stalls of a suspect stay while it runs alone, also when its lease is renewed': async (open) => {
    const store = open();
    await store.add(work('a'));
    for (let stalls = 0; stalls < 2; stalls += 1) {
      await lease(store, { alone: false, leaseMs: 1 });
      await pass(5);
    }
    const leased = await lease(store, { alone: true });
    expect(await store.renew([leased], 60_000, 'a')).toEqual([]);
    expect(await store.get('a')).toMatchObject({ state: 'running', stalls: 2 });
    expect(await store.renew([leased], 60_000)).toEqual([]);
    expect(await store.get('a')).toMatchObject({ state: 'running', stalls: 1 });
  },

  'sellers take turns, and kinds do': async (open) => {
    const store = open();
    for (let index = 0; index < 20; index += 1) await store.add(work(`flood ${index}`));
    await store.settle(await lease(store), { ...released, inMs: 60_000, notes: { began: 1 } });
    for (const key of ['a', 'b']) await store.add(work(key, { owner: '8' }));
    await store.add(work('m', { kind: 'messages' }));
    const order: string[] = [];
    for (let times = 0; times < 6; times += 1)
      order.push(...keysOf(await claim(store, { kinds: ['questions', 'messages'], limit: 1 })));
    expect(order.filter((key) => !key.startsWith('flood'))).toHaveLength(3);
  },

  'a seller has a limit of open entries of each kind': async (open) => {
    const store = open();
    const results = await Promise.all(['a', 'b', 'c'].map((key) => store.add(work(key), 2)));
    expect(results).toEqual(['added', 'added', 'full']);
    expect(await store.add(work('a'), 2)).toBe('known');
    expect(await store.add(work('d', { owner: '8' }), 2)).toBe('added');
    expect(await store.add(work('e', { kind: 'messages' }), 2)).toBe('added');
    await store.settle(await lease(store), done);
    expect(await store.add(work('c'), 2)).toBe('added');
    expect(await store.add(work('f'), 0)).toBe('full');
  },

  'a seller has a limit of dead entries of each kind, and the oldest goes': async (open) => {
    const store = open();
    for (const key of ['m', 'a', 'b', 'c', 'd']) {
      const kind = key === 'm' ? 'messages' : 'questions';
      await store.add(work(key, { kind, owner: key === 'a' ? '8' : '7' }));
      await store.settle(await lease(store, { kinds: [kind] }), { ...dead, mostDead: 2 });
    }
    expect(await listed(store, 'dead')).toEqual(['m', 'a', 'c', 'd']);
    expect((await claim(store)).problems).toEqual([expect.stringContaining('The dead letter b was deleted')]);
    expect((await claim(store)).problems).toBeUndefined();
    expect(await store.add(work('b'))).toBe('added');
  },

  'what has ended is listed in the order in which it ended, page by page, and can be removed': async (open) => {
    const store = open();
    for (const key of ['a', 'b', 'c', 'd', 'e']) await store.add(work(key, { kind: 'job' }));
    const { leases } = await claim(store, { kinds: ['job'] });
    const states = ['dead', 'rejected', 'accepted', 'dead', 'rejected'] as const;
    for (const index of [4, 3, 2, 1, 0])
      await store.settle(leases[index]!, {
        ...done,
        state: states[index]!,
        failure: 'why',
        notes: { at: index },
        keepsData: true,
      });
    const query = { kinds: ['job'], states: ['rejected' as const, 'dead' as const], limit: 2 };
    const first = await store.list({ ...query, after: 0 });
    const second = await store.list({ ...query, after: first.at(-1)!.number });
    expect([...first, ...second].map(({ key }) => key)).toEqual(['e', 'd', 'b', 'a']);
    expect(first[0]).toMatchObject({ state: 'rejected', failure: 'why', notes: { at: 4 }, data: { of: 'e' } });
    expect(first[0]?.endedAt).toBeGreaterThan(0);
    expect(await store.remove('e', ['dead'])).toBe(false);
    expect(await store.remove('e', ['rejected'])).toBe(true);
    expect(await store.remove('e', ['rejected'])).toBe(false);
    expect(await store.counts(['job'])).toMatchObject({ dead: 2, rejected: 1, accepted: 1, waiting: 0, running: 0 });
    expect(await store.counts(['questions'])).toMatchObject({ dead: 0, accepted: 0 });
  },

  'a dead entry is opened again without its failures, in its place': async (open) => {
    const store = open();
    await store.add(work('a', { group: 'g', sentAt: 1 }));
    const earlier = await lease(store);
    await store.settle(earlier, { ...dead, failure: 'Error: no', notes: { writes: 1 } });
    await store.add(work('b', { group: 'g', sentAt: 2 }));
    expect(await store.again('a', 'open')).toBe(false);
    expect(await store.again('a', 'dead', { writes: 2 })).toBe(true);
    expect(await store.again('a', 'dead')).toBe(false);
    expect((await store.get('a'))?.failure).toBeUndefined();
    expect([await store.renew([earlier], 60_000), await store.note(earlier, {})]).toEqual([['a'], false]);
    expect(await store.settle(earlier, done)).toBe(false);
    expect(await lease(store)).toMatchObject({ key: 'a', failures: 0, stalls: 0, notes: { writes: 2 } });
    expect(await listed(store, 'dead')).toEqual([]);
  },

  'a dead entry is either opened again or reduced, also by two at once': async (open) => {
    const store = open();
    await store.add(work('a'));
    await store.settle(await lease(store), dead);
    const done = await Promise.all([store.reduce('a', ['dead'], 60_000), store.again('a', 'dead')]);
    expect(done.filter(Boolean)).toHaveLength(1);
  },

  'the age of the oldest is known also when it is one that was opened again, and pages mix kinds and states': async (
    open,
  ) => {
    const store = open();
    await store.add(work('old'));
    await store.settle(await lease(store), dead);
    await pass(30);
    const at = Date.now();
    await pass(10);
    await store.add(work('m', { kind: 'messages' }));
    for (const key of ['b', 'c', 'd']) await store.add(work(key));
    expect((await store.counts(['questions', 'messages'])).oldestAgeMs).toBeLessThan(Date.now() - at);
    await lease(store, { kinds: ['messages'] });
    await store.again('old', 'dead');
    const counts = await store.counts(['questions', 'messages', 'questions']);
    expect(counts).toMatchObject({ waiting: 4, running: 1, dead: 0 });
    expect(counts.oldestAgeMs).toBeGreaterThanOrEqual(30);
    expect((await store.get('old'))?.endedAt).toBeUndefined();
    const query = { kinds: ['messages', 'questions'], states: ['running' as const, 'waiting' as const], limit: 2 };
    const pages: string[] = [];
    for (let after = 0, left = 3; left > 0; left -= 1) {
      const page = await store.list({ ...query, after });
      pages.push(page.map(({ key }) => key).join(' '));
      after = page.at(-1)!.number;
    }
    expect(pages.join(' ').split(' ').toSorted()).toEqual(['b', 'c', 'd', 'm', 'old']);
    expect(pages[0]).toBe('old m');
  },

  'what waits can be removed, what runs cannot, and the next of the group follows': async (open) => {
    const store = open();
    for (const [key, sentAt] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      // prettier-ignore
      await store.add(work(key, { group: 'g', sentAt }));
    const leased = await lease(store);
    expect(await store.remove('a', ['waiting'])).toBe(false);
    expect(await store.again('b', 'open')).toBe(false);
    expect(await store.remove('b', ['waiting'])).toBe(true);
    await store.settle(leased, { ...again, inMs: 60_000 });
    expect(await store.remove('a', ['waiting'])).toBe(true);
    expect((await lease(store)).key).toBe('c');
    expect(await store.add(work('b', { group: 'g' }))).toBe('added');
  },

  'a fact is set with the result, and the ledger replaces only what is expected': async (open) => {
    const [one, other] = [open(), open()];
    await one.add(work('a'));
    await one.settle(await lease(one), { ...done, fact: { value: 'answered', ms: 60_000 } });
    await one.add(work('b', { group: 'a' }));
    expect(await lease(other)).toMatchObject({ key: 'b', fact: 'answered' });
    const name = factKeyOf('a');
    expect(await other.ledger.get(name)).toBe('answered');
    expect(await other.ledger.replace(name, undefined, 'x', 60_000)).toBe(false);
    expect(await other.ledger.replace(name, 'wrong', 'x', 60_000)).toBe(false);
    expect(await other.ledger.replace(name, 'answered', 'x', 10)).toBe(true);
    await pass(20);
    expect(await one.ledger.get(name)).toBeUndefined();
    const taken = await Promise.all([one, other].map((store) => store.ledger.replace(name, undefined, 'y', 60_000)));
    expect(taken.toSorted()).toEqual([false, true]);
  },

  'several processes run each entry once, one at a time per group, whatever they do at once': async (open) => {
    const stores = [open(), open(), open()];
    const keys = Array.from({ length: 90 }, (_, index) => `k${index}`);
    const running = new Set<string>();
    const ran: string[] = [];
    const run = async (store: Store): Promise<void> => {
      for (let left = true; left; left = ran.length < keys.length) {
        const { leases } = await claim(store, { limit: 5 });
        await Promise.all(
          leases.map(async (leased) => {
            const { group } = (await store.get(leased.key))!;
            expect(running.has(group)).toBe(false);
            running.add(group);
            await store.note(leased, { writes: 1 });
            ran.push(leased.key);
            running.delete(group);
            expect(await store.settle(leased, done)).toBe(true);
          }),
        );
      }
    };
    const added = stores
      .slice(0, 2)
      .flatMap((store) => keys.map((key, index) => store.add(work(key, { group: `g${index % 7}`, sentAt: index }))));
    const results = await Promise.all([Promise.all(added), ...stores.map(run)]);
    expect(results[0].toSorted()).toEqual([...keys.map(() => 'added'), ...keys.map(() => 'known')]);
    expect(ran.toSorted()).toEqual(keys.toSorted());
    expect(await stores[0]!.counts(['questions'])).toMatchObject({ waiting: 0, running: 0 });
  },
};
