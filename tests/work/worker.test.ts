import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Log } from '../../src/work/log.js';
import { memoryStore } from '../../src/work/memory.js';
import type { Claimed, Lease, InnerStore as Store, Verdict, Work, Run, Task } from '../../src/work/store.js';
import { Worker } from '../../src/work/worker.js';
import { fakeTimersOfInbox } from '../support/fake-time.ts';

// What a worker does with leases, whatever its tasks are.

fakeTimersOfInbox();

const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const leaseMs = 30_000;
const done: Verdict = { state: 'done', inMs: 60_000, failed: false };
const dead: Verdict = { state: 'dead', inMs: 0, failed: true, failure: 'no', keepsData: true };

function work(key: string, more: Partial<Work> = {}): Work {
  return { key, kind: 'job', group: key, owner: '7', sentAt: 1, data: { key }, ...more };
}

let lines: string[] = [];
beforeEach(() => void (lines = []));
const workers: Worker[] = [];
afterEach(async () => {
  const closing = workers.splice(0).map((each) => each.close(0));
  await tick(5_000);
  await Promise.all(closing);
});

type Part = Partial<Omit<Task, 'run'>> & { readonly run?: (lease: Lease, run: Run) => Promise<Verdict> };

/** A worker whose tasks are done at once, but for what `part` says. */
function workerOn(store: Store, part: Part = {}, more: { concurrency?: number; leaseMs?: number } = {}): Worker {
  const say = (line: string): void => void lines.push(line);
  const { run = async () => done, ...rest } = part;
  const worker = new Worker(store, {
    name: 'outbox',
    kinds: ['job'],
    concurrency: 8,
    leaseMs,
    ...more,
    log: new Log({ debug: say, info: say, warn: say, error: say }),
    taskOf: (lease, leased) => ({
      run: () => run(lease, leased),
      failed: () => dead,
      isObserved: () => false,
      tell: async () => undefined,
      ...rest,
    }),
  });
  workers.push(worker);
  return worker;
}

const stateOf = async (store: Store, key: string) => (await store.get(key))?.state;

/** The store of a process that can be killed: then it has no effect any more. */
function mortal(store: Store) {
  const process = { isKilled: false };
  const seen = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => (process.isKilled ? new Promise(() => {}) : call(...args));
    },
  });
  return { process, store: seen };
}

