import { Queue, Worker } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bullmq } from '../../src/work/bullmq.js';
import { idOf } from '../../src/work/bullmq-shelf.js';
import type { BullMQShelf, JobData } from '../../src/work/bullmq-shelf.js';
import { factKeyOf } from '../../src/work/store.js';
import { Log } from '../../src/work/log.js';
import type { Verdict, Work, TaskOf, InnerEngine as Engine, Run, Works } from '../../src/work/store.js';
import { hasRedis, startRedis } from '../support/redis.ts';
import type { OwnRedis } from '../support/redis.ts';

const done: Verdict = { state: 'done', inMs: 60_000, failed: false };

function work(key: string, { group = key, sentAt = 1, kind = 'questions', owner = '7' } = {}): Work {
  return { key, kind, group, owner, sentAt, data: { key } };
}

describe.skipIf(!hasRedis)('BullMQ', () => {
  let redis: OwnRedis;
  beforeAll(async () => void (redis = await startRedis()));
  afterAll(() => redis.stop());

  const engines: Engine[] = [];
  const workers: Works[] = [];
  const problems: string[] = [];
  const open = (): Engine => {
    const engine = bullmq({ Queue, Worker, connection: { path: redis.path } });
    engines.push(engine);
    return engine;
  };
  /** Runs what an engine gives out. */
  const works = (
    engine: Engine,
    run: (key: string, tools: Parameters<TaskOf>) => Promise<Verdict>,
    options = {},
  ): Works => {
    const logger = { error: (line: string) => problems.push(line), warn: () => {}, info: () => {} };
    const works = engine.works({
      name: 'inbox',
      kinds: ['questions', 'messages', '*'],
      concurrency: 20,
      leaseMs: 30_000,
      log: new Log(logger as never),
      taskOf: (lease, tools) => ({
        run: () => run(lease.key, [lease, tools]),
        failed: (error) => ({ state: 'dead', inMs: 0, failed: true, failure: String(error) }),
        isObserved: () => false,
        tell: async () => undefined,
      }),
      ...options,
    });
    workers.push(works);
    return works;
  };

  beforeEach(async () => {
    const client = redis.connect();
    await client.flushall();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((each) => each.close(5_000)));
    for (const each of engines.splice(0)) await each.close?.();
    expect(problems.splice(0)).toEqual([]);
  });

  test('an entry is known by its key until it is forgotten', async () => {
    const store = open();
    expect(await store.add(work('a'))).toBe('added');
    expect(await store.add(work('a'))).toBe('known');
    const worker = works(store, async (key) => (key === 'a' ? done : { ...done, inMs: 0 }));
    await worker.idle();
    expect(await store.add(work('a'))).toBe('known');
    // Redis keeps the key alone.
    expect(await store.get('a')).toBeUndefined();
    await store.add(work('b'));
    await worker.idle();
    await vi.waitFor(async () => expect(await store.add(work('b'))).toBe('added'));
  });

  test('a seller has a limit of open entries', async () => {
    const store = open();
    for (const key of ['a', 'b', 'c']) await store.add(work(key), 2);
    expect(await store.add(work('d'), 2)).toBe('full');
    expect(await store.add(work('e', { owner: '8' }), 2)).toBe('added');
    expect(await store.add(work('a'), 2)).toBe('known');
    await works(store, async () => done).idle();
    expect(await store.add(work('d'), 2)).toBe('added');
  });

  test('entries of one group run one at a time, in the order in which they were sent', async () => {
    const store = open();
    const ran: string[] = [];
    let running = 0;
    const run = async (key: string): Promise<Verdict> => {
      expect((running += 1)).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      ran.push(key);
      return done;
    };
    for (const key of ['c', 'a', 'd', 'b']) await store.add(work(key, { group: 'g', sentAt: key.charCodeAt(0) }));
    await Promise.all([works(store, run).idle(), works(open(), run).idle()]);
    expect(ran).toEqual(['a', 'b', 'c', 'd']);
  });

  test('an entry that is tried again keeps its notes, its failures and its place', async () => {
    const store = open();
    const seen: unknown[] = [];
    await store.add(work('a', { group: 'g', sentAt: 2 }));
    const worker = works(store, async (key, [lease]) => {
      seen.push([key, lease.failures, lease.notes]);
      if (key === 'a' && lease.failures === 0) {
        await store.add(work('b', { group: 'g', sentAt: 1 }));
        return { state: 'open', inMs: 30, failed: true, failure: 'no', notes: { writes: 1 } };
      }
      return done;
    });
    worker.start();
    await vi.waitFor(() => expect(seen).toHaveLength(3));
    expect(seen).toEqual([
      ['a', 0, {}],
      ['a', 1, { writes: 1 }],
      ['b', 0, {}],
    ]);
    await worker.idle();
  });

  test('notes are kept while it runs, and what has become of it is listed, replayed and removed', async () => {
    const store = open();
    for (const key of ['x', 'y', 'z']) await store.add(work(`job ${key}:1`, { kind: 'job' }));
    const worker = works(
      store,
      async (key, [, run]) => {
        expect(await run.note({ outputs: [] })).toBe(true);
        const state = { x: 'dead', y: 'accepted', z: 'rejected' }[key.charAt(4)] as Verdict['state'];
        return { state, inMs: 60_000, failed: false, failure: state, notes: { outputs: [] }, keepsData: true };
      },
      { kinds: ['job'] },
    );
    await worker.idle();
    const counts = async () => store.counts(['job']);
    await vi.waitFor(async () =>
      expect(await counts()).toMatchObject({ waiting: 0, dead: 1, accepted: 1, rejected: 1 }),
    );
    const query = { kinds: ['job'], limit: 10, after: 0 };
    const [rejected] = await store.list({ ...query, states: ['rejected'] });
    expect(rejected).toMatchObject({
      key: 'job z:1',
      failure: 'rejected',
      notes: { outputs: [] },
      data: { key: 'job z:1' },
    });
    expect(await store.remove('job z:1', ['rejected'])).toBe(true);
    expect(await store.get('job z:1')).toBeUndefined();
    const [dead] = await store.list({ ...query, states: ['dead'] });
    expect(dead).toMatchObject({ key: 'job x:1', state: 'dead', failure: 'dead' });
    expect(await store.remove('job x:1', ['waiting'])).toBe(false);
    expect(await store.again('job x:1', 'dead', {})).toBe(true);
    expect(await store.again('job x:1', 'dead')).toBe(false);
    await worker.idle();
    await vi.waitFor(async () => expect((await store.get('job x:1'))?.state).toBe('dead'));
  });

  test('what waits is made due, or removed, and the next of its group follows', async () => {
    const store = open();
    const ran: string[] = [];
    await store.add(work('a', { group: 'g', sentAt: 1 }));
    await store.add(work('b', { group: 'g', sentAt: 2 }));
    const worker = works(store, async (key, [lease]) => {
      ran.push(key);
      return key === 'a' && lease.failures < 2 ? { state: 'open', inMs: 600_000, failed: true } : done;
    });
    await worker.idle();
    const state = async () =>
      (await store.list({ kinds: ['questions'], states: ['waiting'], limit: 9, after: 0 })).map((each) => each.key);
    expect((await state()).sort()).toEqual(['a', 'b']);
    expect((await store.get('a'))?.nextInMs).toBeGreaterThan(500_000);
    expect(await store.again('a', 'open')).toBe(true);
    await vi.waitFor(() => expect(ran).toEqual(['a', 'a']));
    await worker.idle();
    expect(await store.remove('a', ['waiting'])).toBe(true);
    await vi.waitFor(() => expect(ran).toEqual(['a', 'a', 'b']));
  });

  test('a fact is in the ledger, and in the next lease of the group, once the entry has ended', async () => {
    const store = open();
    for (const key of ['a', 'b']) await store.add(work(key, { group: 'g' }));
    const facts: unknown[] = [];
    await works(store, async (_, [lease]) => {
      facts.push(lease.fact);
      return { ...done, fact: { value: 'answered', ms: 60_000 } };
    }).idle();
    expect(facts).toEqual([undefined, 'answered']);
    const name = factKeyOf('g');
    expect(await store.ledger.get(name)).toBe('answered');
    expect(await store.ledger.replace(name, undefined, 'x', 1_000)).toBe(false);
    expect(await store.ledger.replace(name, 'answered', 'x', 1_000)).toBe(true);
  });

  test('what a process has no handler for waits for one that has', async () => {
    const store = open();
    await store.add(work('a', { kind: 'messages' }));
    await works(store, async () => done, { kinds: ['questions'] }).idle();
    expect((await store.get('a'))?.state).toBe('waiting');
  });

  test('what ignores that its process closes is given back, and run by another one', async () => {
    const store = open();
    await store.add(work('a'));
    let runs = 0;
    const run = async (): Promise<Verdict> => {
      runs += 1;
      return runs === 1 ? new Promise(() => undefined) : done;
    };
    const first = works(store, run);
    first.start();
    await vi.waitFor(() => expect(runs).toBe(1));
    await first.close(10);
    await works(store, run).idle();
    expect(runs).toBe(2);
  });

  test('what another process takes while it is looked whether something is due is not missed', async () => {
    let take = async (): Promise<unknown> => undefined;
    class SlowQueue extends Queue {
      override async getJobCounts(...states: Parameters<Queue['getJobCounts']>) {
        const counts = await super.getJobCounts(...states);
        await take();
        return counts;
      }
    }
    const engine = bullmq({ Queue: SlowQueue, Worker, connection: { path: redis.path } });
    engines.push(engine);
    const shelf = engine as unknown as BullMQShelf;
    await engine.add({ ...work('a'), notBefore: Date.now() + 20 });
    await vi.waitFor(async () => expect(await shelf.isDue(['questions'])).toBe(true));
    // On a busy machine it was due when it was added, and waits already.
    take = async () => (await shelf.queue('questions').getJob(idOf('a')))?.promote().catch(() => {});
    expect(await shelf.isDue(['questions'])).toBe(true);
  });

  test('what may end its process does not run uncounted where its lock was lost while it waited for others', async () => {
    const store = open();
    const client = redis.connect();
    for (const key of ['other', 'suspect']) await store.add(work(key));
    const [job = ''] = (await client.keys('*')).filter((key) => key.endsWith(`:${idOf('suspect')}`));
    // Two processes have ended while it ran.
    await client.hset(job, 'stc', 2);
    const other = Promise.withResolvers<undefined>();
    const counted: unknown[] = [];
    const worker = works(
      store,
      async (key) => {
        if (key === 'other') await other.promise;
        else counted.push((JSON.parse((await client.hget(job, 'data')) ?? '{}') as { endings?: number }).endings);
        return done;
      },
      // real: locks of Redis; whenever this one is deleted, the run is counted
      { leaseMs: 3_000 },
    );
    worker.start();
    await vi.waitFor(async () => expect(await client.del(`${job}:lock`)).toBe(1), 30_000);
    await vi.waitFor(() => expect(counted).toEqual([1]), 30_000);
    other.resolve(undefined);
    // BullMQ may have tried to renew it meanwhile.
    expect(problems.splice(0).filter((line) => !line.includes('could not renew lock'))).toEqual([]);
  });
});

