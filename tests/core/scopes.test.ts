import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RequestAbortedError, TimeoutError } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TokenSource } from '../../src/core/recover/token-source.js';
import { CancelScope, longestTimerMs, Deadline, TimeLimit, wait } from '../../src/core/scope/cancel-scope.js';

// What ends a call: the first of two reasons, the last millisecond of a limit, and nothing that is left behind.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const progress = { attempts: 0, outcomeUnknown: false };
const scopeOf = (deadlineMs?: number, signal?: AbortSignal): CancelScope =>
  new CancelScope({ what: 'GET /items', deadlineMs, signal, progress });
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('a scope', () => {
  test('ends for the first of two reasons', async () => {
    const controller = new AbortController();
    for (const isFirst of [true, false]) {
      const scope = scopeOf(1000, isFirst ? AbortSignal.abort() : controller.signal);
      await vi.advanceTimersByTimeAsync(1000);
      if (!isFirst) controller.abort();
      expect(scope.reason).toBeInstanceOf(isFirst ? RequestAbortedError : TimeoutError);
      expect(() => scope.throwIfAborted()).toThrow(scope.reason);
      scope.dispose();
    }
  });

  test.each([
    [999, 1],
    [1000, 0],
  ])('has after %i of 1,000 ms %i left', async (ms, left) => {
    const scope = scopeOf(1000);
    await vi.advanceTimersByTimeAsync(ms);
    expect([scope.remainingMs, scope.reason === undefined]).toEqual([left, left > 0]);
    scope.dispose();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([undefined, longestTimerMs + 1])('has no end with a deadline of %s', (deadlineMs) => {
    expect([scopeOf(deadlineMs).remainingMs, vi.getTimerCount()]).toEqual([Infinity, 0]);
  });

  test.each([0, 1, 2])('lets a limit begin anew %i times, and then ends what runs', async (restarts) => {
    const scope = scopeOf();
    const stopped: Error[] = [];
    const race = scope.race(
      async (restart) => {
        for (let count = 0; count < restarts; count += 1) {
          await sleep(99);
          restart();
        }
        await new Promise(() => undefined);
      },
      (error) => stopped.push(error),
      100,
    );
    const error = settled(race);
    await vi.advanceTimersByTimeAsync(restarts * 99 + 99);
    expect(stopped).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await error).toBe(stopped[0]);
    expect(stopped).toMatchObject([{ message: 'GET /items got no response within 100 ms' }]);
  });

  test('leaves no timer of a race that is over, also if that asks for another one', async () => {
    const scope = scopeOf();
    let again = (): void => undefined;
    const result = await scope.race(
      (restart) => {
        again = restart;
        return Promise.resolve(1);
      },
      undefined,
      100,
    );
    again();
    expect([result, vi.getTimerCount()]).toEqual([1, 0]);
    const late = settled(scope.race((restart) => ((again = restart), new Promise(() => undefined)), undefined, 100));
    await vi.advanceTimersByTimeAsync(100);
    again();
    expect([(await late) instanceof TimeoutError, vi.getTimerCount()]).toEqual([true, 0]);
  });

  test('ends each of two races with the same reason, and starts no other one', async () => {
    const controller = new AbortController();
    const scope = scopeOf(undefined, controller.signal);
    const races = [1, 2].map(() => settled(scope.race(() => new Promise(() => undefined))));
    const sleeping = settled(scope.sleep(5000));
    controller.abort();
    expect(await Promise.all([...races, sleeping])).toEqual([scope.reason, scope.reason, scope.reason]);
    const start = vi.fn();
    expect(await settled(scope.race(start))).toBe(scope.reason);
    expect([start.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

describe('one deadline of several calls', () => {
  test('gives each the time that the ones before have left, also one that failed, to the last millisecond', async () => {
    const deadline = new Deadline('contact()', 1000);
    const given: (number | undefined)[] = [];
    const call = (ms: number): Promise<unknown> =>
      settled(deadline.within({}, async ({ deadlineMs }: { deadlineMs?: number }) => (given.push(deadlineMs), sleep(ms).then(() => (ms === 300 ? Promise.reject(new Error('caught')) : undefined)))));
    for (const ms of [400, 300, 299]) {
      void call(ms);
      await vi.advanceTimersByTimeAsync(ms);
    }
    expect(given).toEqual([1000, 600, 300]);
    const last = call(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await last).toBeUndefined();
    expect(await call(1)).toMatchObject({ message: 'contact() did not end within its deadline of 1000 ms', attempts: 0 });
    expect(given).toEqual([1000, 600, 300, 1]);
  }); // prettier-ignore

  test.each([
    [500, 500, 'the call'],
    [500, 499, 'the call'],
    [400, 600, 'contact() did not end within its deadline of 1000 ms'],
    [400, 599, 'the call'],
  ])('a call that times out after %i + %i ms of it has the message: %s', async (before, ms, message) => {
    const deadline = new Deadline('contact()', before === 500 ? undefined : 1000);
    void deadline.within({}, () => sleep(before));
    await vi.advanceTimersByTimeAsync(before);
    const failed = settled(deadline.within({}, () => sleep(ms).then(() => Promise.reject(new TimeoutError('the call', { attempts: 2 })))));
    await vi.advanceTimersByTimeAsync(ms);
    expect(await failed).toMatchObject({ message, attempts: 2 });
  }); // prettier-ignore

  test('the first call has its own message, and an error that is no timeout has so later too', async () => {
    const deadline = new Deadline('contact()', 1000);
    const own = new TimeoutError('the call', { attempts: 1 });
    const failed = settled(deadline.within({}, () => sleep(1000).then(() => Promise.reject(own))));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await failed).toBe(own);
  });
});

describe('a wait', () => {
  test.each(['time', 'abort'])('ends by %s, and leaves no timer and no listener', async (way) => {
    const controller = new AbortController();
    const { signal } = controller;
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    const waiting = wait(100, signal);
    await vi.advanceTimersByTimeAsync(99);
    if (way === 'abort') controller.abort();
    else await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(vi.getTimerCount()).toBe(0);
    expect(remove.mock.calls.map(([, listener]) => listener)).toEqual(add.mock.calls.map(([, listener]) => listener));
  });

  test('does not begin with a signal that has aborted', async () => {
    await wait(100, AbortSignal.abort());
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each([99, 101])('of a limit of 100 ms, what takes %i ms', async (ms) => {
  const limit = new TimeLimit(100);
  const runs = [1, 2].map((value) => settled(limit.run(() => sleep(ms).then(() => value), () => new Error('late')))); // prettier-ignore
  await vi.advanceTimersByTimeAsync(ms);
  expect(await Promise.all(runs)).toEqual(ms < 100 ? [1, 2] : [new Error('late'), new Error('late')]);
  expect(vi.getTimerCount()).toBe(0);
  // A limit may live as long as its process: it keeps no timer that is over.
  const cleared = vi.spyOn(globalThis, 'clearTimeout');
  limit.stop();
  expect(cleared).not.toHaveBeenCalled();
});

test('what arrived while the process stood still comes before the end of the limit', async () => {
  vi.useRealTimers();
  // Another thread answers after 50 ms, while this one stands still for 300.
  const worker = new Worker(
    "const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => setTimeout(() => parentPort.postMessage('arrived'), 50));",
    { eval: true },
  );
  await once(worker, 'online');
  const answer = new TimeLimit(200).run(
    () => {
      const arrived = once(worker, 'message');
      worker.postMessage('ask');
      return arrived;
    },
    () => new Error('late'),
  );
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  expect(await answer).toEqual(['arrived']);
  await worker.terminate();
});

describe('a token that was rejected', () => {
  const source = (...tokens: (string | Promise<string>)[]) => {
    const provider = vi.fn((_: { rejected?: string }) => tokens[Math.min(provider.mock.calls.length, tokens.length) - 1] ?? '');
    return { tokens: new TokenSource(provider, 1000), asked: () => provider.mock.calls.map(([{ rejected }]) => rejected) };
  }; // prettier-ignore

  test('is asked for again if the same one came instead', async () => {
    const { tokens, asked } = source('old', 'old', 'new');
    expect(tokens.current(scopeOf())).toBe('old');
    expect(await tokens.replace('old', scopeOf())).toBeUndefined();
    expect(await tokens.replace('old', scopeOf())).toBe('new');
    expect(await tokens.replace('old', scopeOf())).toBe('new');
    expect(asked()).toEqual([undefined, 'old', 'old']);
  });

  test('is not given out again, and neither is the next one that is rejected', async () => {
    const { tokens, asked } = source('a', 'b', 'a', 'c', 'b');
    expect(tokens.current(scopeOf())).toBe('a');
    expect(await tokens.replace('a', scopeOf())).toBe('b');
    expect(tokens.current(scopeOf())).toBe('b');
    expect(await tokens.replace('b', scopeOf())).toBe('c');
    expect(tokens.current(scopeOf())).toBe('c');
    expect(asked()).toEqual([undefined, 'a', undefined, 'b', undefined]);
    expect(tokens.latest).toBe('b');
  });

  test('is asked for, also a second time, after two other requests that both bring it again', async () => {
    const gives: ((token: string) => void)[] = [];
    const replacements = ['old', 'new'];
    const provider = vi.fn(({ rejected }: { rejected?: string }) =>
      rejected === undefined ? new Promise<string>((resolve) => void gives.push(resolve)) : replacements.shift()!,
    );
    const tokens = new TokenSource(provider, 1000);
    expect(await tokens.replace('old', scopeOf())).toBeUndefined();
    const first = Promise.resolve(tokens.current(scopeOf()));
    void first.then(() => tokens.current(scopeOf()));
    const replaced = tokens.replace('old', scopeOf());
    for (const index of [0, 1]) {
      gives[index]?.('old');
      await vi.advanceTimersByTimeAsync(1);
    }
    expect([gives.length, await replaced]).toEqual([2, 'new']);
  });

  test('is asked for once by two calls at once', async () => {
    const { tokens, asked } = source(Promise.resolve('new'));
    expect(await Promise.all([tokens.replace('old', scopeOf()), tokens.replace('old', scopeOf())])).toEqual(['new', 'new']);
    expect(asked()).toEqual(['old']);
    expect(vi.getTimerCount()).toBe(0);
  }); // prettier-ignore
});