describe('close()', () => {
  test('gives back a lease that comes after it began, and does not run its task', async () => {
    const store = memoryStore();
    await store.add(work('a'));
    const claimed = Promise.withResolvers<undefined>();
    const claim = store.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation(async (wanted) => {
      await claimed.promise;
      return claim(wanted);
    });
    const run = vi.fn(async () => done);
    const worker = workerOn(store, { run });
    worker.wake();
    const closed = worker.close(1_000);
    claimed.resolve(undefined);
    await closed;
    expect(run).not.toHaveBeenCalled();
    expect(await store.get('a')).toMatchObject({ state: 'waiting', failures: 0, nextInMs: 0 });
  });

  test('makes every error of what it aborts a release, and keeps what was reached', async () => {
    const store = memoryStore();
    await store.add(work('a'));
    const worker = workerOn(store, {
      run: async (_, run) => {
        run.notes = { outputs: [{ at: 1 }] };
        await new Promise((__, reject) =>
          run.signal.addEventListener('abort', () => reject(run.signal.reason as Error)),
        );
        return done;
      },
    });
    worker.start();
    await tick();
    const closed = worker.close(100);
    await tick(200);
    await closed;
    const waiting = { state: 'waiting', failures: 0, stalls: 0, notes: { outputs: [{ at: 1 }] }, nextInMs: 0 };
    expect(await store.get('a')).toMatchObject(waiting);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('gives back after a second what ignores its signal, whose later result has no effect', async () => {
    const store = memoryStore();
    await store.add(work('a'));
    const end = Promise.withResolvers<Verdict>();
    const worker = workerOn(store, { run: () => end.promise });
    worker.start();
    await tick();
    const closed = worker.close(100);
    await tick(1_200);
    await closed;
    expect(await store.get('a')).toMatchObject({ state: 'waiting', stalls: 0, nextInMs: 0 });
    // What never ends does not keep the process alive.
    expect(vi.getTimerCount()).toBe(0);
    end.resolve(done);
    await tick(10);
    expect(await stateOf(store, 'a')).toBe('waiting');
  });
});

test('close() ends also where a store that is away takes nothing back', async () => {
  const store = memoryStore();
  await store.add(work('a'));
  const worker = workerOn(store, { run: () => new Promise(() => {}) });
  worker.start();
  await tick();
  vi.spyOn(store, 'settle').mockRejectedValue(new Error('away'));
  const closed = worker.close(100);
  await tick(1_200);
  await closed;
  expect(vi.getTimerCount()).toBe(0);
});

describe('a result', () => {
  test('that the store does not take is stored again until it does, and the task runs once', async () => {
    const store = memoryStore();
    await store.add(work('a'));
    const settle = vi.spyOn(store, 'settle').mockRejectedValue(new Error('away'));
    const run = vi.fn(async () => done);
    workerOn(store, { run }).start();
    await tick(5 * leaseMs);
    expect(lines).toContain('A result of the outbox was not stored: Error: away');
    settle.mockRestore();
    await tick(10_000);
    expect(run).toHaveBeenCalledOnce();
    expect(await stateOf(store, 'a')).toBe('done');
    expect(await store.add(work('a'))).toBe('known');
  });

  test('of a lease that another process has taken is ignored, and that is said', async () => {
    const store = memoryStore();
    await store.add(work('a'));
    vi.spyOn(store, 'renew').mockResolvedValue([]);
    const claim = store.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementationOnce(claim).mockResolvedValue({ leases: [] });
    const slow = (): Promise<Verdict> => new Promise((resolve) => setTimeout(() => resolve(dead), 2 * leaseMs));
    workerOn(store, { run: slow }).start();
    await tick(leaseMs + 10);
    const [lease] = (await claim({ kinds: ['job'], limit: 1, leaseMs: 10 * leaseMs, alone: false })).leases;
    expect(lease).toMatchObject({ key: 'a', stalls: 1 });
    await tick(leaseMs);
    expect(await stateOf(store, 'a')).toBe('running');
    expect(lines).toEqual(['An entry of the outbox took longer than its lease, so its result was ignored']);
  });

  test('a lease that was lost aborts its run, which can note nothing more', async () => {
    const store = memoryStore();
    await store.add(work('a'));
    vi.spyOn(store, 'renew').mockImplementation(async (leases) => leases.map(({ key }) => key));
    const noted: boolean[] = [];
    workerOn(store, {
      run: async (_, run) => {
        await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
        noted.push(await run.note({}));
        return done;
      },
    }).start();
    await tick(leaseMs / 2);
    expect(noted).toEqual([false]);
  });
});

describe('what is told', () => {
  test('is told before it is stored: a process that is killed meanwhile is followed by one that tells it again', async () => {
    const store = memoryStore();
    await store.add(work('a'));
    const told: string[] = [];
    const runs: object[] = [];
    const taskOf = (name: string, tell: () => Promise<unknown>): Part => ({
      run: async ({ notes }, run) => {
        runs.push(notes);
        run.notes = { followedSince: 5 };
        return done;
      },
      isObserved: () => true,
      tell: () => {
        told.push(name);
        return tell();
      },
    });
    const killed = mortal(store);
    workerOn(
      killed.store,
      taskOf('first', () => new Promise(() => void (killed.process.isKilled = true))),
    ).start();
    await tick(10);
    expect(told).toEqual(['first']);
    workerOn(
      store,
      taskOf('second', async () => undefined),
    ).start();
    await tick(leaseMs + 1_000);
    expect(told).toEqual(['first', 'second']);
    // What the first run has reached was noted before it was told.
    expect(runs).toEqual([{}, { followedSince: 5 }]);
    expect(await store.add(work('a'))).toBe('known');
    expect(await stateOf(store, 'a')).toBe('done');
  });

  test('may take five minutes, and is stored then', async () => {
    const store = memoryStore();
    await store.add(work('a'));
    workerOn(store, { isObserved: () => true, tell: () => new Promise(() => {}) }).start();
    await tick(299_000);
    expect(await stateOf(store, 'a')).toBe('running');
    await tick(2_000);
    expect(await stateOf(store, 'a')).toBe('done');
  });

  test('is not noted first where nobody listens', async () => {
    const store = memoryStore();
    await store.add(work('a'));
    const note = vi.spyOn(store, 'note');
    const tell = vi.fn(async () => undefined);
    const run = async (_: Lease, leased: Run): Promise<Verdict> => {
      leased.notes = { followedSince: 5 };
      return done;
    };
    workerOn(store, { run, tell }).start();
    await tick();
    expect([note.mock.calls.length, tell.mock.calls.length]).toEqual([0, 1]);
  });
});

describe('a suspect', () => {
  /** Adds entries whose process has ended twice. */
  async function suspects(store: Store, ...keys: string[]): Promise<void> {
    for (const key of keys) await store.add(work(key));
    for (let stalls = 0; stalls < 2; stalls += 1) {
      await store.claim({ kinds: ['job'], limit: keys.length, leaseMs: 10, alone: false });
      await tick(20);
    }
  }

  test('waits until the others have ended, and runs alone until its lease is renewed', async () => {
    const store = memoryStore();
    await suspects(store, 'a');
    await store.add(work('b'));
    const running = new Set<string>();
    const seen: string[] = [];
    const run = async ({ key }: Lease): Promise<Verdict> => {
      running.add(key);
      seen.push([...running].join('+'));
      await new Promise((resolve) => setTimeout(resolve, key === 'a' ? 2 * leaseMs : 1_000));
      running.delete(key);
      return done;
    };
    const worker = workerOn(store, { run });
    worker.start();
    await tick(500);
    await store.add(work('c'));
    worker.wake();
    await tick(2_000);
    expect(seen).toEqual(['b', 'a']);
    await tick(leaseMs / 3);
    expect(seen).toEqual(['b', 'a', 'a+c']);
    await tick(3 * leaseMs);
    expect(await store.counts(['job'])).toMatchObject({ waiting: 0, running: 0, dead: 0 });
  });

  test('that ends its process whenever it runs alone is given up after ten runs, and nothing else is', async () => {
    const store = memoryStore();
    await suspects(store, 'a', 'b');
    const handled: string[] = [];
    let kills = 0;
    for (let start = 0; start < 12; start += 1) {
      const killed = mortal(store);
      workerOn(killed.store, {
        run: async ({ key }) => {
          if (key === 'a') {
            killed.process.isKilled = true;
            kills += 1;
            return new Promise(() => {});
          }
          handled.push(key);
          return done;
        },
        failed: () => dead,
      }).start();
      // The longest pause is 128 seconds.
      await tick(leaseMs + 129_000);
    }
    expect([handled, kills]).toEqual([['b'], 8]);
    expect(await stateOf(store, 'a')).toBe('dead');
  });

  test('is not to blame for what kills its processes for four minutes, and what ends them is found beside it', async () => {
    const store = memoryStore();
    const innocent = Array.from({ length: 40 }, (_, index) => `innocent ${index}`);
    for (const key of ['guilty', ...innocent]) await store.add(work(key));
    const given: unknown[] = [];
    let guiltyRuns = 0;
    const start = () => {
      const killed = mortal(store);
      const run = async ({ key }: Lease): Promise<Verdict> => {
        if (key === 'guilty') {
          guiltyRuns += 1;
          killed.process.isKilled = true;
        }
        // Nearly as long as a process lives.
        await new Promise((resolve) => setTimeout(resolve, 500));
        return done;
      };
      const failed = (error: unknown): Verdict => {
        given.push(String(error));
        return dead;
      };
      workerOn(killed.store, { run, failed }, { concurrency: 4, leaseMs: 3_000 }).start();
      return killed.process;
    };
    for (let kill = 0; kill < 400; kill += 1) {
      const process = start();
      await tick(600);
      process.isKilled = true;
    }
    // Nothing is killed from outside any more.
    for (let minute = 0; minute < 5; minute += 1) {
      start();
      await tick(60_000);
    }
    expect(guiltyRuns).toBeLessThanOrEqual(10);
    expect(given).toEqual([expect.stringContaining('The process ended in each of 10 runs, in the last 8 of which')]);
    expect(await store.counts(['job'])).toMatchObject({ waiting: 0, running: 0, dead: 1 });
    expect(await stateOf(store, 'guilty')).toBe('dead');
  });

  test('does not wait for longer than a third of a lease, and runs alone although another one ends then', async () => {
    const store = memoryStore();
    await store.add(work('long'));
    const started: string[] = [];
    const run = ({ key }: Lease): Promise<Verdict> => {
      started.push(key);
      const ms = key === 'long' ? leaseMs / 3 + 2_000 : 10 * leaseMs;
      return new Promise((resolve) => setTimeout(() => resolve(done), ms));
    };
    const worker = workerOn(store, { run });
    worker.start();
    await tick();
    await suspects(store, 'a');
    worker.wake();
    await tick(leaseMs / 3 + 1_100);
    await store.add(work('c'));
    await tick(2_000);
    expect(started).toEqual(['long', 'a']);
    await tick(leaseMs);
    expect(started).toEqual(['long', 'a', 'c']);
  });

  test('is followed by others before the next one', async () => {
    const store = memoryStore();
    await suspects(store, 'a', 'b');
    const started: string[] = [];
    const run = async ({ key }: Lease): Promise<Verdict> => {
      started.push(key);
      if (key === 'a') await store.add(work('c'));
      return done;
    };
    workerOn(store, { run }).start();
    await tick(leaseMs);
    expect(started).toEqual(['a', 'c', 'b']);
  });
});

describe('the leases of a machine that was suspended', () => {
  test('are renewed before the next claim until that succeeds, so that nothing runs twice', async () => {
    const store = memoryStore();
    await store.add(work('a'));
    const renew = vi.spyOn(store, 'renew').mockRejectedValueOnce(new Error('away'));
    const run = vi.fn(() => new Promise<Verdict>(() => {}));
    const worker = workerOn(store, { run });
    worker.start();
    await tick();
    vi.setSystemTime(Date.now() + 2 * leaseMs);
    await store.add(work('b'));
    for (const calls of [1, 2, 2]) {
      worker.wake();
      await tick();
      expect(renew).toHaveBeenCalledTimes(calls);
    }
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('a key that is leased again although it runs here aborts the earlier run, which can write no more', async () => {
    const claims: Claimed[] = ['one', 'two'].map((token) => ({
      leases: [{ key: 'a', token, data: {}, failures: 0, stalls: 0, notes: {} }],
      nextInMs: 0,
    }));
    const store = memoryStore();
    const limits: number[] = [];
    vi.spyOn(store, 'claim').mockImplementation(async ({ limit }) => {
      limits.push(limit);
      return claims.shift() ?? { leases: [] };
    });
    vi.spyOn(store, 'note').mockResolvedValue(true);
    const noted: [string, boolean][] = [];
    const run = async ({ token }: Lease, leased: Run): Promise<Verdict> => {
      if (token === 'one') await new Promise((resolve) => leased.signal.addEventListener('abort', resolve));
      noted.push([token, await leased.note({})]);
      return token === 'one' ? done : new Promise(() => {});
    };
    const worker = workerOn(store, { run }, { concurrency: 2 });
    worker.wake();
    await tick();
    worker.wake();
    await tick();
    // The later run takes its place still.
    expect(limits.at(-1)).toBe(1);
    expect(noted.toSorted()).toEqual([
      ['one', false],
      ['two', true],
    ]);
  });
});

describe('idle()', () => {
  test('ends once nothing is due and nothing runs, and leaves what is tried later', async () => {
    const store = memoryStore();
    for (const key of ['a', 'b']) await store.add(work(key));
    const ended: string[] = [];
    const worker = workerOn(store, {
      run: async ({ key }) => {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        ended.push(key);
        return key === 'a' ? done : { state: 'open', inMs: 60_000, failed: true, failure: 'no' };
      },
    });
    // Each call waits for itself.
    let idle = 0;
    for (let call = 0; call < 2; call += 1) void worker.idle().then(() => (idle += 1));
    await tick(900);
    expect([idle, ended]).toEqual([0, []]);
    await tick(200);
    expect([idle, ended.toSorted()]).toEqual([2, ['a', 'b']]);
    expect(await stateOf(store, 'b')).toBe('waiting');
  });
});

test('start() keeps the process alive until close(), and what is woken does not', async () => {
  const store = Object.assign(memoryStore(), { durable: true });
  const worker = workerOn(store);
  worker.wake();
  await tick();
  const timers = vi.getTimerCount();
  worker.start();
  await tick();
  expect(vi.getTimerCount()).toBe(timers + 1);
  await worker.close(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('runs no more than `concurrency` tasks at once, and each that is due', async () => {
  const store = memoryStore();
  for (let id = 0; id < 20; id += 1) await store.add(work(`k${id}`));
  let [running, most, ended] = [0, 0, 0];
  const run = async (): Promise<Verdict> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 10));
    running -= 1;
    ended += 1;
    return done;
  };
  workerOn(store, { run }, { concurrency: 3 }).start();
  await tick(200);
  expect([most, ended]).toEqual([3, 20]);
});