test('what its processes have ended with runs alone after pauses, until it has a result, and keeps all that it notes', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const processes: ((job: object, token: string) => Promise<unknown>)[] = [];
  const runCommand = async (name: string, args: string[]) => (name === 'sellerBegin' ? [args[3], null] : []);
  class NoRedis {
    client = Promise.resolve({ defineCommand: () => undefined, runCommand });
    on = () => undefined;
    toKey = (key: string) => key;
    constructor(_: string, process: never) {
      processes.push(process);
    }
  }
  const delays: number[] = [];
  const job = {
    ...{ id: idOf('a'), data: { work: work('a'), failures: 0, notes: {} } as JobData, stalledCounter: 0 },
    ...{ timestamp: 0, attemptsStarted: 1, opts: {}, extendLock: async () => 1 },
    moveToDelayed: async (at: number) => void delays.push(at - Date.now()),
    updateData: async (data: JobData) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      job.data = data;
    },
  };
  let run = async (_: Run): Promise<Verdict> => new Promise(() => {});
  /** A new process has the job, for a second. */
  const begin = async (stalls: number, ms = 1_000): Promise<number[]> => {
    job.stalledCounter += stalls;
    const engine = bullmq({ Queue: NoRedis as never, Worker: NoRedis, connection: {} });
    const task = (run_: Run) => ({ run: () => run(run_), failed: () => done, isObserved: () => false });
    const taskOf: TaskOf = (_, leased) => ({ ...task(leased), tell: async () => undefined });
    const options = { name: 'inbox', kinds: ['questions'], concurrency: 1, leaseMs: 30_000, taskOf };
    engine.works({ ...options, log: new Log(undefined) }).start();
    processes.at(-1)!({ ...job }, 'token').catch(() => undefined);
    await vi.advanceTimersByTimeAsync(ms);
    return [job.data.endings ?? 0, ...delays.splice(0)];
  };
  const killed = [await begin(2), await begin(1), await begin(0), await begin(1), await begin(0)];
  expect(killed).toEqual([[1], [1, 2_000], [2], [2, 4_000], [3]]);
  run = async () => ({ state: 'open', inMs: 10, failed: true });
  expect([...(await begin(1)), ...(await begin(0))]).toEqual([3, 8_000, 0, 10]);
  // What stalled before its result does not count.
  run = async () => new Promise(() => {});
  expect(await begin(1)).toEqual([0]);
  run = async (leased) => {
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    await leased.note({ writes: [] });
    return new Promise(() => {});
  };
  expect(await begin(2, 11_000)).toEqual([0]);
  expect(job.data.notes).toEqual({ writes: [] });
});
